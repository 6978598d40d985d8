"""The ledger for tests, on SQLite and PostgreSQL: migrated once, copied for every test, its clock set by the test."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from bot.clock import Clock
from bot.ledger.engine import open_database
from bot.ledger.ledger import Ledger, LedgerPolicy, open_ledger
from bot.ledger.schema import migrate
from guardrails.documents import Slug
from guardrails.slugs import mint_slug
from tests.postgres import PostgresServer

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
_TEMPLATE = "ledger_template"
OpenLedger = Callable[..., Ledger]


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
def postgresql_template(pg_server: PostgresServer) -> str:
    """The name of a migrated, empty PostgreSQL ledger, to be copied."""
    database = open_database(pg_server.create_database(_TEMPLATE), Clock())
    migrate(database)
    database.close()
    return _TEMPLATE


@pytest.fixture(params=BOTH)
def ledger_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a migrated, empty ledger of the test's own, once on each database."""
    yield from _database(request, copied=True)


@pytest.fixture(params=BOTH)
def empty_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database with nothing in it, once on each."""
    yield from _database(request, copied=False)


@pytest.fixture
def open_test_ledger(ledger_url: str, ledger_clock: Clock) -> Iterator[OpenLedger]:
    """Opens the test's ledger, as often as wanted and by any policy; everything is closed at the end."""
    opened: list[Ledger] = []

    def open_it(policy: LedgerPolicy | None = None) -> Ledger:
        opened.append(open_ledger(ledger_url, ledger_clock, policy or LedgerPolicy(), slug_for))
        return opened[-1]

    yield open_it
    for ledger in opened:
        ledger.close()


@pytest.fixture
def ledger(open_test_ledger: OpenLedger) -> Ledger:
    """A migrated, empty ledger, once on each database."""
    return open_test_ledger()


def _database(request: pytest.FixtureRequest, *, copied: bool) -> Iterator[str]:
    if request.param == "sqlite":
        path = request.getfixturevalue("tmp_path") / "ledger.db"
        if copied:
            shutil.copyfile(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite:///{path}"
        return
    server: PostgresServer = request.getfixturevalue("pg_server")
    name = f"ledger_{uuid4().hex}"
    yield server.create_database(name, request.getfixturevalue("postgresql_template") if copied else None)
    server.drop_database(name)
