"""Holds a ledger for one process: a SQLite file has one bot at a time, and leaves traces where it was."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import make_url

from bot.errors import LedgerInUse


@contextmanager
def sole_holder(database_url: str) -> Iterator[None]:
    """Hold a SQLite ledger for this process alone; LedgerInUse when another bot has it. PostgreSQL is shared."""
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        yield
        return
    lock = _lock_of(Path(url.database))
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a+") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.seek(0)
            raise LedgerInUse(f"{url.database} is in use by another bot (process {held.read().strip()})") from None
        held.truncate(0)
        held.write(str(os.getpid()))
        held.flush()
        yield


def was_there(file: Path) -> bool:
    """Whether a SQLite ledger that is not there was: some program has held it, or its log lies there."""
    return _lock_of(file).exists() or Path(f"{file.resolve()}-wal").exists()


def is_held(file: Path) -> bool:
    """Whether a process holds a SQLite ledger now, though its file may be gone."""
    try:
        with _lock_of(file).open() as held:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _lock_of(file: Path) -> Path:
    # By its real name: another one that leads to the same file is the same ledger.
    return Path(f"{file.resolve()}.lock")
