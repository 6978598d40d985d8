"""Ledgers to measure: as durable as in production, on a disk and not in memory, and gone afterwards."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from bot.clock import Clock
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.schema import migrate
from tests.ledger_fixtures import slug_for
from tests.postgres import PostgresServer, running_postgres

SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"


@dataclass
class Places:
    """Where ledgers and other databases are made; each has a name of its own."""

    folder: Path
    server: PostgresServer
    made: list[str] = field(default_factory=list)

    def url(self, backend: str, name: str) -> str:
        """The address of a new, empty database."""
        if backend == SQLITE:
            return f"sqlite:///{self.folder / name}.db"
        return self._create(name)

    def conninfo(self, name: str) -> str:
        """The address of a new, empty database on PostgreSQL, as libpq takes it."""
        self._create(name)
        return self.server.conninfo(name)

    def copy(self, backend: str, name: str, of: str) -> str:
        """The address of a new database like another one, to which nobody may be connected."""
        if backend == SQLITE:
            copyfile(self.folder / f"{of}.db", self.folder / f"{name}.db")
            return f"sqlite:///{self.folder / name}.db"
        return self._create(name, of)

    @contextmanager
    def ledger(self, backend: str, name: str, of: str | None = None) -> Iterator[Ledger]:
        """A new ledger, empty or like another one that is closed."""
        url = self.url(backend, name) if of is None else self.copy(backend, name, of)
        ledger = open_ledger(url, Clock(), LedgerPolicy(), slug_for)
        try:
            if of is None:
                migrate(ledger.db)
            yield ledger
        finally:
            ledger.close()

    def leave(self) -> None:
        """Drop what was made on a server that stays."""
        for name in self.made:
            self.server.drop_database(name)

    def _create(self, name: str, of: str | None = None) -> str:
        self.made.append(name)
        return self.server.create_database(name, of)


@contextmanager
def places() -> Iterator[Places]:
    """A folder and a PostgreSQL server, for one bench."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="skywright-bench-"))
        yield Places(Path(folder), stack.enter_context(running_postgres(durable=True)))
