"""The doctor's look at what is kept for a time only: what is set, and whether it was done."""

from datetime import timedelta

from bot.ledger.ledger import Ledger
from bot.retention_settings import RetentionSettings
from bot.terminal.moments import ago
from guardrails.findings import Finding, ok, warn

# A walk through all that has ended begins every six hours, and takes its time where there is much.
LATE = timedelta(days=2)
_LATELY_DAYS = 7


def retention_finding(settings: RetentionSettings, ledger: Ledger) -> Finding:
    """How long what is kept, when that was last seen to, and what went lately."""
    kept = {
        "logs": settings.keep_logs_days,
        "posts": settings.keep_posts_days,
        "histories": settings.keep_history_days,
        "skipped asks": settings.keep_skipped_days,
        "apps": settings.keep_apps_days,
    }
    limits = ", ".join(f"{name} for {days} d" for name, days in kept.items() if days is not None)
    if not limits:
        return ok("retention", "everything is kept for ever")
    now, last = ledger.db.time(), ledger.retention.last_walk()
    removed = ledger.retention.lately_removed(_LATELY_DAYS)
    went = ", ".join(f"{n:,} {what}" for what, n in sorted(removed.items())) or "nothing"
    told = f"kept: {limits}; in the last {_LATELY_DAYS} days went {went}"
    if last is None or now - last > LATE:
        looked = f"not seen to for {ago(last, now)}" if last is not None else "not seen to yet"
        return warn("retention", f"{told}; {looked}", "a running bot does it by itself, `skywright prune` does it now")
    return ok("retention", f"{told}; last seen to {ago(last, now)} ago")
