"""Listens to the live stream of posts in a thread of its own: the second source of mentions, beside notifications."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random

import structlog

from bot.addresses import shown
from bot.bluesky.errors import CallFailed
from bot.bluesky.jetstream import Connection, StreamFailed, connected
from bot.bluesky.session import Account
from bot.jobs.sitting import Pace, Sitting
from bot.ledger.conditions import STREAM
from bot.ledger.ledger import Ledger
from bot.ledger.sources import Position, microseconds
from guardrails.access import Caller
from guardrails.switches import Switch

LONGEST_WAIT = 60.0
# A connection that has brought events for so long was a good one: the next is called at once.
GOOD_SECONDS = 30.0
# Read anew so long before the place that was noted: what is known already is passed over.
REWIND_US = 10_000_000
log = structlog.get_logger()


@dataclass(frozen=True)
class StreamState:
    """How the listening goes: whether a connection brings events, since when the last has come, and what came."""

    brings: bool
    silent_seconds: float | None
    counts: dict[str, int]


class Stream:
    """The live stream at one address, read while this process does the rounds and reading is not paused.

    `heard` is called when new documents came of it. Until then, and without it, notifications are read as ever.
    """

    def __init__(
        self,
        url: str,
        ledger: Ledger,
        account: Callable[[], Account],
        caller: Caller,
        stale_before: datetime,
        heard: Callable[[], object],
        *,
        resting: Callable[[], bool],
        silence_seconds: float,
        random: Random,
        pace: Pace | None = None,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._ledger = ledger
        self._account = account
        self._caller = caller
        self._stale_before = stale_before
        self._heard = heard
        self._resting = resting
        self._random = random
        self._pace = replace(pace or Pace(), silence=silence_seconds)
        self._steady = steady
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._listen_on, name="stream", daemon=True)
        self._counts: Counter[str] = Counter()
        self._sitting: Sitting | None = None
        self._last_event: float | None = None

    def start(self) -> None:
        """Listen from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Listen no more; what was taken in is stored. Safe to repeat."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def state(self) -> StreamState:
        """How it goes now, for metrics; from any thread."""
        sitting = self._sitting
        last = sitting.last_event if sitting is not None and sitting.last_event is not None else self._last_event
        silent = self._steady() - last if last is not None else None
        brings = sitting is not None and sitting.last_event is not None
        return StreamState(brings, silent, dict(self._counts))

    def _listen_on(self) -> None:
        failures, wait = 0, 0.0
        while not self._ended.wait(wait):
            began = self._steady()
            try:
                self._listen()
                failures = 0
            except Exception as problem:
                good = self._last_event is not None and self._last_event - began >= GOOD_SECONDS
                failures = 1 if good else failures + 1
                self._tell(problem)
            wait = self._wait(failures)

    def _listen(self) -> None:
        """Listen on one connection until it is time to rest; raises what ends it before."""
        if self._is_resting():
            return
        account = self._account()
        place = self._ledger.sources.position(self._name)
        with connected(self._url, max((place or self._first_place()) - REWIND_US, 0)) as connection:
            sitting = Sitting(
                self._name,
                self._ledger,
                account,
                self._caller,
                self._stale_before,
                self._heard,
                self._pace,
                self._counts,
                place,
            )
            self._sitting = sitting
            try:
                self._sit(sitting, connection)
            finally:
                self._last_event = sitting.last_event or self._last_event
                self._sitting = None

    def _sit(self, sitting: Sitting, connection: Connection) -> None:
        now = self._steady()
        sitting.begin(now)
        while True:
            frame = connection.next(sitting.wait(now))
            now = self._steady()
            sitting.take(frame, now)
            # What comes all at once is asked about together.
            if sitting.is_due(now, waiting=frame is not None):
                if self._is_resting():
                    return
                sitting.settle(self._steady)
                now = self._steady()

    def _is_resting(self) -> bool:
        """While reading is paused nothing is dropped: the place in the stream stays where it is."""
        return self._ended.is_set() or self._resting() or self._ledger.desk.is_on(Switch.PAUSE_INGEST)

    def _first_place(self) -> int:
        """A stream that was never read is read from now on, whenever a connection comes about."""
        place = microseconds(self._ledger.db.time())
        self._ledger.sources.move_on(Position(self._name, place))
        return place

    @property
    def _name(self) -> str:
        """A place is good for this address only; what is secret in it is not kept."""
        return f"stream:{shown(self._url)}"

    def _wait(self, failures: int) -> float:
        """How long to wait before the next connection: longer with each failure, and not as long as others do."""
        if failures == 0:
            return self._pace.tick
        longest = min(self._pace.first_wait * (1 << min(failures - 1, 10)), LONGEST_WAIT)
        return longest * (1 - self._random.random() / 2)

    def _tell(self, problem: Exception) -> None:
        expected = isinstance(problem, StreamFailed | CallFailed)
        told = str(problem) if expected else type(problem).__name__
        log.warning("stream_lost", error=told if expected else f"{told}: {problem}")
        if self._resting():
            # Whoever has the rounds by now tells how the stream is.
            return
        try:
            self._ledger.conditions.set(STREAM, f"the live stream brings nothing: {told}")
        except Exception as away:
            # Whatever keeps the ledger away is told of by whoever needs it.
            log.warning("stream_not_noted", error=type(away).__name__)
