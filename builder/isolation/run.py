"""Runs a program behind walls and within bounds, and comes back when nothing of it is left."""

import json
import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import StrEnum

from builder.isolation.bounds import Bounds, Watch, set_limits
from builder.isolation.walls import Walls
from builder.stopping import Stop

TAIL_BYTES = 8192
_LOOK_SECONDS = 0.1
_DEATH_SECONDS = 10.0
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


@dataclass(frozen=True)
class _Tree:
    """The program's processes: `outer` is what we started, `first` the process whose end is the end of all others."""

    outer: subprocess.Popen[bytes]
    outer_fd: int
    first_fd: int
    first: int
    said: int

    def end(self, how: signal.Signals) -> None:
        """End every process and wait until they are gone."""
        for number in (how, signal.SIGKILL):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.first_fd, number)
            if _is_readable(self.first_fd, _DEATH_SECONDS):
                break
        self.outer.kill()
        self.outer.wait()

    def status(self) -> int | None:
        """The program's exit status; None when it was never started. Only once all have ended."""
        for line in os.read(self.said, _READ_BYTES).splitlines():
            code = json.loads(line).get("exit-code")
            if isinstance(code, int):
                return code
        return None


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
            outer, said, gate = _start(argv, walls, environment, closing)
        except OSError as problem:
            return Ended(Ending.UNFIT, problem=f"{walls.prefix[0]}: {_words(problem)}")
        output = _Output(_stdout(outer))
        try:
            tree = _let_go(outer, said, gate, walls, bounds, closing)
            ended = _attend(tree, output, walls, bounds, stop, now)
        except (OSError, ValueError) as problem:
            outer.send_signal(walls.ending)
            outer.wait()
            _drain(output)
            return Ended(Ending.UNFIT, problem=f"it could not be started ({_words(problem)})", tail=output.tail)
        tree.end(walls.ending)
        _drain(output)
        if ended is not None:
            return Ended(ended.how, problem=ended.problem, tail=output.tail)
        status = tree.status()
        if status is None:
            return Ended(Ending.UNFIT, problem="it could not be started", tail=output.tail)
        return Ended(Ending.EXITED, status=status, tail=output.tail)


def _start(
    argv: Sequence[str], walls: Walls, environment: Mapping[str, str], closing: ExitStack
) -> tuple[subprocess.Popen[bytes], int, int]:
    """Start it with the gate shut: the process, the pipe that tells its first process, and the pipe that lets it go."""
    said, saying = os.pipe()
    waiting, gate = os.pipe()
    for number in (said, gate):
        closing.callback(os.close, number)
    try:
        outer = subprocess.Popen(
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
    closing.enter_context(outer)
    closing.callback(outer.send_signal, walls.ending)  # whatever happens here, it is never waited for in vain
    return outer, said, gate


def _let_go(
    outer: subprocess.Popen[bytes], said: int, gate: int, walls: Walls, bounds: Bounds, closing: ExitStack
) -> _Tree:
    first = _first_process(said)
    outer_fd, first_fd = os.pidfd_open(outer.pid), os.pidfd_open(first)
    for number in (outer_fd, first_fd):
        closing.callback(os.close, number)
    set_limits(first, bounds, count_tasks=walls.counts_tasks)
    os.write(gate, b"1")
    return _Tree(outer, outer_fd, first_fd, first, said)


def _first_process(said: int) -> int:
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(said, 1)
        if not more:
            raise ValueError("its isolation could not be set up")
        line += more
    return int(json.loads(line)["child-pid"])


def _attend(
    tree: _Tree, output: _Output, walls: Walls, bounds: Bounds, stop: Stop, now: Callable[[], float]
) -> Ended | None:
    """Read along until it has ended by itself: then None; else why it must be ended."""
    watch = Watch(tree.first, (walls.work.parent, walls.app), bounds, now)
    ends_at = now() + bounds.seconds
    look_at = now()
    reading = True
    with selectors.DefaultSelector() as events:
        events.register(tree.outer_fd, selectors.EVENT_READ)
        events.register(_stdout(tree.outer), selectors.EVENT_READ)
        while tree.outer.poll() is None:
            events.select(_LOOK_SECONDS)
            if reading and output.read() == 0:
                events.unregister(_stdout(tree.outer))
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


def _is_readable(descriptor: int, seconds: float) -> bool:
    with selectors.DefaultSelector() as events:
        events.register(descriptor, selectors.EVENT_READ)
        return bool(events.select(seconds))


def _words(problem: OSError | ValueError) -> str:
    return (isinstance(problem, OSError) and problem.strerror) or str(problem)
