"""Connections to PostgreSQL that lie idle: one that was lost meanwhile is replaced, and nobody asks of one in use."""

from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import OperationalError

from bot.ledger.postgresql import straight_engine
from tests.postgres import PostgresServer

pytestmark = pytest.mark.postgres
WHOSE = "SELECT pg_backend_pid()"


class Seconds:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """What it shows."""
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    """The clock by which connections are idle."""
    return Seconds()


@pytest.fixture
def engine(pg_server: PostgresServer, seconds: Seconds) -> Iterator[Engine]:
    """An engine as the ledger has it, by that clock."""
    made = straight_engine(make_url(pg_server.url("postgres")), seconds)
    yield made
    made.dispose()


def backend(engine: Engine) -> int:
    with engine.begin() as connection:
        return int(connection.execute(text(WHOSE)).scalar_one())


def end(server: PostgresServer, pid: int) -> None:
    with psycopg.connect(server.conninfo()) as other:
        other.execute("SELECT pg_terminate_backend(%s, 10000)", (pid,))


def test_one_that_was_lost_while_idle_is_replaced(engine: Engine, pg_server: PostgresServer, seconds: Seconds) -> None:
    """Nobody notices."""
    lost = backend(engine)
    end(pg_server, lost)
    seconds.now += 1

    assert lost != backend(engine)


def test_one_that_was_just_used_is_believed_to_be_there(engine: Engine, pg_server: PostgresServer) -> None:
    """Whoever finds it lost is told, as within a transaction; all that lay idle are made anew."""
    lost = backend(engine)
    end(pg_server, lost)

    with pytest.raises(OperationalError) as told:
        backend(engine)
    assert told.value.connection_invalidated
    assert lost != backend(engine)


def test_one_that_is_there_is_kept(engine: Engine, seconds: Seconds) -> None:
    """However long it was idle."""
    kept = backend(engine)
    seconds.now += 3600

    assert kept == backend(engine)
