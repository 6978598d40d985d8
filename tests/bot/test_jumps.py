"""The time of day is set: by how much is told, and nothing is older or newer for it."""

import time
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot.jobs.board import JobBoard
from bot.jumps import Jump, Jumps, look_for_jumps, since_boot
from bot.lookout import Lookout
from tests.clock import Clock
from tests.waiting import until

DAY = timedelta(days=1)
NIGHT = timedelta(hours=8)
NONE = timedelta()


class Times:
    """A time of day, and a steady clock beside it."""

    def __init__(self) -> None:
        self.day = Clock()
        self.steady = 100.0
        self.asleep = 0.0

    def go_on(self, seconds: float) -> None:
        self.day.advance(seconds)
        self.steady += seconds

    def sleep(self, time: timedelta) -> None:
        """The machine is suspended: only the clock of the day and that since its start go on."""
        self.day.advance(time)
        self.asleep += time.total_seconds()

    def jumps(self) -> Jumps:
        return Jumps(self.day, lambda: self.steady, lambda: self.steady + self.asleep)


@pytest.fixture
def times() -> Times:
    return Times()


def test_time_that_goes_by_is_no_jump(times: Times) -> None:
    """However much of it, nor is a clock that is kept by slowing it down."""
    jumps = times.jumps()
    times.go_on(1)
    first = jumps.look()
    times.go_on(86_400)
    times.day.advance(0.4)

    assert [None, None] == [first, jumps.look()]


@pytest.mark.parametrize("by", [DAY, -DAY])
def test_a_jump_is_told_once(times: Times, by: timedelta) -> None:
    jumps = times.jumps()
    times.go_on(5)
    times.day.advance(by)

    assert [Jump(slept=NONE, was_set=by), None] == [jumps.look(), jumps.look()]


def test_the_watch_tells_of_a_jump(times: Times) -> None:
    """From a thread of its own, until it is stopped."""
    told: list[timedelta] = []
    watch = Lookout("jumps", look_for_jumps(times.jumps(), told.append), every_seconds=0.01)
    watch.start()
    times.day.advance(-DAY)
    until(lambda: told)
    watch.stop()

    assert [-DAY] == told


def test_a_sleep_is_no_clock_that_was_set(times: Times) -> None:
    """Nobody is to mend anything; the jobs are woken all the same."""
    told: list[timedelta] = []
    look = look_for_jumps(times.jumps(), told.append)
    times.go_on(1)
    times.sleep(NIGHT)
    with capture_logs() as logs:
        look()
        look()

    assert [NIGHT] == told
    assert [("machine_slept", "info", 28_800.0)] == [(it["event"], it["log_level"], it["seconds"]) for it in logs]


def test_a_clock_that_was_set_while_the_machine_slept(times: Times) -> None:
    """Each is told by itself, and the jobs by how much the day has moved on in all."""
    told: list[timedelta] = []
    look = look_for_jumps(times.jumps(), told.append)
    times.sleep(NIGHT)
    times.day.advance(-DAY)
    with capture_logs() as logs:
        look()

    assert [NIGHT - DAY] == told
    assert [("machine_slept", 28_800.0), ("clock_jumped", -86_400.0)] == [(it["event"], it["seconds"]) for it in logs]


def test_a_machine_without_a_clock_that_goes_on_in_its_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the steady one, by which it never slept."""
    monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
    before = time.monotonic()

    assert before <= since_boot() <= time.monotonic()


def test_the_clock_since_the_start_goes_on() -> None:
    """It is never behind the one that stands still in a sleep."""
    assert time.monotonic() - 1 <= since_boot()


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
