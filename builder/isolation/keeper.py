"""Runs one program without a sandbox, and ends with all that came of it. Run by its path; standard library only.

It speaks as bubblewrap does: `--json-status-fd N` is told the id of the process to watch, then the program's exit
code, and nothing starts before a byte can be read from `--block-fd N`. It adopts the processes whose parents end, so
that it can find them, and ends them with itself: when the program ends, on SIGTERM, and when its own parent dies.
"""

import argparse
import ctypes
import json
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CALLS = (signal.SIGTERM, signal.SIGCHLD)


def tree_of(root: int) -> set[int]:
    """The ids of a process and of all that descend from it, read from /proc; empty when there is no such process."""
    children: dict[int, list[int]] = {}
    for parent, child in _parents():
        children.setdefault(parent, []).append(child)
    found: set[int] = set()
    waiting = [root] if Path(f"/proc/{root}").exists() else []
    while waiting:
        process = waiting.pop()
        if process not in found:
            found.add(process)
            waiting += children.get(process, [])
    return found


def main() -> int:
    """The program's exit status as a shell tells it; 127 when it could not be started."""
    arguments = _arguments()
    _bind_to_parent()
    os.write(arguments.json_status_fd, json.dumps({"child-pid": os.getpid()}).encode() + b"\n")
    if not os.read(arguments.block_fd, 1):
        return 1
    signal.pthread_sigmask(signal.SIG_BLOCK, _CALLS)
    try:
        program = os.posix_spawnp(arguments.command[0], arguments.command, os.environ, setsid=True, setsigmask=[])
    except OSError as problem:
        print(f"{arguments.command[0]}: {problem.strerror}", file=sys.stderr)  # noqa: T201  it is read by the lane
        return 127
    code = _wait_for(program)
    _end_descendants()
    if code is None:
        return 128 + signal.SIGTERM
    os.write(arguments.json_status_fd, json.dumps({"exit-code": code}).encode() + b"\n")
    return code


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parent", type=int, required=True)
    parser.add_argument("--json-status-fd", type=int, required=True)
    parser.add_argument("--block-fd", type=int, required=True)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    if os.getppid() != arguments.parent:
        sys.exit(1)
    for number in (arguments.json_status_fd, arguments.block_fd):
        os.set_inheritable(number, False)
    return arguments


def _bind_to_parent() -> None:
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)
    for option, value in ((_PR_SET_CHILD_SUBREAPER, 1), (_PR_SET_PDEATHSIG, signal.SIGTERM)):
        if libc.prctl(option, value, 0, 0, 0) != 0:
            sys.exit(f"prctl {option}: {os.strerror(ctypes.get_errno())}")
    if os.getppid() != parent:  # it died before it could be bound to
        sys.exit(1)


def _wait_for(program: int) -> int | None:
    """The program's exit code; None when SIGTERM came first."""
    while signal.sigwait(_CALLS) == signal.SIGCHLD:
        for process, status in _reap():
            if process == program:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
    return None


def _end_descendants() -> None:
    own = os.getpid()
    while others := tree_of(own) - {own}:
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
            content = Path("/proc", name, "stat").read_bytes()
        except OSError:  # it has ended meanwhile
            continue
        # The name stands in brackets and may hold anything; behind it: the state, then the parent.
        yield int(content.rpartition(b")")[2].split()[1]), int(name)


if __name__ == "__main__":
    sys.exit(main())
