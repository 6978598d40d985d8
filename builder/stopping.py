"""Stopping in good order: a claim's work by reason, and the whole process by draining."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from threading import Event, Lock, Timer


class StopReason(StrEnum):
    """Why work on a claim has to end."""

    LOST = "lost"
    RELEASE = "release"
    NOT_WELCOME = "not_welcome"


class Stop:
    """A request to end the work on one claim; the first reason stands. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._reason: StopReason | None = None
        self._asked = Event()

    @property
    def reason(self) -> StopReason | None:
        """Why the work has to end, or None while it may go on."""
        return self._reason

    def ask(self, reason: StopReason) -> None:
        """Ask for the end of the work."""
        with self._lock:
            self._reason = self._reason or reason
        self._asked.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the request for at most so long; whether it came."""
        return self._asked.wait(seconds)


class Drain:
    """The end of the process: no new claim, the standing ones may finish within the grace time, then are released.

    Safe to use from any thread. Not to be called from inside a signal handler: its locks are not re-entrant.
    """

    def __init__(self, grace_seconds: float) -> None:
        self._grace_seconds = grace_seconds
        self._lock = Lock()
        self._begun = Event()
        self._over = False
        self._standing: set[Stop] = set()
        self._timer: Timer | None = None

    @property
    def begun(self) -> bool:
        """Whether no new work may be taken."""
        return self._begun.is_set()

    def begin(self) -> None:
        """Take no new work and start the grace time; a second call ends the grace time at once."""
        with self._lock:
            again = self._begun.is_set()
            self._begun.set()
            if not again:
                self._timer = Timer(self._grace_seconds, self._end_grace)
                self._timer.daemon = True
                self._timer.start()
        if again:
            self._end_grace()

    def wait(self, seconds: float) -> bool:
        """Wait for the drain to begin for at most so long; whether it has."""
        return self._begun.wait(seconds)

    @contextmanager
    def working(self) -> Iterator[Stop]:
        """The stop of one claim's work, asked to release when the grace time is over; any number stand at once."""
        stop = Stop()
        with self._lock:
            self._standing.add(stop)
            over = self._over
        if over:
            stop.ask(StopReason.RELEASE)
        try:
            yield stop
        finally:
            with self._lock:
                self._standing.discard(stop)

    def close(self) -> None:
        """Cancel the grace time's timer; the work is over."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()

    def _end_grace(self) -> None:
        with self._lock:
            self._over = True
            standing = tuple(self._standing)
        for stop in standing:
            stop.ask(StopReason.RELEASE)
