"""A machine that starts the bot again whenever it died."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from bot.bluesky.errors import CallFailed
from bot.clock import Clock
from bot.ledger.engine import Database
from bot.ledger.ledger import Ledger
from bot.rounds import Bot
from bot.settings import Settings
from tests.crash.ports import Died, Fate
from tests.ledger_fixtures import slug_for

T = TypeVar("T")
MOST_STARTS = 100


@dataclass
class Process:
    """One process of the bot: its own connections to the ledger, its own account."""

    ledger: Ledger
    bot: Bot

    def close(self) -> None:
        self.bot.close()
        self.ledger.close()


@dataclass
class Host:
    """Runs the bot as a supervisor does, each process over a database of its own; the next comes after an outage."""

    database: Callable[[], Database]
    clock: Clock
    settings: Settings
    fate: Fate
    outage: timedelta = timedelta()
    process: Process | None = None
    starts: int = 0

    def run(self, step: Callable[[Process], T], at_death: Callable[[], object] = lambda: None) -> T:
        """The step's result, by whichever process gets to its end."""
        while self.starts < MOST_STARTS:
            with suppress(Died):
                if self.process is None:
                    self.process = self._start()
                try:
                    return step(self.process)
                except CallFailed:
                    self._wait()
                    continue
            self._bury()
            at_death()
        raise AssertionError("the bot is started again and again and gets nowhere")

    def end(self) -> None:
        """The process is thrown away, with whatever it knew."""
        if self.process is not None:
            self.process.close()
            self.process = None

    def _bury(self) -> None:
        self.end()
        self.fate.next_process()
        self.clock.shift += self.outage

    def _wait(self) -> None:
        """As when a login died with its process, and the next one has to wait: the job's next round comes later."""
        assert self.fate.deaths
        self.starts += 1
        self.clock.shift += timedelta(minutes=2)

    def _start(self) -> Process:
        self.starts += 1
        ledger = Ledger(self.database(), self.settings.policy, slug_for)
        try:
            # Whoever speaks while the first process is still coming up is answered, too.
            return Process(ledger, Bot(self.settings, ledger, self.clock, since=timedelta(hours=1)))
        except Died:
            ledger.close()
            raise
