"""Looks when the ledger was last backed up, and says so once that is too long ago: nobody sees a backup that fails."""

from datetime import timedelta

import structlog

from bot.ledger.conditions import BACKUP
from bot.ledger.ledger import Ledger
from bot.ledger.marks import BACKED_UP, FIRST_START

# A nightly backup may fail once, and be mended in the morning.
USUAL_DAYS = 2.0
MEND = "`systemctl status skywright-backup`, or whatever is to make it, says why; `skywright backup` makes one now"
log = structlog.get_logger()


def backed_up_once(ledger: Ledger, days: float | None) -> None:
    """Note whether there was no good backup for so many days; without a number for two, where one was ever made.

    Where a number is set one is to be made, and the days count from the ledger's first start.
    """
    last = ledger.desk.watermark(BACKED_UP)
    since = last or (ledger.desk.watermark(FIRST_START) if days is not None else None)
    if since is None or ledger.db.time() - since <= timedelta(days=USUAL_DAYS if days is None else days):
        if ledger.conditions.stands(BACKUP):
            ledger.conditions.clear(BACKUP)
            log.info("backed_up_again")
        return
    told = f"the last good one is of {last:%Y-%m-%d %H:%M} UTC" if last is not None else "none was ever made"
    if ledger.conditions.set(BACKUP, told):
        log.error("no_backup", detail=told, mend=MEND)
