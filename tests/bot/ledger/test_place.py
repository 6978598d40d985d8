"""A SQLite ledger is the file that was opened, and no other that has its name later."""

from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from bot.clock import Clock
from bot.ledger.engine import Database, open_database


def numbers(db: Database) -> list[int]:
    with db.read() as connection:
        return list(connection.execute(text("SELECT n FROM numbers ORDER BY n")).scalars())


def add(db: Database, n: int) -> None:
    with db.write() as connection:
        connection.execute(text(f"INSERT INTO numbers VALUES ({n})"))


@pytest.mark.parametrize("replaced", [False, True])
def test_a_ledger_whose_file_is_gone_takes_nothing_until_it_is_back(tmp_path: Path, replaced: bool) -> None:
    """By open connections and by new ones; none makes an empty ledger, and what another is, is not touched."""
    file, away = tmp_path / "ledger.db", tmp_path / "away.db"
    db = open_database(f"sqlite:///{file}", Clock())
    with db.write() as connection:
        connection.execute(text("CREATE TABLE numbers (n INTEGER)"))
    add(db, 1)
    file.rename(away)
    if replaced:
        file.write_bytes(b"")

    with pytest.raises(OperationalError, match="moved, deleted or replaced"):
        add(db, 2)
    with pytest.raises(OperationalError, match="moved, deleted or replaced"), db.read(), db.read():
        pass
    left = file.read_bytes() if file.exists() else b""
    away.rename(file)
    add(db, 3)

    assert b"" == left
    assert [1, 3] == numbers(db)
    db.close()


def test_a_connection_that_is_new_is_none_to_another_file(tmp_path: Path) -> None:
    """Where those that there are have work; and once all are closed, the next one takes what is there."""
    file = tmp_path / "ledger.db"
    db = open_database(f"sqlite:///{file}", Clock())
    with db.read():
        file.unlink()
        with pytest.raises(OperationalError, match="moved, deleted or replaced"), db.read():
            pass
        made = file.exists()
    db.close()
    with db.read():
        pass
    db.close()

    assert (False, True) == (made, file.exists())
