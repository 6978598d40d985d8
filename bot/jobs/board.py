"""What the jobs are doing: when each last succeeded, what it last failed with, since when it runs."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

log = structlog.get_logger()


@dataclass(frozen=True)
class JobState:
    """One job as it stands. A job is late when its last success is older than three intervals and a deadline.

    `running_from` is a steady clock's reading: the time of day jumps when a machine wakes up or its clock is set.
    """

    interval_seconds: float
    deadline_seconds: float
    started_at: datetime
    last_success: datetime | None = None
    last_error: str | None = None
    running_since: datetime | None = None
    running_from: float | None = None
    runs: int = 0
    last_result: str = ""

    def age(self, now: datetime) -> timedelta:
        """Since when it has not succeeded."""
        return now - (self.last_success or self.started_at)

    def is_late(self, now: datetime) -> bool:
        """Whether its last success is too long ago."""
        return self.age(now).total_seconds() > 3 * self.interval_seconds + self.deadline_seconds


class JobBoard:
    """Runs jobs and keeps their states; safe to read from other threads."""

    def __init__(self, now: Callable[[], datetime], steady: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._steady = steady
        self._lock = threading.Lock()
        self._states: dict[str, JobState] = {}

    def add(self, name: str, interval_seconds: float, deadline_seconds: float) -> None:
        """Make a job known before its first run, so that one that never runs is late too."""
        with self._lock:
            self._states[name] = JobState(interval_seconds, deadline_seconds, self._now())

    def run(self, name: str, job: Callable[[], object]) -> None:
        """Run a job once. What it raises is logged and shown, and never ends the scheduler."""
        self._note(name, running_since=self._now(), running_from=self._steady())
        try:
            result = job()
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            log.warning("job_failed", job=name, error=told)
            self._over(name, last_error=told)
        else:
            self._over(name, last_error=None, last_success=self._now(), last_result=str(result))

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

    def _over(self, name: str, **changes: object) -> None:
        self._note(name, more=1, running_since=None, running_from=None, **changes)

    def _note(self, name: str, more: int = 0, **changes: object) -> None:
        with self._lock:
            state = self._states[name]
            self._states[name] = replace(state, runs=state.runs + more, **changes)  # type: ignore[arg-type]
