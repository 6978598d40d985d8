"""A bot's ledger as a file that is copied, lost and put back, while the network goes on."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from bot.clock import Clock
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.documents import POST_COLLECTION, StrongRef
from guardrails.transitions import Status
from tests.ledger_fixtures import slug_for
from tests.scenarios.stages import we_say
from tests.scenarios.world import World, settings_for

MOST_BUILDS = 20


class Shelf:
    """The file `ledger.db`, the copies beside it, and the world over whatever lies there now."""

    def __init__(self, folder: Path, empty: Path, clock: Clock, sandbox: SandboxServer) -> None:
        self.clock = clock
        self.copies = 0
        self._file = folder / "ledger.db"
        self._empty = empty
        self._sandbox = sandbox
        self._settings = settings_for(sandbox, hold_reply_hours=24 * 30)
        self._put(empty)
        self.world = self._world()
        self.world.start()

    @property
    def network(self) -> SandboxNetwork:
        return self._sandbox.network

    def copy(self) -> Path:
        """A copy of the ledger as it is now, as a backup makes one."""
        self.copies += 1
        kept = self._file.with_name(f"copy-{self.copies}.db")
        with closing(sqlite3.connect(self._file)) as here, closing(sqlite3.connect(kept)) as there:
            here.backup(there)
        return kept

    def put_back(self, copy: Path, *, since: timedelta = timedelta()) -> World:
        """The process is gone; the next one starts over the copy."""
        self.close()
        self._put(copy)
        self.world = self._world()
        self.world.claims = 1000 * self.copies  # lanes know nothing of it, and never use an id twice
        if since:
            self.world.restart(since=since)
        return self.world

    def lose(self, *, since: timedelta = timedelta()) -> World:
        """The same over an empty ledger."""
        self.copies += 1
        return self.put_back(self._empty, since=since)

    def go_on(self) -> None:
        """Everybody does what there is to do, until nothing is left; twice, with a restart between."""
        for _ in range(2):
            self.world.bot.ingest()
            self.world.bot.sweep()
            self.world.bot.judge()
            self._lanes_build()
            self.world.until_settled()
            self.world.bot.speak()
            self.world.restart()

    def answers(self) -> list[str]:
        """What was answered: the parents of the bot's posts, one for each."""
        repo = self.network.repo(self.network.account("wright.test").did, POST_COLLECTION)
        return sorted(entry["value"]["reply"]["parent"]["uri"] for entry in repo if "reply" in entry["value"])

    def bot_says(self, text: str, reply_to: StrongRef | None = None, link: str | None = None) -> StrongRef:
        """A post in the bot's repository of which no ledger knows; a link makes it an answer."""
        return we_say(self.world, text, reply_to, link)

    def close(self) -> None:
        """The process is gone."""
        self.world.bot.close()
        self.world.ledger.close()

    def _lanes_build(self) -> None:
        for _ in range(MOST_BUILDS):
            counts = self.world.ledger.pages.counts()
            if not counts[Status.PENDING_BUILD] + counts[Status.BUILDING]:
                return
            if not counts[Status.PENDING_BUILD]:
                self.clock.shift += timedelta(minutes=3)  # what is left is under the lease of a lane that is gone
            self.world.lane_builds()
        raise AssertionError("there is always something left to build")

    def _put(self, copy: Path) -> None:
        for part in ("", "-wal", "-shm"):
            self._file.with_name(self._file.name + part).unlink(missing_ok=True)
        self._file.write_bytes(copy.read_bytes())

    def _world(self) -> World:
        return World(self._ledger(), self.clock, self._sandbox, self._settings)

    def _ledger(self) -> Ledger:
        return open_ledger(f"sqlite:///{self._file}", self.clock, LedgerPolicy(), slug_for)
