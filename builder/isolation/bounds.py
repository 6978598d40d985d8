"""What a program may use: set by the kernel where it can before the program begins, watched where it cannot."""

import os
import resource
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from builder.isolation.keeper import tree_of

_OPEN_FILES = 1024
_DISK_PAUSE_SECONDS = 1.0
_DEEPEST = 100


@dataclass(frozen=True)
class Bounds:
    """Seconds on the wall clock, bytes, and counts. What holds them, as root or not:

    - `memory_bytes`: the kernel, for each process (RLIMIT_DATA: what it alone can write to); by watching, the sum of
      what all processes hold at once. Between two looks a tree can take more for a moment.
    - `tasks`: processes and threads together. The kernel, unless the lane runs as root; by watching in any case.
    - `file_bytes`: the kernel (RLIMIT_FSIZE).
    - `disk_bytes`, `disk_entries`: by watching its folders about once a second. A file that was deleted and is still
      open is not seen.

    Only a container or a unit with a memory limit around the lane holds a program to the byte.
    """

    seconds: float = 600.0
    memory_bytes: int = 4 * 2**30
    tasks: int = 512
    file_bytes: int = 100 * 2**20
    disk_bytes: int = 2**30
    disk_entries: int = 100_000

    def within(self, seconds: float) -> "Bounds":
        """The same, but for no more than so many seconds."""
        return replace(self, seconds=min(self.seconds, seconds))


def set_limits(process: int, bounds: Bounds, *, count_tasks: bool) -> None:
    """Set a process's limits, and with them those of all that it starts from now on; never raises one.

    `count_tasks` where the process has a user namespace of its own: elsewhere the kernel would count all of its user's.
    """
    wanted = {
        resource.RLIMIT_DATA: bounds.memory_bytes,
        resource.RLIMIT_FSIZE: bounds.file_bytes,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    if count_tasks:
        wanted[resource.RLIMIT_NPROC] = bounds.tasks
    for kind, value in wanted.items():
        _, hard = resource.prlimit(process, kind)
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.prlimit(process, kind, (least, least))


class Watch:
    """Looks at a tree of processes and at the folders that it may write to. `now` is a steady clock in seconds."""

    def __init__(self, root: int, folders: Sequence[Path], bounds: Bounds, now: Callable[[], float]) -> None:
        self._root = root
        self._folders = folders
        self._bounds = bounds
        self._now = now
        self._disk_due_at = now() + _DISK_PAUSE_SECONDS

    def broken(self) -> str | None:
        """Which bound is broken right now, in a few words, or None."""
        return self._processes() or self._disk()

    def _processes(self) -> str | None:
        tasks, memory = _use_of(self._root)
        if tasks > self._bounds.tasks:
            return f"more than {self._bounds.tasks} processes and threads"
        if memory > self._bounds.memory_bytes:
            return f"more than {_megabytes(self._bounds.memory_bytes)} MB of memory"
        return None

    def _disk(self) -> str | None:
        began = self._now()
        if began < self._disk_due_at:
            return None
        found = _too_much(self._folders, self._bounds)
        ended = self._now()
        # To look at many files takes its time: a tenth of all the time at most.
        self._disk_due_at = ended + max(_DISK_PAUSE_SECONDS, 10 * (ended - began))
        return found


def _use_of(root: int) -> tuple[int, int]:
    tasks = memory = 0
    for process in tree_of(root):
        try:
            status = Path(f"/proc/{process}/status").read_bytes()
        except OSError:  # it has ended meanwhile
            continue
        facts = dict(line.partition(b":\t")[::2] for line in status.splitlines())
        tasks += int(facts.get(b"Threads", b"1"))
        memory += sum(int(facts.get(kind, b"0 kB").split()[0]) * 1024 for kind in (b"RssAnon", b"RssShmem"))
    return tasks, memory


def _too_much(folders: Sequence[Path], bounds: Bounds) -> str | None:
    waiting = [(os.fspath(folder), 0) for folder in folders]
    size = entries = 0
    while waiting:
        folder, depth = waiting.pop()
        if depth > _DEEPEST:
            return f"folders more than {_DEEPEST} deep"
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    entries += 1
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
                    if entries > bounds.disk_entries:
                        return f"more than {bounds.disk_entries} files and folders"
                    if size > bounds.disk_bytes:
                        return f"more than {_megabytes(bounds.disk_bytes)} MB of files"
        except (FileNotFoundError, NotADirectoryError):  # gone meanwhile
            continue
        except OSError:
            return "a folder that cannot be looked into"
    return None


def _megabytes(count: int) -> int:
    return count // 2**20
