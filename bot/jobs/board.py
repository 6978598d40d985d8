"""What the jobs are doing: when each last succeeded, what it last failed with, since when it runs."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from bot.logs import about

_MOMENTS = ("started_at", "last_success", "last_end", "running_since")
log = structlog.get_logger()


@dataclass(frozen=True)
class JobState:
    """One job as it stands. A job is late when its last success is older than three intervals and a deadline.

    It is woken as it should be while it runs, or has ended in that time, be it with a failure. `running_from` is a
    steady clock's reading: the time of day jumps when a machine wakes up or its clock is set.
    """

    interval_seconds: float
    deadline_seconds: float
    started_at: datetime
    last_success: datetime | None = None
    last_error: str | None = None
    last_end: datetime | None = None
    running_since: datetime | None = None
    running_from: float | None = None
    runs: int = 0
    failures: int = 0
    last_result: str = ""

    def age(self, now: datetime) -> timedelta:
        """Since when it has not succeeded."""
        return now - (self.last_success or self.started_at)

    def is_late(self, now: datetime) -> bool:
        """Whether its last success is too long ago."""
        return self._is_long(self.age(now))

    def is_woken(self, now: datetime) -> bool:
        """Whether it runs as often as it should; how its runs end is another question."""
        return self.running_since is not None or not self._is_long(now - (self.last_end or self.started_at))

    def _is_long(self, age: timedelta) -> bool:
        return age.total_seconds() > 3 * self.interval_seconds + self.deadline_seconds


class JobBoard:
    """Runs jobs and keeps their states; safe to read from other threads."""

    def __init__(self, now: Callable[[], datetime], steady: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._steady = steady
        self._lock = threading.Lock()
        self._states: dict[str, JobState] = {}
        self._open = False

    @property
    def is_open(self) -> bool:
        """Whether jobs are woken: from the scheduler's start until it drains."""
        return self._open

    def open(self) -> None:
        """Jobs are woken from now on."""
        self._open = True

    def close(self) -> None:
        """No job is woken any more."""
        self._open = False

    def add(self, name: str, interval_seconds: float, deadline_seconds: float) -> None:
        """Make a job known before its first run, so that one that never runs is late too."""
        with self._lock:
            self._states[name] = JobState(interval_seconds, deadline_seconds, self._now())

    def run(self, name: str, job: Callable[[], object]) -> None:
        """Run a job once. What it raises is logged and shown, and never ends the scheduler."""
        self._note(name, running_since=self._now(), running_from=self._steady())
        with about(job=name):
            try:
                result = job()
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
                log.warning("job_failed", error=told)
                self._over(name, failed=1, last_error=told)
            else:
                self._over(name, last_error=None, last_success=self._now(), last_result=str(result))

    def rest(self, name: str) -> None:
        """A job was woken and is not to run here now: what it did before is past, and it is not late."""
        now = self._now()
        self._note(name, started_at=now, last_success=None, last_error=None, last_end=now)

    def shift(self, by: timedelta) -> None:
        """The time of day was set by so much: how old what is known is stays as it was."""
        with self._lock:
            for name, state in self._states.items():
                moved = {each: at + by for each in _MOMENTS if (at := getattr(state, each)) is not None}
                self._states[name] = replace(state, **moved)

    def snapshot(self) -> Mapping[str, JobState]:
        """Every job's state, by name."""
        with self._lock:
            return dict(self._states)

    def stuck(self) -> list[str]:
        """The jobs that have outlived their deadline."""
        now = self._steady()
        return [
            name
            for name, state in self.snapshot().items()
            if state.running_from is not None and now - state.running_from > state.deadline_seconds
        ]

    def _over(self, name: str, failed: int = 0, **changes: object) -> None:
        over = {"running_since": None, "running_from": None, "last_end": self._now()}
        self._note(name, more=1, failed=failed, **over, **changes)

    def _note(self, name: str, more: int = 0, failed: int = 0, **changes: object) -> None:
        with self._lock:
            state = self._states[name]
            counted = replace(state, runs=state.runs + more, failures=state.failures + failed)
            self._states[name] = replace(counted, **changes)  # type: ignore[arg-type]
