"""Runs a program behind walls and within bounds, and comes back when nothing of it is left."""

import json
import os
import select
import selectors
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from builder.isolation.bounds import Bounds, Watch, set_limits
from builder.isolation.walls import Walls
from builder.stopping import Stop

TAIL_BYTES = 8192
_LOOK_SECONDS = 0.1
_START_SECONDS = 60.0
_DEATH_SECONDS = 60.0
_READ_BYTES = 65_536


class Ending(StrEnum):
    """How a run ended; OVER: a bound was broken, UNFIT: the program could not be started at all."""

    EXITED = "exited"
    LATE = "late"
    STOPPED = "stopped"
    OVER = "over"
    UNFIT = "unfit"


@dataclass(frozen=True)
class Ended:
    """How a run ended, its exit status where it came to one, what went wrong, and the end of what it printed, raw."""

    how: Ending
    status: int | None = None
    problem: str = ""
    tail: str = ""


class _Output:
    """The end of what came through a pipe, however much came."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._kept = bytearray()
        os.set_blocking(pipe, False)

    def read(self) -> int | None:
        """Take what there is, up to a block; how many bytes: 0 at its end, None when there is nothing yet."""
        try:
            block = os.read(self._pipe, _READ_BYTES)
        except BlockingIOError:
            return None
        self._kept += block
        del self._kept[:-TAIL_BYTES]
        return len(block)

    @property
    def tail(self) -> str:
        return self._kept.decode("utf-8", "replace")


def run(
    argv: Sequence[str],
    walls: Walls,
    environment: Mapping[str, str],
    bounds: Bounds,
    stop: Stop,
    now: Callable[[], float],
) -> Ended:
    """Run a program to its end, its deadline, the stop, or a broken bound; then none of its processes is left.

    The program ends too when the calling thread does, even by SIGKILL. `now` is a steady clock in seconds.
    """
    with ExitStack() as closing:
        try:
            keeper, said, gate = _start(argv, walls, environment, closing)
        except OSError as problem:
            return Ended(Ending.UNFIT, problem=f"{walls.prefix[0]}: {_words(problem)}")
        output = _Output(_stdout(keeper))
        try:
            first = _first_process(said)
            set_limits(first, bounds, count_tasks=walls.counts_tasks)
            os.write(gate, b"1")
            watch = Watch(first, (walls.work.parent, walls.app), bounds, now)
            ended = _attend(keeper, output, watch, bounds, stop, now)
        except (OSError, ValueError) as problem:
            ended = Ended(Ending.UNFIT, problem=f"it could not be started ({_words(problem)})")
        _end(keeper)
        _drain(output)
        if ended is not None:
            return replace(ended, tail=output.tail)
        status = _status(said)
        if status is None:
            return Ended(Ending.UNFIT, problem="it could not be started", tail=output.tail)
        return Ended(Ending.EXITED, status=status, tail=output.tail)


def _start(
    argv: Sequence[str], walls: Walls, environment: Mapping[str, str], closing: ExitStack
) -> tuple[subprocess.Popen[bytes], int, int]:
    """Start it with the gate shut: the keeper, the pipe that tells its first process, and the pipe that lets it go."""
    said, saying = os.pipe()
    waiting, gate = os.pipe()
    for number in (said, gate):
        closing.callback(os.close, number)
    try:
        keeper = subprocess.Popen(
            [*walls.prefix, "--json-status-fd", str(saying), "--block-fd", str(waiting), "--", *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**environment, "HOME": walls.home, "TMPDIR": walls.temporary},
            cwd=walls.work,
            pass_fds=(saying, waiting),
            start_new_session=True,
        )
    finally:
        os.close(saying)
        os.close(waiting)
    closing.enter_context(keeper)
    closing.callback(_end, keeper)  # whatever happens here
    return keeper, said, gate


def _end(keeper: subprocess.Popen[bytes]) -> None:
    """Have the keeper end every process, and wait until they are gone."""
    keeper.terminate()
    try:
        keeper.wait(_DEATH_SECONDS)
    except subprocess.TimeoutExpired:
        keeper.kill()
        keeper.wait()


def _first_process(said: int) -> int:
    if not select.select([said], [], [], _START_SECONDS)[0]:
        raise ValueError("its isolation took too long to set up")
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(said, 1)
        if not more:
            raise ValueError("its isolation could not be set up")
        line += more
    return int(json.loads(line)["child-pid"])


def _status(said: int) -> int | None:
    """The program's exit status, once all have ended; None when it was never started."""
    os.set_blocking(said, False)
    with suppress(BlockingIOError):
        for line in os.read(said, _READ_BYTES).splitlines():
            code = json.loads(line).get("exit-code")
            if isinstance(code, int):
                return code
    return None


def _attend(
    keeper: subprocess.Popen[bytes],
    output: _Output,
    watch: Watch,
    bounds: Bounds,
    stop: Stop,
    now: Callable[[], float],
) -> Ended | None:
    """Read along until it has ended by itself: then None; else why it must be ended."""
    ends_at = now() + bounds.seconds
    look_at = now()
    reading = True
    with _events(keeper) as events:
        while keeper.poll() is None:
            events.select(_LOOK_SECONDS)
            if reading and output.read() == 0:
                events.unregister(_stdout(keeper))
                reading = False
            if stop.reason is not None:
                return Ended(Ending.STOPPED, problem="it was stopped")
            moment = now()
            if moment >= ends_at:
                return Ended(Ending.LATE, problem=f"it took longer than {bounds.seconds:.3g} seconds")
            if moment >= look_at:
                broken = watch.broken()
                if broken is not None:
                    return Ended(Ending.OVER, problem=f"it used {broken}")
                look_at = now() + _LOOK_SECONDS
    return None


def _drain(output: _Output) -> None:
    # All that wrote are gone; one that escaped where there are no walls is not waited for.
    for _ in range(1024):
        if not output.read():
            return


def _stdout(process: subprocess.Popen[bytes]) -> int:
    if process.stdout is None:
        raise ValueError("the process has no pipe to read from")
    return process.stdout.fileno()


@contextmanager
def _events(keeper: subprocess.Popen[bytes]) -> Iterator[selectors.BaseSelector]:
    """Wakes when there is something to read, and when all has ended."""
    life = os.pidfd_open(keeper.pid)
    try:
        with selectors.DefaultSelector() as events:
            events.register(life, selectors.EVENT_READ)
            events.register(_stdout(keeper), selectors.EVENT_READ)
            yield events
    finally:
        os.close(life)


def _words(problem: OSError | ValueError) -> str:
    return (isinstance(problem, OSError) and problem.strerror) or str(problem)
