"""Calls the workflow of a lane in CI when work waits and no lane has come for it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.jobs.lanes import claimable_work
from bot.ledger.conditions import DISPATCH
from bot.ledger.dispatches import Dispatch, Pace
from bot.ledger.lanes import Waiting
from bot.ledger.ledger import Ledger
from bot.ledger.purse import Purse
from bot.outgoing import Failed
from bot.workflows import WorkflowCalls

# So long the work is left to the lanes that watch for it.
GRACE = timedelta(seconds=15)
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=1)
log = structlog.get_logger()


@dataclass(frozen=True)
class Dispatched:
    """How many documents wait for a lane, and whether the workflow was called for them now."""

    waiting: int
    called: bool = False


def dispatch_once(
    ledger: Ledger, workflow: WorkflowCalls, pace: Pace, purse: Purse, new_id: Callable[[], str]
) -> Dispatched:
    """Call the workflow if it is time to, and note it first: a crash costs a call, and never makes one too many.

    What waits is known from the ledger alone. A call that is made again, since no lane has come by, carries the same
    id; of one that fails operators are told, and the next comes ever later.
    """
    waiting, asked_at = claimable_work(ledger, purse), ledger.lanes.last_asked()
    if waiting is None or not _is_wanted(waiting, asked_at, ledger.db.time(), pace):
        return Dispatched(waiting.documents if waiting is not None else 0)
    dispatch = ledger.dispatches.reserve(workflow.target, new_id(), asked_at, pace)
    if dispatch is None:
        return Dispatched(waiting.documents)
    failed = workflow.call(dispatch.token)
    if failed is not None:
        _failed(ledger, dispatch, failed)
    else:
        ledger.dispatches.sent(dispatch)
        log.info("dispatched", target=dispatch.target, dispatch=dispatch.token, tries=dispatch.tries)
        if ledger.conditions.clear(DISPATCH):
            log.info("dispatch_works")
    return Dispatched(waiting.documents, called=True)


def _is_wanted(waiting: Waiting, asked_at: datetime | None, now: datetime, pace: Pace) -> bool:
    """Whether no lane has asked since the work waits; one that did may have gone, or have its hands full."""
    if now - waiting.since < GRACE:
        return False
    return asked_at is None or asked_at < waiting.since or now - asked_at >= pace.again_after


def _failed(ledger: Ledger, dispatch: Dispatch, failed: Failed) -> None:
    wait = min(FIRST_WAIT * 2 ** min(dispatch.failures, 10), LONGEST_WAIT)
    ledger.dispatches.failed(dispatch, max(wait, failed.after or wait))
    told = f"{dispatch.target} cannot be called: {failed.detail}"
    if ledger.conditions.set(DISPATCH, told):
        log.error("dispatch_failed", detail=told)
