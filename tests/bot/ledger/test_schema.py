"""Migrations: up, down and up again with rows, the same schema as the models', and none that is too old or too new."""

import socket
import sqlite3
import time
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Timer

import pytest
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, OperationalError

from bot.clock import Clock
from bot.errors import LedgerBehind
from bot.ledger.dispatches import Pace
from bot.ledger.engine import Database, open_database
from bot.ledger.enrolments import Place
from bot.ledger.ledger import open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.postgresql import PATIENCE
from bot.ledger.schema import check_schema, current_revision, differences, downgrade, head_revision, migrate
from bot.ledger.selection import Selection
from bot.ledger.tables import metadata
from guardrails.access import Role
from guardrails.documents import AtUri, DeviceId, StrongRef
from guardrails.transitions import Status
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import STARTS, built, received
from tests.documents import newest
from tests.ledger_fixtures import slug_for
from tests.mentions import BOT, OPERATOR, mention

# Many at once, or every migration: seconds, not milliseconds.
pytestmark = pytest.mark.slow


@pytest.fixture
def empty(empty_url: str) -> Database:
    return open_database(empty_url, Clock())


def tables(database: Database) -> set[str]:
    return set(inspect(database.engine).get_table_names()) - {"alembic_version"}


def checks(engine: Engine) -> dict[str, set[str]]:
    """The text of every check constraint by its name, as the database tells it."""
    found = inspect(engine)
    return {
        str(check["name"]): {str(check["sqltext"])}
        for table in sorted(found.get_table_names())
        for check in found.get_check_constraints(table)
    }


def indexes(engine: Engine) -> set[str]:
    found = inspect(engine)
    return {str(index["name"]) for table in found.get_table_names() for index in found.get_indexes(table)}


def test_an_empty_database_is_brought_to_the_present(empty: Database) -> None:
    """Then it is fit for use, and migrating again changes nothing."""
    assert current_revision(empty) is None
    with pytest.raises(LedgerBehind, match=r"at nothing, this program needs .*skywright migrate"):
        check_schema(empty)
    migrate(empty)
    migrate(empty)

    check_schema(empty)
    assert head_revision() == current_revision(empty)
    assert [] == differences(empty)
    empty.close()


def test_the_checks_are_the_models_checks(empty: Database) -> None:
    """Alembic compares no check constraints, so they are read back from a database of each making."""
    migrate(empty)
    migrated = checks(empty.engine)
    downgrade(empty, "base")
    with empty.engine.begin() as connection:
        connection.execute(text("DROP TABLE alembic_version"))
    metadata.create_all(empty.engine)

    assert migrated == checks(empty.engine)
    assert 12 < len(migrated)
    empty.close()


def test_up_down_and_up_again_with_rows(empty_url: str) -> None:
    """Nothing is left behind on the way down, and the rules hold after the way up."""
    ledger = open_ledger(empty_url, Clock(), LedgerPolicy(), slug_for)
    for _ in range(2):
        migrate(ledger.db)
        for status, make in STARTS.items():
            make(ledger, f"3k{status.value}")
        assert len(Status) == len(newest(ledger, 99))
        downgrade(ledger.db, "base")
        assert set() == tables(ledger.db)
    migrate(ledger.db)
    ledger.documents.receive(BOT, [mention()])

    with pytest.raises(IntegrityError), ledger.db.write() as connection:
        connection.execute(text("UPDATE documents SET status = 'finished'"))
    ledger.close()


def test_a_ledger_from_before_the_guardrails_is_brought_to_the_present(empty_url: str) -> None:
    """Down one step and up again: documents, attempts and history stay, threads are named from the bodies."""
    ledger = open_ledger(empty_url, Clock(), LedgerPolicy(), slug_for)
    migrate(ledger.db)
    made = [make(ledger, f"3k{status.value}") for status, make in STARTS.items()]
    root = StrongRef(uri=AtUri("at://did:plc:carol/app.bsky.feed.post/3kroot"), cid="cid")
    odd = StrongRef(uri=AtUri("at://carol.test/post"), cid="cid")
    replies = ledger.documents.receive(BOT, [mention("3kreply", root=root), mention("3kodd", root=odd)])
    attempts = [attempt for document in made for attempt in ledger.queries.attempts(document.id)]
    told, schema = ledger.feed.after(0, 999), indexes(ledger.db.engine)
    downgrade(ledger.db, "0002")
    older = checks(ledger.db.engine), indexes(ledger.db.engine)
    migrate(ledger.db)

    found = [ledger.queries.document(document.id) for document in made]
    assert [replace(each, facts_json=None, places=[], page=None) for each in made] == [
        replace(each, page=None) for each in found
    ]
    assert {root.uri, "at://did:plc:alice/app.bsky.feed.post/3kodd"} == {
        ledger.queries.document(document.id).thread for document in replies
    }
    assert [replace(attempt, estimate_micros=0, paid_in=None) for attempt in attempts] == [
        attempt for document in made for attempt in ledger.queries.attempts(document.id)
    ]
    assert (told, [], schema) == (
        ledger.feed.after(0, 999),
        differences(ledger.db),
        indexes(ledger.db.engine),
    )
    assert "ck_people_standing" not in older[0]
    assert "ck_documents_status" in older[0]
    assert {"ix_documents_like_due", "ix_documents_note_due", "ix_documents_open"} <= older[1]
    assert not {"ix_documents_thread", "ix_documents_joined_to", "ix_sends_uri", "ix_moves_accepted"} & older[1]
    ledger.close()


def test_a_ledger_from_before_the_builder_lane_is_brought_to_the_present(empty_url: str) -> None:
    """Down one step and up again: devices keep their tokens; what the older program had no words for is gone."""
    ledger = open_ledger(empty_url, Clock(), LedgerPolicy(), slug_for)
    migrate(ledger.db)
    place, hour = Place("a run", "", 3600), timedelta(hours=1)
    lane = ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "", Role.LANE, "", "token", longest_lease_seconds=60)
    # The older program does not know that it ends, and would take its token for ever.
    ledger.desk.add_device(OPERATOR, DeviceId("guest-1"), "", Role.OPERATOR, "", "for-an-hour", lasts=hour)
    ledger.enrolments.invite(OPERATOR, place, "code", hour)
    ledger.enrolments.log_in_run(DeviceId("github:o/r:7:1"), place, "jti", "run-token", hour)
    ledger.dispatches.reserve("o/r:w", "id", None, Pace())
    document = built(ledger)
    schema = checks(ledger.db.engine), tables(ledger.db)
    downgrade(ledger.db, "0003")
    older = tables(ledger.db)
    migrate(ledger.db)

    assert {"invites", "run_logins", "dispatches"} <= schema[1] - older
    assert (schema, []) == ((checks(ledger.db.engine), tables(ledger.db)), differences(ledger.db))
    assert [replace(lane, longest_lease_seconds=None)] == ledger.desk.devices()
    assert lane.id == getattr(ledger.desk.device_of_token("token"), "id", None)
    assert [(1, 0, None)] == [
        (attempt.attempt, attempt.repairs, attempt.lease_seconds) for attempt in ledger.queries.attempts(document.id)
    ]
    ledger.close()


def test_a_ledger_from_before_the_operators_is_brought_to_the_present(empty_url: str) -> None:
    """Down and up again: documents stay, with other pages, and the new audit log is as final as the first one was."""
    ledger = open_ledger(empty_url, Clock(), LedgerPolicy(), slug_for)
    migrate(ledger.db)
    document = built(ledger)
    schema = checks(ledger.db.engine), tables(ledger.db)
    downgrade(ledger.db, "0004")
    older = tables(ledger.db)
    migrate(ledger.db)

    assert {"audit", "held_asks", "console_links", "console_sessions", "alerts"} <= schema[1] - older
    assert (schema, []) == ((checks(ledger.db.engine), tables(ledger.db)), differences(ledger.db))
    found = ledger.queries.document(document.id)
    assert (document, 32) == (replace(found, page=document.page), len(found.page or ""))
    assert document.page != found.page
    with ledger.db.write() as connection:
        added = (
            "INSERT INTO audit (at, device, action, target, detail) VALUES (CURRENT_TIMESTAMP, 'olga', 'stop', '', '')"
        )
        connection.execute(text(added))
    for attempt in ("UPDATE audit SET device = 'vera'", "DELETE FROM audit"):
        with pytest.raises(DBAPIError, match="the audit log is never changed"), ledger.db.write() as connection:
            connection.execute(text(attempt))
    ledger.close()


def test_a_ledger_from_before_the_search_is_brought_to_the_present(empty_url: str) -> None:
    """Down one step and up again: what was there is found, in the order of its coming, and so is what comes."""
    ledger = open_ledger(empty_url, Clock(), LedgerPolicy(), slug_for)
    migrate(ledger.db)
    asks = [f"a kettle {odd}" for odd in ("", "\0 ä", "\\u0000 \ud800", "🎉", "\\ud83d\ude00")]
    for number, ask in enumerate(asks):
        received(ledger, f"3k{number}", ask=ask)
    schema = indexes(ledger.db.engine), tables(ledger.db)
    whole, _ = ledger.pages.page(Selection(text="kettle"), 9)
    downgrade(ledger.db, "0005")
    older = indexes(ledger.db.engine), tables(ledger.db)
    migrate(ledger.db)
    received(ledger, "3kafter", ask="a kettle")
    found, _ = ledger.pages.page(Selection(text="kettle"), 9)

    assert (schema, []) == ((indexes(ledger.db.engine), tables(ledger.db)), differences(ledger.db))
    assert {"searched"} <= schema[1] - older[1]
    assert {"ix_documents_handle", "ix_documents_reason", "ix_sends_unsettled"} <= schema[0] - older[0]
    assert ["3kafter", *(document.id.rpartition(":")[2] for document in whole)] == [
        document.id.rpartition(":")[2] for document in found
    ]
    assert len(asks) == len(whole)
    assert 1 == ledger.pages.count(Selection(text="🎉")) == ledger.pages.count(Selection(text="ä"))
    ledger.close()


def test_migrating_a_ledger_in_use_keeps_its_rows(empty_url: str) -> None:
    """Each document with its history."""
    ledger = open_ledger(empty_url, Clock(), LedgerPolicy(), slug_for)
    migrate(ledger.db)
    made = [make(ledger, f"3k{status.value}").id for status, make in STARTS.items()]
    told = ledger.feed.after(0, 999)
    migrate(ledger.db)

    assert set(made) == {document.id for document in newest(ledger, 99)}
    assert told == ledger.feed.after(0, 999)
    ledger.close()


def test_a_newer_ledger_is_left_alone(ledger_url: str) -> None:
    """An old program could not know what it would break."""
    database = open_database(ledger_url, Clock())
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(LedgerBehind, match="newer than this program"):
        check_schema(database)
    with pytest.raises(LedgerBehind, match="newer than this program"):
        migrate(database)
    database.close()


def test_an_older_ledger_says_what_to_run(ledger_url: str) -> None:
    """Emptied down to its base."""
    database = open_database(ledger_url, Clock())
    downgrade(database, "base")

    with pytest.raises(LedgerBehind, match="run `skywright migrate`"):
        check_schema(database)
    database.close()


def test_a_migration_that_fails_leaves_nothing(empty: Database) -> None:
    """All or nothing, on both databases."""
    with empty.engine.begin() as connection:
        connection.execute(text("CREATE TABLE watermarks (name INTEGER)"))

    with pytest.raises(Exception, match="watermarks"):
        migrate(empty)
    assert {"watermarks"} == tables(empty)
    assert current_revision(empty) is None
    empty.close()


def test_a_new_sqlite_file_may_be_opened_by_many_at_once(tmp_path: Path) -> None:
    """Its folder is made, and switching to the write-ahead log is nobody's error."""
    for number in range(10):
        url = f"sqlite:///{tmp_path}/new {number}%/ledger.db"
        databases = [open_database(url, Clock()) for _ in range(6)]
        assert [None] * 6 == at_once([partial(current_revision, database) for database in databases])
        for database in databases:
            database.close()


@pytest.mark.parametrize(
    "address", ["mysql://h/x", "postgresql+asyncpg://h/x", "sqlite+aiosqlite:///x", "mongodb://h/x"]
)
def test_any_other_database_is_refused(address: str) -> None:
    """Whether its driver is there or not: nothing was ever tried on it."""
    with pytest.raises(ArgumentError):
        open_database(address, Clock())


def test_postgresql_is_reached_by_the_one_driver_that_comes_with_the_bot() -> None:
    """An address as others write it does as well."""
    database = open_database("postgresql://h/x", Clock())

    assert "psycopg" == database.engine.driver
    database.close()


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its machine swallows what it is sent, say; an address that allows more, or less, is heeded."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://somebody@127.0.0.1:{silent.getsockname()[1]}/x"
        patient = open_database(f"{address}?connect_timeout=2", Clock())
        monkeypatch.setitem(PATIENCE, "connect_timeout", 2)
        began = time.monotonic()
        failed = at_once([patient.time, open_database(address, Clock()).time])

    assert [OperationalError] * 2 == [type(each) for each in failed]
    assert time.monotonic() - began < 8


def test_a_new_sqlite_file_under_another_programs_lock_is_waited_for(tmp_path: Path) -> None:
    """SQLite itself does not wait there: it refuses the switch to the write-ahead log at once."""
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE made_by_another (x INTEGER)")
    release = Timer(0.2, other.execute, ["COMMIT"])
    release.start()
    database = open_database(f"sqlite:///{tmp_path}/ledger.db", Clock())

    assert current_revision(database) is None
    assert {"made_by_another"} == tables(database)
    database.close()
    release.join()
    other.close()


def test_a_ledger_is_as_durable_as_its_engine_can_be(ledger_url: str) -> None:
    """A claim that a power cut forgets is a second reply."""
    database = open_database(ledger_url, Clock())
    with database.write() as connection:
        if database.is_sqlite:
            pragmas = ["journal_mode", "synchronous", "foreign_keys"]
            assert ["wal", 2, 1] == [connection.execute(text(f"PRAGMA {name}")).scalar_one() for name in pragmas]
        else:
            assert "on" == connection.execute(text("SHOW synchronous_commit")).scalar_one()
    database.close()


def test_a_write_that_raises_is_undone(ledger_url: str) -> None:
    """Whatever was written before it."""
    ledger = open_ledger(ledger_url, Clock(), LedgerPolicy(), slug_for)

    def write_and_fail() -> None:
        with ledger.db.write() as connection:
            connection.execute(text("INSERT INTO watermarks (name, at) VALUES ('a', '2026-03-02 12:00:00')"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    assert ledger.desk.watermark("a") is None
    ledger.close()
