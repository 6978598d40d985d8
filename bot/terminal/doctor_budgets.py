"""The doctor's look at what is counted: write points and logins."""

from collections.abc import Iterator

from bot.ledger.ledger import Ledger
from bot.ledger.policy import Caps
from bot.ledger.usage import EXTRA_PERCENT, POINTS, used, windows
from bot.settings import LedgerSettings, Settings
from guardrails.documents import Did
from guardrails.findings import Finding, ok, warn


def points_finding(ledger: Ledger, settings: LedgerSettings) -> Finding:
    """How many of the account's write points are used in this hour and day; near the end likes and notes wait."""
    told, percent = _used(ledger, POINTS, settings.policy.write_points)
    if percent >= 100:
        return warn("write points", told, "replies wait until there are some again")
    if percent >= EXTRA_PERCENT:
        return warn("write points", told, "what is left is for replies; likes and notes wait")
    return ok("write points", told)


def logins_findings(ledger: Ledger, settings: Settings, did: Did | None) -> Iterator[Finding]:
    """How many logins were made with the account, once it is known."""
    if did is None:
        return
    told, percent = _used(ledger, f"logins:{did}", settings.login_caps)
    if percent >= 100:
        yield warn("logins", told, "look for what throws the session away; no login is tried until then")
    else:
        yield ok("logins", told)


def _used(ledger: Ledger, scope: str, caps: Caps) -> tuple[str, int]:
    """What is used of the present hour and day, in words; and in percent, of the fuller one."""
    with ledger.db.read() as connection:
        hour, day = windows(ledger.db, connection, caps)
        in_hour, in_day = used(connection, scope, hour.name), used(connection, scope, day.name)
    told = f"{in_hour} of {hour.cap} until {hour.resets_at:%H:%M} UTC, {in_day} of {day.cap} today"
    return told, max(100 * in_hour // hour.cap, 100 * in_day // day.cap)
