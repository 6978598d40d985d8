"""Tells operators when work waits and no lane comes for it, or nobody could pay for it."""

from dataclasses import dataclass
from datetime import timedelta

import structlog

from bot.ledger.conditions import NO_LANE, PURSE
from bot.ledger.lanes import Waiting
from bot.ledger.ledger import Ledger
from bot.ledger.money import shortage
from bot.ledger.purse import Purse
from guardrails.switches import Switch

log = structlog.get_logger()


@dataclass(frozen=True)
class Looked:
    """How many documents a lane could claim, and whether that is so for too long."""

    waiting: int
    is_late: bool


def look_for_lanes_once(ledger: Ledger, longest: timedelta, purse: Purse) -> Looked:
    """Note as a condition that work has waited longer than that, and that no lane has asked for any in that time.

    And that it waits while the purse is empty: lanes that are called for work are not called then, so none would tell.
    """
    short = shortage(ledger.db, purse)
    _heed_purse(ledger, short)
    waiting = _claimable(ledger, short)
    asked_at, since = ledger.lanes.last_asked(), ledger.db.time() - longest
    is_late = waiting is not None and waiting.since < since and (asked_at is None or asked_at < since)
    if waiting is not None and is_late:
        last = f"the last one asked for work at {asked_at:%Y-%m-%d %H:%M} UTC" if asked_at else "none ever has"
        told = f"work has waited since {waiting.since:%Y-%m-%d %H:%M} UTC and no lane has come for it: {last}"
        if ledger.conditions.set(NO_LANE, told):
            log.error("no_lane", detail=told)
    elif ledger.conditions.clear(NO_LANE):
        log.info("lane_came")
    return Looked(waiting.documents if waiting is not None else 0, is_late)


def claimable_work(ledger: Ledger, purse: Purse) -> Waiting | None:
    """What waits for a lane; None when nothing does, or when nothing could be claimed, whoever came."""
    return _claimable(ledger, shortage(ledger.db, purse))


def _heed_purse(ledger: Ledger, short: str | None) -> None:
    if short is None:
        if ledger.conditions.clear(PURSE):
            log.info("purse_has_room")
    elif ledger.lanes.waiting() is not None and ledger.conditions.set(PURSE, short):
        log.error("purse_empty", detail=short)


def _claimable(ledger: Ledger, short: str | None) -> Waiting | None:
    if short is not None or ledger.desk.is_on(Switch.PAUSE_BUILDS):
        return None
    return ledger.lanes.waiting()
