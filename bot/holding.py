"""Holds a ledger for one process: a SQLite file has one bot at a time."""

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
    # By its real name: another one that leads to the same file is the same ledger.
    lock = Path(f"{Path(url.database).resolve()}.lock")
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
