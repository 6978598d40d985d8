"""The writers of one process on a SQLite ledger: they take turns, and none of them sleeps for it."""

import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError

from bot.clock import Clock
from bot.ledger import engine
from bot.ledger.engine import Database, open_database
from tests.waiting import until


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return open_database(f"sqlite:///{tmp_path / 'ledger.db'}", Clock())


def test_a_writer_asks_for_the_file_once_the_one_before_is_done(db: Database) -> None:
    """Whoever asks earlier is told to wait by SQLite, which sleeps up to a tenth of a second at a time."""
    happened: list[str] = []
    event.listen(db.engine, "begin", lambda _: happened.append("begins"))
    event.listen(db.engine, "commit", lambda _: happened.append("commits"))

    def write() -> None:
        with db.write() as connection:
            connection.execute(text("SELECT 1"))

    second = threading.Thread(target=write)
    with db.write():
        second.start()
        until(lambda: happened.count("begins") > 1 or waits_for_its_turn(second))
    second.join()
    db.close()

    assert ["begins", "commits", "begins", "commits"] == happened


def test_a_writer_that_waits_in_vain_is_told_so(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """As SQLite tells it, and the next one is not kept out."""
    monkeypatch.setattr(engine, "_SQLITE_BUSY_MS", 20)
    told: list[Exception] = []

    def write() -> None:
        try:
            with db.write():
                pass
        except OperationalError as problem:
            told.append(problem)

    second = threading.Thread(target=write)
    with db.write():
        second.start()
        until(lambda: not second.is_alive())
    with db.write() as connection:
        assert 1 == connection.execute(text("SELECT 1")).scalar_one()
    db.close()

    assert 1 == len(told)


def waits_for_its_turn(thread: threading.Thread) -> bool:
    """Whether it stands where the writers of a process wait for one another."""
    frame = sys._current_frames().get(thread.ident or 0)
    return frame is not None and frame.f_code.co_name == "_turn"
