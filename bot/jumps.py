"""Notices that the time of day was set: what waits for a moment of it would wait for as long as it was put back."""

import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

# What a look itself may take, and what a clock that is kept by slowing it down drifts by between two of them.
SMALL = timedelta(seconds=1)
log = structlog.get_logger()


class Jumps:
    """Compares the time of day with a steady clock, and tells by how much the former was set."""

    def __init__(self, now: Callable[[], datetime], steady: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._steady = steady
        self._zero = self._beginning()

    def look(self) -> timedelta | None:
        """By how much the clock was set since the last look, forwards or back; None where it was not."""
        zero = self._beginning()
        by, self._zero = zero - self._zero, zero
        return by if abs(by) > SMALL else None

    def _beginning(self) -> datetime:
        """When the steady clock stood at nought, by the time of day: always the same, unless that is set."""
        return self._now() - timedelta(seconds=self._steady())


class JumpWatch:
    """Looks for jumps in a thread of its own, and says of each by how much the clock was set."""

    def __init__(self, jumps: Jumps, jumped: Callable[[timedelta], None], every_seconds: float = 1.0) -> None:
        self._jumps = jumps
        self._jumped = jumped
        self._every = every_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="jumps", daemon=True)

    def start(self) -> None:
        """Watch from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more."""
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(self._every):
            by = self._jumps.look()
            if by is not None:
                log.warning("clock_jumped", seconds=round(by.total_seconds(), 1), mend="let it keep time (NTP)")
                self._jumped(by)
