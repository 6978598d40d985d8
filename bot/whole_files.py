"""Files that are there whole or not at all, for nobody else to read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import NotDone

PART = ".part"


@contextmanager
def whole_file(file: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A file beside it to be written, which takes its name at the end of the block, on the disk; gone if it fails.

    NotDone when there is one of that name, unless it is to be overwritten.
    """
    refuse_what_is_there(file, overwrite=overwrite)
    descriptor, name = tempfile.mkstemp(PART, f".{file.name}.", file.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
        flush(part)
        if not overwrite:
            _take_name(part, file)
        else:
            part.replace(file)
        flush(file.parent)
    finally:
        for left in ("", "-journal", "-wal", "-shm"):
            part.with_name(part.name + left).unlink(missing_ok=True)


def refuse_what_is_there(file: Path, *, overwrite: bool) -> None:
    """Return when a file of that name may be written."""
    if not overwrite and os.path.lexists(file):
        raise NotDone(f"{file} is there already; take another name, or add --overwrite")


def flush(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _take_name(part: Path, file: Path) -> None:
    """Give it the name that nobody has; a rename would take the place of what came meanwhile."""
    try:
        file.hardlink_to(part)
    except OSError:
        # There is one after all, or this filesystem has no second names.
        refuse_what_is_there(file, overwrite=False)
        part.replace(file)
