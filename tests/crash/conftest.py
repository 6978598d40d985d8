"""Empty ledgers, one after the other, as many as a test has deaths to tell; and one that is lost and put back."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from shutil import copyfile

import pytest
from sqlalchemy import Engine

from bot.clock import Clock
from bot.ledger.engine import open_database
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from tests.crash.shelf import Shelf
from tests.postgres import PostgresServer

NewLedger = Callable[[], AbstractContextManager[Engine]]


@pytest.fixture(scope="session")
def sqlite_ledgers(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> NewLedger:
    """Gives a migrated, empty ledger on SQLite at a time.

    One engine for all of them, for what it has compiled; whoever dies gives back its connections.
    """
    path = tmp_path_factory.mktemp("crash") / "ledger.db"
    engine = open_database(f"sqlite:///{path}", Clock()).engine

    @contextmanager
    def new() -> Iterator[Engine]:
        for part in ("", "-wal", "-shm"):
            path.with_name(path.name + part).unlink(missing_ok=True)
        copyfile(sqlite_template, path)
        try:
            yield engine
        finally:
            engine.dispose()

    return new


@pytest.fixture(scope="session")
def postgresql_ledgers(pg_server: PostgresServer, postgresql_template: str) -> NewLedger:
    """The same on PostgreSQL."""
    name = "crash_ledger"
    engine = open_database(pg_server.url(name), Clock()).engine

    @contextmanager
    def new() -> Iterator[Engine]:
        pg_server.create_database(name, postgresql_template)
        try:
            yield engine
        finally:
            engine.dispose()
            pg_server.drop_database(name)

    return new


@pytest.fixture
def shelf(tmp_path: Path, sqlite_template: Path, ledger_clock: Clock) -> Iterator[Shelf]:
    network = SandboxNetwork(ledger_clock)
    for handle in ("wright.test", "alice.test", "bob.test", "carol.test"):
        network.create_account(handle)
    with SandboxServer(network) as sandbox:
        shelf = Shelf(tmp_path, sqlite_template, ledger_clock, sandbox)
        yield shelf
        shelf.close()
