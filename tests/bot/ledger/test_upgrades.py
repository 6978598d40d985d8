"""Upgrades: the rows of every older schema come through, at once and step by step, and on the way back."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from bot.clock import Clock
from bot.errors import LedgerInUse
from bot.ledger import schema
from bot.ledger.engine import Database, open_database
from bot.ledger.schema import current_revision, differences, downgrade, head_revision, migrate, revisions
from tests.bot.ledger.samples import ROOT, Rows, fill, rows_of
from tests.waiting import until

pytestmark = pytest.mark.slow
REVISIONS = sorted(revisions())
# On PostgreSQL those after which rows are written anew; the others add tables and columns there as they do on SQLite.
TELLING = ["0001", "0005"]
ON = [
    *(("sqlite", revision) for revision in REVISIONS),
    *(pytest.param("postgresql", revision, marks=pytest.mark.postgres) for revision in TELLING),
]
FOUND = {
    "sqlite": "SELECT count(*) FROM searched_words WHERE searched_words MATCH 'kettle'",
    "postgresql": "SELECT count(*) FROM searched WHERE words @@ search_phrase('kettle', false)",
}
TWICE = "INSERT INTO known_ids SELECT * FROM known_ids"
NOWHERE = "UPDATE attempts SET document_id = 'mention:did:plc:nobody:3k'"
CHANGES = "UPDATE audit SET device = 'vera'"
WAITING = """
    SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE NOT granted AND datname = current_database()
"""
ON_POSTGRESQL = pytest.mark.parametrize(
    "empty_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)


@pytest.fixture
def empty(empty_url: str) -> Iterator[Database]:
    database = open_database(empty_url, Clock())
    yield database
    database.close()


def kept(before: Rows, after: Rows) -> Rows:
    """Of the rows after, what there was a column for before."""
    return {
        table: [{name: value for name, value in row.items() if not rows or name in rows[0]} for row in after[table]]
        for table, rows in before.items()
    }


def refused(db: Database, statement: str) -> bool:
    try:
        with db.write() as connection:
            connection.execute(text(statement))
    except (IntegrityError, DBAPIError):
        return True
    return False


def somebody_waits(db: Database) -> bool:
    with db.read() as connection:
        return connection.execute(text(WAITING)).first() is not None


def check_meaning(db: Database) -> None:
    """At the present schema: it is the models', its rules hold, and what was there is found and has a page."""
    rows: Mapping[str, list[dict[str, Any]]] = rows_of(db)
    with db.read() as connection:
        found = connection.execute(text(FOUND[db.engine.dialect.name])).scalar_one()

    assert [] == differences(db)
    assert 1 == found
    assert [(ROOT, 32)] == [(document["thread"], len(document["page"])) for document in rows["documents"]]
    assert [True, True] == [refused(db, TWICE), refused(db, NOWHERE)]
    assert refused(db, CHANGES) is bool(rows["audit"])


@pytest.mark.parametrize(("empty_url", "revision"), ON, indirect=["empty_url"])
def test_the_rows_of_an_older_schema_come_through(empty: Database, revision: str) -> None:
    """With what they mean; and on the way back they are what they were."""
    migrate(empty, revision)
    fill(empty, revision)
    before = rows_of(empty)
    migrate(empty)

    assert before == kept(before, rows_of(empty))
    check_meaning(empty)
    downgrade(empty, revision)
    assert before == rows_of(empty)


def test_the_rows_of_the_first_schema_come_through_step_by_step(empty: Database) -> None:
    """As they do for whoever takes every version."""
    migrate(empty, REVISIONS[0])
    fill(empty, "first")
    before = rows_of(empty)
    for revision in REVISIONS:
        migrate(empty, revision)
        assert before == kept(before, rows_of(empty)), revision

    check_meaning(empty)


@ON_POSTGRESQL
def test_a_migration_does_not_wait_for_whoever_reads(empty: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else everybody else would wait behind it; it says what to do, and changes nothing."""
    monkeypatch.setattr(schema, "LOCK_SECONDS", 0.05)
    migrate(empty, "0006")
    with empty.read() as connection:
        connection.execute(text("SELECT 1 FROM documents")).first()
        with pytest.raises(LedgerInUse, match="pg_stat_activity"):
            migrate(empty)

    assert "0006" == current_revision(empty)
    migrate(empty)
    assert head_revision() == current_revision(empty)


@ON_POSTGRESQL
def test_a_migration_lets_a_bot_write_what_it_has_read(empty: Database) -> None:
    """One that held on to a table while it waited for it would wait for the bot, and the bot for it."""
    migrate(empty, "0011")
    with ThreadPoolExecutor(1) as pool:
        with empty.write() as connection:
            connection.execute(text("SELECT 1 FROM documents")).first()
            migrating = pool.submit(migrate, empty)
            until(lambda: somebody_waits(empty))
            connection.execute(text("UPDATE documents SET detail = ''"))
        migrating.result(20)

    assert head_revision() == current_revision(empty)


@ON_POSTGRESQL
def test_a_migration_that_a_bot_and_itself_would_wait_for_gives_way(empty: Database) -> None:
    """It says what to do as for one that waits too long, and the bot goes on."""
    migrate(empty, "0011")
    with ThreadPoolExecutor(1) as pool, empty.write() as connection:
        connection.execute(text("SELECT 1 FROM sends")).first()
        migrating = pool.submit(migrate, empty)
        until(lambda: somebody_waits(empty))
        connection.execute(text("SELECT 1 FROM documents")).first()
        with pytest.raises(LedgerInUse, match="pg_stat_activity"):
            migrating.result(20)

    assert "0011" == current_revision(empty)
