"""The doctor's look at the ledger's backups."""

from datetime import timedelta

from bot.jobs.backed_up import MEND, USUAL_DAYS
from bot.ledger.ledger import Ledger
from bot.ledger.marks import BACKED_UP, FIRST_START
from bot.settings import LedgerSettings
from bot.terminal.moments import ago
from guardrails.findings import Finding, ok, warn


def backup_finding(ledger: Ledger, settings: LedgerSettings) -> Finding:
    """How old the last good backup is; that none was ever made is told once there is something to lose."""
    now, last = ledger.db.time(), ledger.desk.watermark(BACKED_UP)
    since = last or ledger.desk.watermark(FIRST_START) or now
    told = f"the last good one was made {ago(last, now)} ago" if last is not None else "none was made yet"
    if now - since > timedelta(days=settings.alert_backup_days or USUAL_DAYS):
        return warn("backup", told, MEND)
    return ok("backup", told)
