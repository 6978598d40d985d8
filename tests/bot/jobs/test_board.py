"""The board knows how each job is, by a clock that no correction of the time can fool."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from bot.jobs.board import JobBoard
from tests.clock import Clock


@dataclass
class Steady:
    """Seconds that only a test lets pass."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Office:
    """A board with one job on it, which is due every 5 seconds and may take 20."""

    clock: Clock = field(default_factory=Clock)
    steady: Steady = field(default_factory=Steady)
    board: JobBoard = field(init=False)

    def __post_init__(self) -> None:
        self.board = JobBoard(self.clock, self.steady)
        self.board.add("reply", 5, 20)

    @contextmanager
    def running(self) -> Iterator[None]:
        """The job is at work for as long as the block lasts."""
        begun, may_end = threading.Event(), threading.Event()

        def work() -> None:
            begun.set()
            may_end.wait()

        thread = threading.Thread(target=self.board.run, args=("reply", work))
        thread.start()
        begun.wait()
        try:
            yield
        finally:
            may_end.set()
            thread.join()


def fail() -> None:
    raise ValueError("no such luck")


def test_a_job_that_outlives_its_deadline_is_stuck() -> None:
    """Not a moment earlier, and no longer once it has ended."""
    office = Office()
    with office.running():
        office.steady.seconds += 20
        in_time = office.board.stuck()
        office.steady.seconds += 1
        too_long = office.board.stuck()

    assert ([], ["reply"], []) == (in_time, too_long, office.board.stuck())


def test_a_machine_that_slept_has_no_stuck_jobs() -> None:
    """The time of day jumps ahead by an hour, the steady clock stands still meanwhile: nobody was at work."""
    office = Office()
    with office.running():
        office.clock.advance(timedelta(hours=1))

        assert [] == office.board.stuck()


def test_what_a_job_raises_is_kept_and_goes_no_further() -> None:
    """The next success clears it."""
    office = Office()
    office.board.run("reply", fail)
    failed = office.board.snapshot()["reply"]
    office.board.run("reply", lambda: "done")
    well = office.board.snapshot()["reply"]

    assert ("ValueError: no such luck", None, 1) == (failed.last_error, failed.last_success, failed.runs)
    assert (None, office.clock(), 2, "done") == (well.last_error, well.last_success, well.runs, well.last_result)


def test_a_job_that_never_succeeds_is_late_from_its_start_on() -> None:
    """After three intervals and a deadline; failing often does not make up for it."""
    office = Office()
    office.clock.advance(35)
    before = office.board.snapshot()["reply"].is_late(office.clock())
    office.board.run("reply", fail)
    office.clock.advance(1)

    assert (False, True) == (before, office.board.snapshot()["reply"].is_late(office.clock()))
