"""A program that takes too much, or does not want to end, is ended with all that it has started."""

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import pytest

from builder.generators.command.generator import CommandGenerator
from builder.generators.command.options import Isolation
from builder.isolation.bounds import Bounds, Watch
from builder.outcomes import Broken, Done
from builder.stopping import StopReason
from tests.builder.command.stage import PATH, PYTHON, Stage, gone, new_mark, running
from tests.clock import Clock
from tests.waiting import until

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
# One child in its own session, and one whose parents have ended, as daemons do.
DAEMONS = "setsid sleep {mark} & (setsid sh -c 'sleep {mark} & exit 0' &) ; nohup sleep {mark} >/dev/null 2>&1 &"
MEGABYTE = 2**20


@pytest.fixture(params=Isolation)
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Stage:
    return Stage(tmp_path, request.param)


def test_a_deadline_ends_the_whole_tree(stage: Stage) -> None:
    """Daemons too, and a program that does not hear SIGTERM; what it has cost is still told."""
    mark = new_mark()
    script = f"trap '' TERM HUP INT; {DAEMONS.format(mark=mark)} echo '{{}}' >result.json; echo waiting; sleep {mark}"

    outcome = stage.sh(script, stage.task(seconds=1.0))

    assert Broken("the program was ended: it took longer than 1 seconds: waiting") == outcome
    assert [] == running(mark)


def test_what_a_program_leaves_running_ends_with_it(stage: Stage) -> None:
    """The app is not looked at while something can still change it."""
    mark = new_mark()

    outcome = stage.sh(f"{DAEMONS.format(mark=mark)} exit 0")

    assert isinstance(outcome, Done)
    assert [] == running(mark)


def test_a_stop_ends_the_tree_within_moments(stage: Stage) -> None:
    """Long before the deadline."""
    mark = new_mark()
    timer = Timer(0.3, stage.stop.ask, (StopReason.LOST,))
    timer.start()

    outcome = stage.sh(f"{DAEMONS.format(mark=mark)} sleep {mark}")
    timer.join()

    assert Broken("the program was ended: it was stopped") == outcome
    assert [] == running(mark)


def test_a_lane_that_is_killed_takes_the_program_along(stage: Stage) -> None:
    """Nothing can be tidied up after SIGKILL: the kernel tells the tree's first process."""
    mark = new_mark()
    lane = f"""
import time
from pathlib import Path
from builder.generators.command.generator import CommandGenerator
from builder.generators.command.options import Isolation
from tests.builder.command.stage import Stage
Stage(Path("{stage.folder}/inner"), Isolation("{stage.isolation}")).sh("{DAEMONS.format(mark=mark)} sleep {mark}")
"""
    stage.folder.joinpath("inner").mkdir()
    environment = {"PATH": PATH, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", lane], cwd=ROOT, env=environment, start_new_session=True)
    try:
        until(lambda: len(running(mark)) == 4)
    finally:
        process.kill()
        process.wait()

    until(gone(mark))


def test_a_process_cannot_take_more_memory_than_it_may(stage: Stage) -> None:
    """The kernel refuses."""
    bounds = Bounds(seconds=20, memory_bytes=100 * MEGABYTE)
    program = [PYTHON, "-I", "-S", "-c", "b'x' * (300 << 20)"]

    outcome = stage.run(stage.options(*program, bounds=bounds))

    assert isinstance(outcome, Broken)
    assert outcome.detail.endswith("MemoryError")


def test_processes_cannot_take_more_memory_together_either(stage: Stage) -> None:
    """Each is within what one may have."""
    mark = new_mark()
    bounds = Bounds(seconds=20, memory_bytes=80 * MEGABYTE)
    hog = "import os, sys, time; os.fork(); held = b'x' * (50 << 20); time.sleep(float(sys.argv[1]))"

    outcome = stage.run(stage.options(PYTHON, "-I", "-S", "-c", hog, mark, bounds=bounds))

    assert Broken("the program was ended: it used more than 80 MB of memory") == outcome
    assert [] == running(mark)


def test_a_flood_of_processes_is_ended(stage: Stage) -> None:
    """By the kernel where it counts them, or by the lane, as for root."""
    mark = new_mark()
    bounds = Bounds(seconds=20, tasks=40)
    flood = "import os, sys, time; any(os.fork() == 0 for _ in range(80)); time.sleep(float(sys.argv[1]))"

    outcome = stage.run(stage.options(PYTHON, "-I", "-S", "-c", flood, mark, bounds=bounds))

    assert isinstance(outcome, Broken)
    assert re.search("it used more than 40 processes and threads|Resource temporarily unavailable", outcome.detail)
    assert [] == running(mark)


def test_limits_are_set_before_the_program_begins(stage: Stage) -> None:
    """The number of tasks only where the kernel counts the program's own alone."""
    bounds = Bounds(seconds=20, memory_bytes=200 * MEGABYTE, tasks=50, file_bytes=MEGABYTE)
    kinds = "(r.RLIMIT_DATA, r.RLIMIT_FSIZE, r.RLIMIT_CORE, r.RLIMIT_NPROC)"
    code = f"import resource as r; print([r.getrlimit(kind) for kind in {kinds}])"

    outcome = stage.run(stage.options(PYTHON, "-I", "-c", f"{code}; raise SystemExit(1)", bounds=bounds))
    tasks = (50, 50) if stage.isolation is Isolation.BUBBLEWRAP else resource.getrlimit(resource.RLIMIT_NPROC)
    limits = [(200 * MEGABYTE,) * 2, (MEGABYTE,) * 2, (0, 0), tasks]

    assert Broken(f"the program ended with status 1: {limits}") == outcome


def test_a_file_can_be_no_larger_than_it_may(stage: Stage) -> None:
    """The flood is over at the limit, and nothing larger is left in the folder."""
    bounds = Bounds(seconds=20, file_bytes=MEGABYTE)

    outcome = stage.run(stage.options("sh", "-c", "cat /dev/zero >app/index.html", bounds=bounds))

    assert isinstance(outcome, Broken)
    assert MEGABYTE == stage.workspace.folder.joinpath("index.html").stat().st_size


def test_a_flood_of_files_is_ended(stage: Stage) -> None:
    """In the app, or beside it."""
    mark = new_mark()
    bounds = Bounds(seconds=20, disk_bytes=MEGABYTE)

    outcome = stage.run(
        stage.options("sh", "-c", f"head -c 900000 /dev/zero >1; cp 1 app/2; sleep {mark}", bounds=bounds)
    )

    assert Broken("the program was ended: it used more than 1 MB of files") == outcome


@pytest.mark.parametrize(
    ("script", "bounds", "broken"),
    [
        ("mkdir a; touch a/1 a/2 2", Bounds(disk_entries=4), None),
        ("mkdir a; touch a/1 a/2 2", Bounds(disk_entries=3), "more than 3 files and folders"),
        ("truncate -s 100M hole", Bounds(disk_bytes=MEGABYTE), None),
        ("head -c 600000 /dev/zero >1; cp 1 2", Bounds(disk_bytes=MEGABYTE), "more than 1 MB of files"),
        ("mkdir -p $(printf 'a/%.0s' $(seq 99))", Bounds(), None),
        ("mkdir -p $(printf 'a/%.0s' $(seq 101))", Bounds(), "folders more than 100 deep"),
        ("ln -s / root; ln -s . self; mkfifo pipe", Bounds(disk_entries=3), None),
    ],
)
def test_what_lies_on_the_disk_is_counted(tmp_path: Path, script: str, bounds: Bounds, broken: str | None) -> None:
    """As it takes place: a hole takes none, a link is not followed. Looked at about once a second."""
    clock = Clock()
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)
    watch = Watch(os.getpid(), [tmp_path, tmp_path / "gone"], bounds, lambda: clock().timestamp())

    assert watch.broken() is None
    clock.advance(1.5)
    assert broken == watch.broken()


def test_an_interrupted_lane_ends_the_program_first(stage: Stage) -> None:
    """An exception in the lane, whatever it is, leaves nothing behind either."""
    mark = new_mark()
    options = stage.options("sleep", mark)
    task = stage.task()

    def tired() -> float:
        if running(mark):
            raise KeyboardInterrupt
        return time.monotonic()

    with pytest.raises(KeyboardInterrupt):
        CommandGenerator(options, tired).generate(task)
    until(gone(mark))
