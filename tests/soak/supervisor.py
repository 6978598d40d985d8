"""Keeps bots and lanes running as a supervisor does, and kills them at moments dealt from a seed."""

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from enum import StrEnum

import psutil

from tests.scenarios.processes import Program
from tests.soak.faulty_proxy import FaultyProxy
from tests.soak.restarts import Restarts


class Victim(StrEnum):
    """Who is killed, and when."""

    BOT = "a bot"
    BOTS_AT_COMMIT = "every bot between a commit and its answer"
    LANE = "a lane"


def was_turned_away(said: str) -> bool:
    """Whether a bot found no database before it had begun; what it said of its calls until then is no matter."""
    *before, last = said.strip().splitlines() or [""]
    return last.startswith("the ledger does not answer: ") and not any("] running " in line for line in before)


class Kept:
    """A program that is started anew whenever it has ended."""

    def __init__(self, name: str, start: Callable[[], Program]) -> None:
        self.name = name
        self._start = start
        self.program = start()
        self.turned_away = 0
        self._killed = False

    def kill(self) -> bool:
        """Kill it without a word of warning; False when it has ended already."""
        if self.program.has_ended:
            return False
        try:
            self.program.send(signal.SIGKILL)
        except (psutil.NoSuchProcess, ValueError):
            return False
        self._killed = True
        return True

    def keep_up(self, *, is_restarted: bool) -> str | None:
        """Start it again if it has ended; what it said last when nobody had killed it.

        Where the database `is_restarted`, one that was turned away by it is counted instead.
        """
        if not self.program.has_ended:
            return None
        said = self._last_words()
        if said and is_restarted and was_turned_away(self.program.said):
            self.turned_away += 1
            said = None
        self._killed = False
        self.program = self._start()
        return said

    def stop(self) -> str | None:
        """Ask it to end; what it said last when it ended otherwise than asked."""
        if not self.program.has_ended and not self.program.stop():
            return None
        return self._last_words()

    def _last_words(self) -> str | None:
        said = f"{self.name} ended with {self.program.status()}: {self.program.said[-1000:]}"
        return None if self._killed else said


class Supervisor:
    """`kills` moments, about `pace` seconds apart; in every five of them is each victim at least once.

    The database is restarted beside that, where `restarts` are given. A bot that finds no database when it begins ends,
    as it should, and is begun again: it is counted in `turned_away`.
    """

    def __init__(
        self,
        seed: int,
        bots: list[Kept],
        lanes: list[Kept],
        proxy: FaultyProxy,
        kills: int,
        pace: float,
        restarts: Restarts | None = None,
    ) -> None:
        self._random = random.Random(f"{seed} kills")
        self._bots, self._lanes, self._proxy = bots, lanes, proxy
        self._left, self._pace, self._restarts = kills, pace, restarts
        self._deck: list[Victim] = []
        self._next = time.monotonic() + self._pause()
        self._lock = threading.Lock()
        self.killed: Counter[Victim] = Counter()
        self.ended: list[str] = []

    @property
    def is_done(self) -> bool:
        """Whether everybody was killed who was to be, and the database restarted as often as it was to be."""
        return not self._left and (self._restarts is None or self._restarts.is_done)

    @property
    def turned_away(self) -> int:
        """How often a bot found no database when it began."""
        return sum(kept.turned_away for kept in self._bots)

    @property
    def restarts(self) -> int:
        """How often the database was restarted."""
        return self._restarts.done if self._restarts else 0

    def look(self) -> None:
        """Start what has ended, and kill if it is time."""
        if self._restarts is not None:
            self._restarts.look()
        with self._lock:
            kept = self._bots + self._lanes
            self.ended += [said for each in kept if (said := each.keep_up(is_restarted=self.restarts > 0))]
        if self._left and time.monotonic() >= self._next:
            self._left -= 1
            self._next = time.monotonic() + self._pause()
            self._kill(self._drawn())

    def stop(self) -> None:
        """Ask everybody to end; nobody is killed any more."""
        self._proxy.at_next_commit(None)
        with self._lock:
            self.ended += [said for kept in self._lanes + self._bots if (said := kept.stop())]

    def _kill(self, victim: Victim) -> None:
        match victim:
            case Victim.BOT:
                self._end([self._random.choice(self._bots)], victim)
            case Victim.LANE:
                self._end([self._random.choice(self._lanes)], victim)
            case Victim.BOTS_AT_COMMIT:
                self._proxy.at_next_commit(lambda: self._end(self._bots, victim))

    def _end(self, these: list[Kept], victim: Victim) -> None:
        with self._lock:
            self.killed[victim] += sum(kept.kill() for kept in these)

    def _drawn(self) -> Victim:
        if not self._deck:
            self._deck = [Victim.BOT, Victim.BOT, Victim.BOTS_AT_COMMIT, Victim.BOTS_AT_COMMIT, Victim.LANE]
            self._random.shuffle(self._deck)
        return self._deck.pop()

    def _pause(self) -> float:
        return self._pace * self._random.uniform(0.5, 1.5)
