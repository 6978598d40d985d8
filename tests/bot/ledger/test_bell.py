"""The bell: who follows the history is told at once of what moves, in this process and in any other."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import psycopg
import pytest
import structlog
from sqlalchemy import make_url, text

from bot.clock import Clock
from bot.follower import Follower
from bot.ledger.bell import Bell, told_at_the_end
from bot.ledger.engine import Database, open_database
from bot.ledger.ledger import Ledger
from bot.ledger.listening import CHANNEL, Listening
from bot.ledger.policy import LedgerPolicy
from tests.bot.ledger.steps import pending, received
from tests.ledger_fixtures import slug_for
from tests.pooler import Pooler
from tests.waiting import until

on_postgresql = pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)
NEVER = 3600.0
Rings = Callable[..., threading.Semaphore]


@pytest.fixture
def rings() -> Iterator[Rings]:
    """Starts a bell on a database; what it gives is released whenever somebody is to look."""
    with ExitStack() as stack:

        def rings(db: Database, name: str = "here", pause: float = 0.0) -> threading.Semaphore:
            heard = threading.Semaphore(0)
            bell = Bell(db, heard.release, name, pause)
            bell.start()
            stack.callback(bell.stop)
            if not db.is_sqlite:
                assert heard.acquire(timeout=30), "what moved before it listened is looked for"
            return heard

        yield rings


@pytest.fixture
def elsewhere(ledger_url: str) -> Iterator[Database]:
    """The ledger's database, as another process has it open."""
    database = open_database(ledger_url, Clock())
    yield database
    database.close()


@pytest.fixture
def behind(ledger_url: str, pooler: Pooler) -> Iterator[Database]:
    """The ledger's database, behind a pooler."""
    database = open_database(pooler.url(str(make_url(ledger_url).database)), Clock(), ledger_url)
    yield database
    database.close()


def told(connection: "psycopg.Connection[tuple[object, ...]]", seconds: float) -> list[str]:
    """What comes over the channel until nothing has come for so long."""
    return [notice.payload for notice in connection.notifies(timeout=seconds)]


def test_what_this_process_writes_is_heard_in_it_at_once(ledger: Ledger, rings: Rings) -> None:
    """By the thread that wrote, behind its commit; what is rolled back, or moves nothing, is not."""
    heard = rings(ledger.db)
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE documents SET detail = ''"))
    with suppress(ZeroDivisionError), ledger.db.write() as connection:
        ledger.db.mark_moved(connection)
        raise ZeroDivisionError
    assert not heard.acquire(blocking=False)

    received(ledger)
    assert heard.acquire(blocking=False)


@pytest.mark.postgres
@on_postgresql
def test_what_another_process_writes_is_heard_at_once(ledger: Ledger, elsewhere: Database, rings: Rings) -> None:
    """A follower that looks once in an hour has it."""
    got: list[int] = []
    follower = Follower(ledger.feed, NEVER, [lambda moves: got.extend(move.seq for move in moves)])
    follower.start()
    until(lambda: follower.position is not None)
    bell = Bell(elsewhere, follower.wake, "there")
    bell.start()
    rings(ledger.db)
    pending(ledger)

    assert until(lambda: [1, 2] == got)
    bell.stop()
    follower.stop()


@pytest.mark.postgres
@on_postgresql
def test_what_moves_in_a_short_time_is_told_together(ledger: Ledger, elsewhere: Database, rings: Rings) -> None:
    """The first at once, the rest after a pause."""
    with elsewhere.direct_connection() as other:
        other.execute(f"LISTEN {CHANNEL}")
        rings(ledger.db, "here", 0.3)
        assert ["here"] == until(lambda: told(other, 0.2))
        for number in range(20):
            received(ledger, f"3k{number}")
        notices = until(lambda: told(other, 0.5))

    assert {"here"} == set(notices)
    assert 20 > len(notices)


@pytest.mark.postgres
@on_postgresql
def test_what_moves_last_before_a_stop_is_told(ledger: Ledger, elsewhere: Database) -> None:
    """Also while it rests after another."""
    with elsewhere.direct_connection() as other:
        other.execute(f"LISTEN {CHANNEL}")
        bell = Bell(ledger.db, lambda: None, "here", NEVER)
        bell.start()
        first = until(lambda: told(other, 0.2))
        received(ledger)
        bell.stop()
        last = told(other, 0.2)

    assert (["here"], ["here"]) == (first, last)


@pytest.mark.postgres
@on_postgresql
def test_a_lost_connection_is_made_anew_and_what_came_meanwhile_looked_for(
    ledger: Ledger, elsewhere: Database, rings: Rings
) -> None:
    """It is said once that it is gone, and once that it is back."""
    heard = rings(ledger.db)
    listening = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'"
    with structlog.testing.capture_logs() as logs:
        with elsewhere.read() as connection:
            connection.execute(text(f"{listening} AND datname = current_database()"))
        assert heard.acquire(timeout=30)
        until(lambda: len(logs) > 1)

    assert ["not_listening", "listening_again"] == [each["event"] for each in logs]
    with told_at_the_end(elsewhere, "there"), elsewhere.write() as connection:
        elsewhere.mark_moved(connection)
    assert heard.acquire(timeout=30)


@pytest.mark.postgres
@on_postgresql
def test_behind_a_pooler_it_is_heard_by_a_connection_past_it(ledger: Ledger, behind: Database, rings: Rings) -> None:
    """And told through the pooler."""
    there = rings(ledger.db, "there")
    here = rings(behind, "here")
    assert there.acquire(timeout=30)

    received(ledger)
    assert here.acquire(timeout=30)


@pytest.mark.postgres
@on_postgresql
def test_it_is_heard_where_a_thousand_files_are_open(ledger: Ledger, elsewhere: Database, rings: Rings) -> None:
    """As in a bot that many callers are connected to."""
    with ExitStack() as stack:
        logs = stack.enter_context(structlog.testing.capture_logs())
        for _ in range(1100):
            stack.callback(os.close, os.dup(0))
        heard = rings(ledger.db)
        with told_at_the_end(elsewhere, "there"):
            received(Ledger(elsewhere, LedgerPolicy(), slug_for))
        assert heard.acquire(timeout=10)

    assert [] == logs


@pytest.mark.postgres
@on_postgresql
def test_whoever_listens_in_vain_says_so(ledger: Ledger) -> None:
    """A pooler takes the LISTEN and gives nothing on: what this process tells is not heard by itself either."""
    with structlog.testing.capture_logs() as logs:
        listening = Listening(ledger.db, lambda: None, "here", lambda: None, proof_seconds=0.05)
        listening.start()
        until(lambda: logs)
        listening.stop()

    assert ["listening_in_vain"] == [each["event"] for each in logs]
    assert "SKYWRIGHT_DATABASE_DIRECT_URL" in logs[0]["mend"]


@pytest.mark.postgres
@on_postgresql
def test_a_command_that_ends_soon_tells_at_its_end(ledger: Ledger, elsewhere: Database, rings: Rings) -> None:
    """Once, and only where something has moved."""
    heard = rings(elsewhere, "there")
    with told_at_the_end(ledger.db, "a command"):
        pass
    with told_at_the_end(ledger.db, "a command"):
        pending(ledger)

    assert heard.acquire(timeout=30)
    assert not heard.acquire(timeout=0.1)
