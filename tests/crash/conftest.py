"""Empty ledgers, one after the other, as many as a test has deaths to tell; and one that is lost and put back."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine

from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from tests.crash.shelf import Shelf
from tests.ledger_fixtures import EngineOf, fresh_copy
from tests.postgres_copies import DatabaseCopies

NewLedger = Callable[[], AbstractContextManager[Engine]]


@pytest.fixture(scope="session")
def sqlite_ledgers(sqlite_template: Path, sqlite_place: Path, engine_of: EngineOf) -> NewLedger:
    """Gives a migrated, empty ledger on SQLite at a time; whoever dies gives back its connections."""

    @contextmanager
    def new() -> Iterator[Engine]:
        with _disposed(engine_of(fresh_copy(sqlite_template, sqlite_place))) as engine:
            yield engine

    return new


@pytest.fixture(scope="session")
def postgresql_ledgers(postgresql_copies: DatabaseCopies, engine_of: EngineOf) -> NewLedger:
    """The same on PostgreSQL."""

    @contextmanager
    def new() -> Iterator[Engine]:
        with postgresql_copies.lent() as url, _disposed(engine_of(url)) as engine:
            yield engine

    return new


@contextmanager
def _disposed(engine: Engine) -> Iterator[Engine]:
    try:
        yield engine
    finally:
        engine.dispose()


@pytest.fixture
def shelf(tmp_path: Path, sqlite_template: Path, ledger_clock: Clock) -> Iterator[Shelf]:
    network = SandboxNetwork(ledger_clock)
    for handle in ("wright.test", "alice.test", "bob.test", "carol.test"):
        network.create_account(handle)
    with SandboxServer(network) as sandbox:
        shelf = Shelf(tmp_path, sqlite_template, ledger_clock, sandbox)
        yield shelf
        shelf.close()
