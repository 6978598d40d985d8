"""Ticks wake jobs: none at the same time as itself, none lost for being late, none stopped by a failure."""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from bot.clock import Clock
from bot.jobs.board import JobBoard
from bot.lookout import Lookout
from bot.scheduler import Job, Scheduler, look_for_hanging
from tests.waiting import until

INTERVAL = 0.05
# APScheduler by itself forgets a tick that comes more than a second late.
LATE = 1.2


IN_LOS_ANGELES = """
from datetime import UTC, datetime
from bot.jobs.board import JobBoard
from bot.scheduler import Job, Scheduler

scheduler = Scheduler([Job("poll", 5, 20, print)], JobBoard(lambda: datetime.now(UTC)))
before = datetime(2026, 3, 8, 9, 59, 58, tzinfo=UTC)
trigger = scheduler._scheduler.get_job("poll").trigger
print(before.astimezone().tzname(), trigger.get_next_fire_time(before, before))
"""


@dataclass
class Work:
    """A job that can be held up, and counts."""

    gate: threading.Event = field(default_factory=threading.Event)
    begun: int = 0
    ended: int = 0

    def __call__(self) -> None:
        self.begun += 1
        assert self.gate.wait(20)
        self.ended += 1


@pytest.fixture
def board() -> JobBoard:
    return JobBoard(Clock())


@pytest.fixture
def start(board: JobBoard) -> Iterator[Callable[..., Scheduler]]:
    """Starts jobs, and stops them at the end."""
    started: list[Scheduler] = []

    def start(late_by: float = 0.0, interval: float = INTERVAL, **jobs: Callable[[], object]) -> Scheduler:
        scheduler = Scheduler([Job(name, interval, 20, run) for name, run in jobs.items()], board)
        due = time.monotonic()
        until(lambda: time.monotonic() > due + late_by)
        scheduler.start()
        started.append(scheduler)
        return scheduler

    yield start
    for scheduler in started:
        scheduler.drain()


def test_a_job_is_never_at_work_twice(
    start: Callable[..., Scheduler], board: JobBoard, caplog: pytest.LogCaptureFixture
) -> None:
    """Ticks that come meanwhile wait for the end of the run, hold up nobody else, and are no news."""
    held = Work()
    with caplog.at_level(logging.DEBUG):
        start(held=held, other=lambda: None)
        until(lambda: board.snapshot()["other"].runs >= 4)
        begun = held.begun
        held.gate.set()
        until(lambda: held.begun > 1)

    assert 1 == begun
    assert [] == [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_late_tick_is_a_tick_all_the_same(start: Callable[..., Scheduler]) -> None:
    """A job that is due once an hour, and could not run for a second, runs at once and not an hour later."""
    work = Work()
    work.gate.set()
    start(late_by=LATE, interval=3600, work=work)

    assert until(lambda: work.ended)


def test_ticks_that_were_missed_are_one_run(start: Callable[..., Scheduler]) -> None:
    """After a second in which nothing ran, there is no burst."""
    work = Work()
    work.gate.set()
    scheduler = start(late_by=LATE, work=work)
    until(lambda: work.ended)
    scheduler.drain()

    assert work.ended < LATE / INTERVAL / 2


def test_a_job_that_fails_is_woken_again(start: Callable[..., Scheduler], board: JobBoard) -> None:
    """What it raises ends the run and nothing else."""

    def fail() -> None:
        raise ValueError("no such luck")

    start(fails=fail)
    until(lambda: board.snapshot()["fails"].runs >= 3)

    assert "ValueError: no such luck" == board.snapshot()["fails"].last_error


def test_a_job_that_may_not_begin_rests_until_it_may(board: JobBoard) -> None:
    """Woken as ever, it is not late, and what it did before is past; once it may, it is woken at once."""
    may, work = [False], Work()
    work.gate.set()
    scheduler = Scheduler([Job("work", 3600, 20, work, may=lambda: may[0])], board)
    board.run("work", lambda: 1 / 0)
    scheduler.start()
    until(lambda: board.snapshot()["work"].last_error is None)
    rested = board.snapshot()["work"]
    assert 0 == work.begun
    assert (True, False) == (rested.is_woken(Clock()()), rested.is_late(Clock()()))

    may[0] = True
    scheduler.wake()
    until(lambda: work.ended)
    scheduler.drain()
    scheduler.wake()
    assert 1 == work.begun


def test_draining_lets_a_run_finish_and_begins_no_other(start: Callable[..., Scheduler]) -> None:
    """When it returns nothing is at work any more."""
    work = Work()
    scheduler = start(work=work)
    until(lambda: work.begun)
    draining = threading.Thread(target=scheduler.drain)
    draining.start()
    draining.join(INTERVAL)
    waits = draining.is_alive()
    work.gate.set()
    draining.join()

    assert (True, 1, 1) == (waits, work.begun, work.ended)


def test_the_clocks_going_forward_change_nothing() -> None:
    """In Los Angeles, the tick after 01:59:58 on 2026-03-08 is 5 seconds later, not an hour and 5 seconds."""
    env = {"PATH": os.environ["PATH"], "TZ": "America/Los_Angeles"}
    asked = subprocess.run([sys.executable, "-c", IN_LOS_ANGELES], env=env, capture_output=True, text=True, check=True)

    assert "PST 2026-03-08 10:00:03+00:00\n" == asked.stdout


def test_a_month_that_was_skipped_is_one_tick(board: JobBoard) -> None:
    """Of a clock that was put forward: to count them all would stop every job for a minute."""
    scheduler = Scheduler([Job("tick", 1, 20, print)], board)
    job, now = scheduler._scheduler.get_job("tick"), datetime.now(UTC)
    due = now - timedelta(days=30)
    job._modify(next_run_time=due)

    assert [due] == job._get_run_times(now)
    assert now + timedelta(seconds=1) == job.trigger.get_next_fire_time(due, now)


def test_the_watchdog_ends_the_process_when_a_job_hangs() -> None:
    """It says which one, and says it once."""
    steady = [1000.0]
    board = JobBoard(Clock(), lambda: steady[0])
    ends: list[str] = []
    ended = threading.Event()

    def end(jobs: str) -> None:
        ends.append(jobs)
        ended.set()

    for name in ("ingest", "reply"):
        board.add(name, 5, 20)
    work = Work()
    hanging = threading.Thread(target=board.run, args=("reply", work))
    hanging.start()
    until(lambda: work.begun)
    watchdog = Lookout("watchdog", look_for_hanging(board, end), every_seconds=0.01)
    watchdog.start()
    steady[0] += 21
    assert ended.wait(20)
    watchdog.stop()
    work.gate.set()
    hanging.join()

    assert ["reply"] == ends


def test_the_watchdog_lets_work_in_time_alone() -> None:
    """Until it is stopped it looks again and again."""
    looks: list[float] = []

    def steady() -> float:
        looks.append(0.0)
        return 1000.0

    board = JobBoard(Clock(), steady)
    board.add("reply", 5, 20)
    work = Work()
    busy = threading.Thread(target=board.run, args=("reply", work))
    busy.start()
    ends: list[str] = []
    watchdog = Lookout("watchdog", look_for_hanging(board, ends.append), every_seconds=0.01)
    watchdog.start()
    until(lambda: len(looks) > 3)
    watchdog.stop()
    work.gate.set()
    busy.join()

    assert [] == ends


def test_a_job_that_is_woken_runs_at_once_and_again_if_it_ran(start: Callable[..., Scheduler]) -> None:
    """What it was woken for may be what it had passed by already; nobody else is woken."""
    work, other = Work(), Work()
    other.gate.set()
    scheduler = start(interval=3600, work=work, other=other)
    until(lambda: work.begun and other.ended)
    scheduler.wake({"work", "no job"})
    scheduler.wake({"work"})
    work.gate.set()
    until(lambda: work.ended >= 2)
    scheduler.wake({"work"})
    until(lambda: work.ended >= 3)

    assert 1 == other.ended
