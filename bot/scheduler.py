"""Wakes the jobs. Their state is in the ledger, so a tick that is lost is a tick late and no more."""

import logging
import threading
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger

from bot.jobs.board import JobBoard

log = structlog.get_logger()


@dataclass(frozen=True)
class Job:
    """A job to be woken: its name, how often, the longest that it may take, what it does, and when it may.

    One that may not begin rests until it may, and is not late.
    """

    name: str
    interval_seconds: float
    deadline_seconds: float
    run: Callable[[], object]
    may: Callable[[], bool] = lambda: True


class Scheduler:
    """Runs each job on its interval, never twice at once; a missed tick runs late rather than never."""

    def __init__(self, jobs: Iterable[Job], board: JobBoard) -> None:
        jobs = list(jobs)
        self._board = board
        self._again: set[str] = set()
        self._drained = threading.Event()
        # A run that takes longer than its interval is no news, and one that hangs is the watchdog's.
        quiet = logging.getLogger("skywright.scheduler")
        quiet.setLevel(logging.ERROR)
        self._scheduler = BackgroundScheduler(
            logger=quiet,
            timezone=UTC,
            executors={"default": ThreadPoolExecutor(max(len(jobs), 1))},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        for job in jobs:
            board.add(job.name, job.interval_seconds, job.deadline_seconds)
            self._scheduler.add_job(
                self._woken,
                _Every(seconds=job.interval_seconds, timezone=UTC),
                args=(job,),
                id=job.name,
                next_run_time=datetime.now(UTC),
            )

    def start(self) -> None:
        """Wake every job now, and then on its interval."""
        self._scheduler.start()
        self._board.open()

    def wake(self, names: Collection[str] | None = None) -> None:
        """Wake these jobs now, without any every job, and then on their intervals again; one that runs runs again."""
        for job in self._scheduler.get_jobs():
            if names is None or job.id in names:
                self._again.add(job.id)
                with suppress(JobLookupError):  # it is drained meanwhile
                    job.modify(next_run_time=datetime.now(UTC))

    def drain(self) -> None:
        """No new run; what runs finishes first. Safe to repeat."""
        self._drained.set()
        self._board.close()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=True)

    def _woken(self, job: Job) -> None:
        while True:
            self._again.discard(job.name)
            if job.may():
                self._board.run(job.name, job.run)
            else:
                self._board.rest(job.name)
            # Whoever wakes it while it runs means what it may have passed by already.
            if job.name not in self._again or self._drained.is_set():
                return


class _Every(IntervalTrigger):  # type: ignore[misc] # APScheduler ships no types
    """An interval whose missed ticks are not counted: after a clock was put forward they may be millions."""

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """The next tick that is not past."""
        on_time: datetime = super().get_next_fire_time(previous_fire_time, now)
        return on_time if on_time > now else now + timedelta(seconds=self.interval_length)


def look_for_hanging(board: JobBoard, end: Callable[[str], None]) -> Callable[[], bool]:
    """A look that ends the process when a job outlives its deadline, also while it drains.

    The supervisor starts it again, the ledger knows the rest.
    """

    def look() -> bool:
        stuck = board.stuck()
        if stuck:
            log.critical("job_stuck", jobs=stuck)
            end(", ".join(stuck))
        return not stuck

    return look
