"""The time of day is set: by how much is told, and nothing is older or newer for it."""

from datetime import timedelta

import pytest

from bot.jobs.board import JobBoard
from bot.jumps import Jumps, JumpWatch
from tests.clock import Clock
from tests.waiting import until

DAY = timedelta(days=1)


class Times:
    """A time of day, and a steady clock beside it."""

    def __init__(self) -> None:
        self.day = Clock()
        self.steady = 100.0

    def go_on(self, seconds: float) -> None:
        self.day.advance(seconds)
        self.steady += seconds


@pytest.fixture
def times() -> Times:
    return Times()


def test_time_that_goes_by_is_no_jump(times: Times) -> None:
    """However much of it, nor is a clock that is kept by slowing it down."""
    jumps = Jumps(times.day, lambda: times.steady)
    times.go_on(1)
    first = jumps.look()
    times.go_on(86_400)
    times.day.advance(0.4)

    assert [None, None] == [first, jumps.look()]


@pytest.mark.parametrize("by", [DAY, -DAY])
def test_a_jump_is_told_once(times: Times, by: timedelta) -> None:
    jumps = Jumps(times.day, lambda: times.steady)
    times.go_on(5)
    times.day.advance(by)

    assert [by, None] == [jumps.look(), jumps.look()]


def test_the_watch_tells_of_a_jump(times: Times) -> None:
    """From a thread of its own, until it is stopped."""
    told: list[timedelta] = []
    watch = JumpWatch(Jumps(times.day, lambda: times.steady), told.append, every_seconds=0.01)
    watch.start()
    times.day.advance(-DAY)
    until(lambda: told)
    watch.stop()

    assert [-DAY] == told


@pytest.fixture
def failing(times: Times) -> JobBoard:
    """A board with a job that succeeded a minute ago, and fails since."""
    board = JobBoard(times.day, lambda: times.steady)
    board.add("ingest", 1, 10)
    board.run("ingest", lambda: None)
    times.go_on(60)
    board.run("ingest", lambda: 1 / 0)
    return board


@pytest.mark.parametrize("by", [DAY, -DAY])
def test_a_job_is_as_late_after_a_jump_as_before(times: Times, failing: JobBoard, by: timedelta) -> None:
    """A clock that was put back would hide for a day that it fails; one put forward would say that none is woken."""
    times.day.advance(by)
    failing.shift(by)
    job = failing.snapshot()["ingest"]

    assert timedelta(seconds=60) == job.age(times.day())
    assert (True, True) == (job.is_late(times.day()), job.is_woken(times.day()))
