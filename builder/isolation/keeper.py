"""Starts one program and ends with all that came of it. Run by its path, with the standard library only.

    keeper.py PARENT [--json-status-fd N --block-fd N] -- PROGRAM WORD…

It adopts the processes whose parents end, so that it finds them all, and ends them with itself: when the program ends,
on SIGTERM, and when PARENT dies. With the options it speaks as bubblewrap does, for a program that is run without:
N is told the id of the process to watch, then the program's exit code, and nothing starts before a byte can be read.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_NICENESS = 15
_CALLS = (signal.SIGTERM, signal.SIGCHLD)


def tree_of(root: int) -> list[int]:
    """The ids of a process and of all that descend from it, parents before children; empty when there is none."""
    children: dict[int, list[int]] = {}
    for parent, child in _parents():
        children.setdefault(parent, []).append(child)
    found = [root] if Path(f"/proc/{root}").exists() else []
    for process in found:  # it grows meanwhile; each id is taken once, whatever came and went while they were read
        found += children.pop(process, [])
    return found


def main() -> int:
    """The program's exit status as a shell tells it; 127 when it could not be started."""
    here = sys.argv.index("--")
    parent, options, command = int(sys.argv[1]), sys.argv[2:here], sys.argv[here + 1 :]
    signal.pthread_sigmask(signal.SIG_BLOCK, _CALLS)
    _bind_to(parent)
    said, gate = (int(options[1]), int(options[3])) if options else (None, None)
    _tell(said, "child-pid", os.getpid())
    if gate is not None and not os.read(gate, 1):
        return 1
    for descriptor in (said, gate):
        if descriptor is not None:
            os.set_inheritable(descriptor, False)
    try:
        program = os.posix_spawnp(command[0], command, os.environ, setsid=True, setsigmask=[])
        # It yields to the lane, and to this keeper, which has to be faster than whatever forks.
        os.setpriority(os.PRIO_PROCESS, program, _NICENESS)
    except OSError as problem:
        os.write(2, f"{command[0]}: {problem.strerror}\n".encode())
        return 127
    code = _wait_for(program)
    _end_descendants()
    if code is None:
        return 128 + signal.SIGTERM
    _tell(said, "exit-code", code)
    return code


def _bind_to(parent: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for option, value in ((_PR_SET_CHILD_SUBREAPER, 1), (_PR_SET_PDEATHSIG, signal.SIGTERM)):
        if libc.prctl(option, value, 0, 0, 0) != 0:
            sys.exit(f"prctl {option}: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent:  # it died before it could be bound to
        sys.exit(1)


def _tell(descriptor: int | None, fact: str, number: int) -> None:
    if descriptor is not None:
        os.write(descriptor, f'{{"{fact}": {number}}}\n'.encode())


def _wait_for(program: int) -> int | None:
    """The program's exit code; None when SIGTERM came first."""
    while signal.sigwait(_CALLS) == signal.SIGCHLD:
        for process, status in _reap():
            if process == program:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
    return None


def _end_descendants() -> None:
    # Parents first: none is to carry on because its child has ended.
    while others := tree_of(os.getpid())[1:]:
        for process in others:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        signal.sigtimedwait((signal.SIGCHLD,), 0.01)
        for _ in _reap():
            pass


def _reap() -> Iterable[tuple[int, int]]:
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not process:
            return
        yield process, status


def _parents() -> Iterable[tuple[int, int]]:
    with os.scandir("/proc") as entries:
        processes = [entry.name for entry in entries if entry.name.isdigit()]
    for name in processes:
        try:
            descriptor = os.open(f"/proc/{name}/stat", os.O_RDONLY)
            try:
                content = os.read(descriptor, 4096)
            finally:
                os.close(descriptor)
        except OSError:  # it has ended meanwhile
            continue
        # The name stands in brackets and may hold anything; behind it: the state, then the parent.
        yield int(content.rpartition(b")")[2].split()[1]), int(name)


if __name__ == "__main__":
    sys.exit(main())
