"""The publisher `folder`: a folder of this machine that some web server shows to the public."""

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from builder.client import BotClient
from builder.errors import LaneUnfit
from builder.publishers.elsewhere import ElsewherePublisher, PlaceAway
from builder.publishers.visitor import Visitor
from guardrails.bundle import INDEX

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SHOWN_FOLDER, _SHOWN_FILE, _HIDDEN = 0o755, 0o644, 0o700


@dataclass(frozen=True)
class FolderOptions:
    """Where the folder is, and the public address that it is served under."""

    folder: Path
    public_url: str


def folder_publisher(options: FolderOptions, client: BotClient, visitor: Visitor) -> ElsewherePublisher:
    """The publisher; nothing is looked at before the first app."""
    return ElsewherePublisher("folder", FolderPlace(options.folder), options.public_url, client, visitor)


class FolderPlace:
    """Versions as folders. A version is written beside its place, and appears there whole; no link is followed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def is_buried(self, slug: str) -> bool:
        """Whether the slug's folder has an index."""
        with self._opened() as root, _within(root, slug) as here:
            return here is not None and _is_there(INDEX, here)

    def store(self, slug: str, version: int, files: Mapping[str, bytes]) -> bool:
        """Write to a hidden folder, then rename it; what stands there already is compared."""
        hidden = _hidden(slug, version)
        with self._opened() as root, _within(root, slug, make=True) as here:
            if here is None:
                raise PlaceAway("the slug's folder cannot be made")
            if not _is_there(str(version), here):
                _remove(hidden, root)  # of a crash, or of another try
                _write(hidden, files, root)
                with suppress(FileExistsError):
                    os.rename(hidden, str(version), src_dir_fd=root, dst_dir_fd=here)
                os.fsync(here)
                _remove(hidden, root)
            return _read(str(version), here) == files

    def remove(self, slug: str, version: int) -> None:
        """Out of sight first, then gone."""
        with self._opened() as root, _within(root, slug) as here:
            if here is not None:
                _take(str(version), here, _hidden(slug, version), root)

    def bury(self, slug: str, stone: bytes) -> None:
        """The index of the slug's folder is the stone."""
        with self._opened() as root, _within(root, slug, make=True) as here:
            if here is None:
                raise PlaceAway("the slug's folder cannot be made")
            hidden = _hidden(slug, 0)
            _remove(hidden, root)
            _write_file(hidden, stone, root)
            os.rename(hidden, INDEX, src_dir_fd=root, dst_dir_fd=here)
            os.fsync(here)
            for name in _names(here):
                if name != INDEX:
                    _take(name, here, _hidden(slug, 0), root)
            for name in _names(root):
                if name.startswith(_hidden(slug)):
                    _remove(name, root)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        try:
            root = os.open(self._folder, _FOLDER)
        except OSError as problem:
            raise LaneUnfit(f"the folder to publish to cannot be opened ({_kind(problem)})") from problem
        try:
            yield root
        except PermissionError as problem:
            raise LaneUnfit("the folder to publish to is not writable for the lane") from problem
        except OSError as problem:
            raise PlaceAway(f"the folder to publish to: {_kind(problem)}") from problem
        finally:
            os.close(root)


@contextmanager
def _within(root: int, slug: str, *, make: bool = False) -> Iterator[int | None]:
    """The slug's own folder; None where there is none and none is made."""
    if make:
        with suppress(FileExistsError):
            os.mkdir(slug, _SHOWN_FOLDER, dir_fd=root)
            os.chmod(slug, _SHOWN_FOLDER, dir_fd=root)
            os.fsync(root)
    try:
        here = os.open(slug, _FOLDER | os.O_NOFOLLOW, dir_fd=root)
    except FileNotFoundError:
        yield None
        return
    try:
        yield here
    finally:
        os.close(here)


def _write(name: str, files: Mapping[str, bytes], root: int) -> None:
    """A new folder with these files; readable for others once all of them are on the disk."""
    os.mkdir(name, _HIDDEN, dir_fd=root)
    here = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=root)
    try:
        for path in sorted(
            {"/".join(file.split("/")[:depth]) for file in files for depth in range(1, file.count("/") + 1)}
        ):
            os.mkdir(path, _SHOWN_FOLDER, dir_fd=here)
            os.chmod(path, _SHOWN_FOLDER, dir_fd=here)
        for path, content in files.items():
            _write_file(path, content, here)
        for _, _, _, folder in os.fwalk(".", dir_fd=here):
            os.fsync(folder)
        os.fchmod(here, _SHOWN_FOLDER)
    finally:
        os.close(here)


def _write_file(name: str, content: bytes, here: int) -> None:
    with os.fdopen(os.open(name, _NEW_FILE, _SHOWN_FILE, dir_fd=here), "wb") as file:
        file.write(content)
        file.flush()
        os.fchmod(file.fileno(), _SHOWN_FILE)
        os.fsync(file.fileno())


def _read(name: str, here: int) -> Mapping[str, bytes]:
    """The files of a version; whatever is no plain file is told by an empty name, which none of ours has."""
    found: dict[str, bytes] = {}
    there = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
    try:
        for place, folders, files, folder in os.fwalk(".", dir_fd=there):
            before = "" if place == "." else place.removeprefix("./") + "/"
            for each in (*folders, *files):
                kind = stat.S_IFMT(os.stat(each, dir_fd=folder, follow_symlinks=False).st_mode)
                if kind == stat.S_IFREG:
                    with os.fdopen(os.open(each, _READ_FILE, dir_fd=folder), "rb") as file:
                        found[before + each] = file.read()
                elif kind != stat.S_IFDIR:
                    found[""] = b""
    finally:
        os.close(there)
    return found


def _take(name: str, here: int, hidden: str, root: int) -> None:
    _remove(hidden, root)
    with suppress(FileNotFoundError):
        os.rename(name, hidden, src_dir_fd=here, dst_dir_fd=root)
        os.fsync(here)
    _remove(hidden, root)


def _remove(name: str, here: int) -> None:
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
            shutil.rmtree(name, dir_fd=here)
        else:
            os.unlink(name, dir_fd=here)


def _names(here: int) -> list[str]:
    with os.scandir(here) as entries:
        return [entry.name for entry in entries]


def _is_there(name: str, here: int) -> bool:
    try:
        os.stat(name, dir_fd=here, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _hidden(slug: str, version: int | None = None) -> str:
    # No slug begins with a dot, and no app has a version 0: that one is the stone's.
    return f".{slug}." if version is None else f".{slug}.{version}"


def _kind(problem: OSError) -> str:
    return os.strerror(problem.errno) if problem.errno else type(problem).__name__
