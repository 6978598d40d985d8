"""Finishes what was left: approvals and builds past their time, asks whose first was withdrawn, forgotten people."""

from contextlib import suppress
from dataclasses import dataclass

import structlog

from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from guardrails.access import Caller

BATCH = 200
log = structlog.get_logger()


@dataclass(frozen=True)
class Rescued:
    """How many documents were ended, judged afresh, and blanked."""

    ended: int
    reopened: int = 0
    blanked: int = 0


def rescue_once(ledger: Ledger, caller: Caller) -> Rescued:
    """End every overdue document. A lane whose lease ran out is no case for this: the next claim takes over.

    Whatever a crash has left of a withdrawal or of a wish to be forgotten is done here.
    """
    return Rescued(_end_overdue(ledger, caller), _reopen_joined(ledger, caller), ledger.people.tidy(caller))


def _end_overdue(ledger: Ledger, caller: Caller) -> int:
    ended = 0
    for document in ledger.documents.overdue(BATCH):
        try:
            moved = ledger.documents.expire(caller, document)
        except LostRace:
            continue
        ended += 1
        log.warning("overdue", document=document.id, status=document.status.value, to=moved.status.value)
    return ended


def _reopen_joined(ledger: Ledger, caller: Caller) -> int:
    reopened = 0
    for first in ledger.documents.withdrawn_with_joined(BATCH):
        with suppress(LostRace):
            reopened += len(ledger.documents.reopen_joined_to(caller, first))
    return reopened
