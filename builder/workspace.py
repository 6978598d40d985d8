"""A temporary folder per claim: safe names in, a snapshot and reproducible zip bytes out."""

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from builder.errors import UnsafeName
from guardrails.bundle import name_problem, printable
from guardrails.wire import Limits

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a pipe that was put in the place of a file must not hang the lane.
_READ_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Snapshot:
    """What lay there at one moment: all plain files by size, contents within the limits, and what is no plain file."""

    entries: tuple[tuple[str, int], ...]
    files: Mapping[str, bytes]
    problems: tuple[str, ...] = ()


class Workspace:
    """One claim's folder; it is gone when the claim's work is over."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, content: bytes) -> None:
        """Write a new file; UnsafeName when its name breaks a rule, or when a link or a file is already in its way."""
        problem = name_problem(name)
        if problem is not None:
            raise UnsafeName(f"{printable(name)}: {problem}")
        *folders, last = name.split("/")
        here = os.open(self.folder, _FOLDER)
        try:
            for folder in folders:
                here = _step_into(here, folder)
            with os.fdopen(os.open(last, _NEW_FILE, 0o600, dir_fd=here), "wb") as file:
                file.write(content)
        except OSError as problem_with_file:
            raise UnsafeName(f"{printable(name)}: cannot be written here") from problem_with_file
        finally:
            os.close(here)

    def clear(self) -> None:
        """Remove every file, so that a generator can begin anew."""
        for entry in os.scandir(self.folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                Path(entry.path).unlink(missing_ok=True)

    def snapshot(self, limits: Limits) -> Snapshot:
        """Read what is there without following a link, no more than the limits allow."""
        reading = _Reading(limits)
        here = os.open(self.folder, _FOLDER)
        try:
            reading.folder(here, "")
        finally:
            os.close(here)
        return Snapshot(tuple(sorted(reading.entries)), dict(sorted(reading.files.items())), tuple(reading.problems))


@contextmanager
def open_workspace(parent: Path | None) -> Iterator[Workspace]:
    """A new folder under `parent` (None: the system's temporary folder), removed at the end whatever happened."""
    with tempfile.TemporaryDirectory(prefix="skywright-lane-", dir=parent, ignore_cleanup_errors=True) as place:
        folder = Path(place, "app")
        folder.mkdir(0o700)
        yield Workspace(folder)


def pack(files: Mapping[str, bytes]) -> bytes:
    """A zip of the files; the same files give the same bytes on every machine (sorted, no clock, stored)."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_STORED) as archive:
        for name in sorted(files):
            entry = ZipInfo(name, _EPOCH)
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, files[name])
    return packed.getvalue()


def sha256_of(content: bytes) -> str:
    """The SHA-256 in lower-case hexadecimal."""
    return hashlib.sha256(content).hexdigest()


@dataclass
class _Reading:
    limits: Limits
    entries: list[tuple[str, int]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    total: int = 0
    seen: int = 0

    def folder(self, here: int, path: str) -> None:
        with os.scandir(here) as entries:
            for entry in entries:
                self.seen += 1
                # Folders count too: a million empty ones must not be walked to the end.
                if self.seen > 4 * self.limits.files:
                    self.problems.append("far more entries than are allowed")
                    return
                self._entry(here, entry, f"{path}{entry.name}")

    def _entry(self, here: int, entry: os.DirEntry[str], name: str) -> None:
        if entry.is_symlink():
            self.problems.append(f"{printable(name)}: a symbolic link")
        elif entry.is_dir(follow_symlinks=False):
            self._subfolder(here, entry.name, name)
        elif entry.is_file(follow_symlinks=False):
            self._file(here, entry, name)
        else:
            self.problems.append(f"{printable(name)}: not a plain file")

    def _subfolder(self, here: int, last: str, name: str) -> None:
        if name.count("/") > 16:
            self.problems.append(f"{printable(name)}: far too deep")
            return
        try:
            inner = os.open(last, _FOLDER, dir_fd=here)
        except OSError:
            self.problems.append(f"{printable(name)}: cannot be read")
            return
        try:
            self.folder(inner, f"{name}/")
        finally:
            os.close(inner)

    def _file(self, here: int, entry: os.DirEntry[str], name: str) -> None:
        size = entry.stat(follow_symlinks=False).st_size
        self.entries.append((name, size))
        self.total += size
        if size > self.limits.file_bytes or self.total > self.limits.total_bytes:
            return
        try:
            with os.fdopen(os.open(entry.name, _READ_FILE, dir_fd=here), "rb") as file:
                self.files[name] = file.read(size)
        except OSError:
            self.problems.append(f"{printable(name)}: cannot be read")


def _step_into(here: int, folder: str) -> int:
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700, dir_fd=here)
    inner = os.open(folder, _FOLDER, dir_fd=here)
    os.close(here)
    return inner
