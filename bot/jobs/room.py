"""Looks at the room that a SQLite ledger has on its disk, and says so before there is none: then nothing is noted."""

import shutil
from collections.abc import Callable
from pathlib import Path

import structlog

from bot.ledger.conditions import DISK
from bot.ledger.ledger import Ledger

# A bundle has megabytes, and the log beside the file grows until it is folded in.
LEAST_ROOM = 50_000_000
MEND = "make room, or move the ledger to a larger disk with the bot stopped"
Free = Callable[[Path], int]
log = structlog.get_logger()


def _free(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def room_once(ledger: Ledger, free: Free = _free) -> None:
    """Note whether the ledger's disk is nearly full; a server's disk is its own affair.

    Raises what the database raises where it is full already.
    """
    file = ledger.db.engine.url.database
    if not ledger.db.is_sqlite or file is None:
        return
    if free(Path(file).resolve().parent) >= LEAST_ROOM:
        if ledger.conditions.stands(DISK):
            ledger.conditions.clear(DISK)
            log.info("room_again")
    elif ledger.conditions.set(DISK, f"less than {LEAST_ROOM // 1_000_000} MB are free where the ledger is"):
        log.error("disk_nearly_full", mend=MEND)
