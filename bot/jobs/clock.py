"""Looks whether this machine's clock is the network's: by a wrong one work is put off, or held to be late."""

from datetime import timedelta

import structlog

from bot.ledger.conditions import CLOCK
from bot.ledger.ledger import Ledger

LARGEST_SKEW = timedelta(seconds=30)
MEND = "let this machine keep time (NTP)"
log = structlog.get_logger()


def clock_once(ledger: Ledger, ahead: timedelta | None) -> None:
    """Note by how much this machine is ahead of the PDS, or behind it; nothing where that does not tell the time."""
    if ahead is None:
        return
    if abs(ahead) > LARGEST_SKEW:
        if not ledger.conditions.stands(CLOCK):
            log.error("clock_is_wrong", detail=skew(ahead), mend=MEND)
        ledger.conditions.set(CLOCK, f"this machine is {skew(ahead)} the PDS")
    elif ledger.conditions.stands(CLOCK):
        ledger.conditions.clear(CLOCK)
        log.info("clock_fine")


def skew(ahead: timedelta) -> str:
    """How far one clock is from another, in words."""
    return f"{abs(ahead).total_seconds():.0f} s {'ahead of' if ahead > timedelta() else 'behind'}"
