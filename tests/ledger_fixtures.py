"""The ledger for tests, on SQLite and PostgreSQL: migrated once, copied for every test, its clock set by the test."""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
from sqlalchemy import Engine, make_url

from bot.clock import Clock
from bot.ledger.engine import Database, open_database
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.schema import migrate
from guardrails.documents import Slug
from guardrails.slugs import mint_slug
from tests.pooler import Pooler
from tests.postgres import PostgresServer
from tests.postgres_copies import DatabaseCopies

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
_TEMPLATE = "ledger_template"
_IN_MEMORY = Path("/dev/shm")  # noqa: S108  # what lies in it is made by mkdtemp
_ROOM_BYTES = 500_000_000
OpenLedger = Callable[..., Ledger]
EngineOf = Callable[[str], Engine]


def slug_for(ask: str) -> Slug:
    """A slug as the bot mints them, from a source that a test may use."""
    return mint_slug(ask, random.choice)


@pytest.fixture
def ledger_clock() -> Clock:
    """The ledger's clock; set its `shift` to travel."""
    return Clock()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite ledger, to be copied."""
    path = tmp_path_factory.mktemp("ledger") / "template.db"
    database = open_database(f"sqlite:///{path}", Clock())
    migrate(database)
    database.close()  # the last connection folds the write-ahead log into the file
    return path


@pytest.fixture(scope="session")
def sqlite_place() -> Iterator[Path]:
    """Where the copy of the present test lies: one place for all of them, so that one engine may open it.

    In memory where there is some: a crash of the machine is not what the tests are about, so nothing waits for the
    disk. `synchronous` stays as in production.
    """
    with TemporaryDirectory(prefix="skywright-ledger-", dir=_memory()) as folder:
        yield Path(folder, "ledger.db")


@pytest.fixture(scope="session")
def postgresql_copies(pg_server: PostgresServer) -> Iterator[DatabaseCopies]:
    """Migrated, empty PostgreSQL ledgers, to be lent to one test after another."""
    database = open_database(pg_server.create_database(_TEMPLATE), Clock())
    migrate(database)
    database.close()
    copies = DatabaseCopies(pg_server, _TEMPLATE)
    yield copies
    copies.close()


@pytest.fixture(scope="session")
def engine_of() -> Iterator[EngineOf]:
    """One engine for each URL of a ledger: what it has compiled serves the next test as well."""
    engines: dict[str, Engine] = {}

    def engine_of(url: str) -> Engine:
        if url not in engines:
            engines[url] = open_database(url, Clock()).engine
        return engines[url]

    yield engine_of
    for engine in engines.values():
        engine.dispose()


def fresh_copy(template: Path, place: Path) -> str:
    """The URL of a copy of a SQLite ledger at a place that a ledger before it may have left."""
    for part in ("", "-wal", "-shm"):
        place.with_name(place.name + part).unlink(missing_ok=True)
    shutil.copyfile(template, place)
    return f"sqlite:///{place}"


@pytest.fixture(params=BOTH)
def ledger_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a migrated, empty ledger of the test's own, once on each database."""
    if request.param == "sqlite":
        yield fresh_copy(request.getfixturevalue("sqlite_template"), request.getfixturevalue("sqlite_place"))
        return
    copies: DatabaseCopies = request.getfixturevalue("postgresql_copies")
    with copies.lent() as url:
        yield url


def _memory() -> Path | None:
    """A folder that is kept in memory and has room for a ledger; None where there is none."""
    fits = os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free > _ROOM_BYTES
    return _IN_MEMORY if fits else None


@pytest.fixture(params=BOTH)
def empty_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database with nothing in it, once on each."""
    if request.param == "sqlite":
        yield f"sqlite:///{request.getfixturevalue('tmp_path') / 'ledger.db'}"
        return
    server: PostgresServer = request.getfixturevalue("pg_server")
    name = f"ledger_{uuid4().hex}"
    yield server.create_database(name)
    server.drop_database(name)


@pytest.fixture
def open_test_ledger(ledger_url: str, ledger_clock: Clock, engine_of: EngineOf) -> Iterator[OpenLedger]:
    """Opens the test's ledger, as often as wanted and by any policy; everything is closed at the end."""
    opened: list[Ledger] = []

    def open_it(policy: LedgerPolicy | None = None) -> Ledger:
        database = Database(engine_of(ledger_url), ledger_clock)
        opened.append(Ledger(database, policy or LedgerPolicy(), slug_for))
        return opened[-1]

    yield open_it
    for ledger in opened:
        ledger.close()


@pytest.fixture
def ledger(open_test_ledger: OpenLedger) -> Ledger:
    """A migrated, empty ledger, once on each database."""
    return open_test_ledger()


@pytest.fixture
def pooled_ledger(pooler: Pooler, postgresql_copies: DatabaseCopies, ledger_clock: Clock) -> Iterator[Ledger]:
    """A migrated, empty ledger behind a pooler in transaction mode, which has fewer connections than its clients."""
    with postgresql_copies.lent() as url:
        ledger = open_ledger(
            pooler.url(make_url(url).database or ""), ledger_clock, LedgerPolicy(), slug_for, direct_url=url
        )
        yield ledger
        ledger.close()
