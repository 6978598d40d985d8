"""Ends what nobody came for: approvals past their deadline, builds past their build_by."""

from dataclasses import dataclass

import structlog

from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from guardrails.access import Caller

BATCH = 200
log = structlog.get_logger()


@dataclass(frozen=True)
class Rescued:
    """How many documents were ended."""

    ended: int


def rescue_once(ledger: Ledger, caller: Caller) -> Rescued:
    """End every overdue document. A lane whose lease ran out is no case for this: the next claim takes over."""
    ended = 0
    for document in ledger.documents.overdue(BATCH):
        try:
            moved = ledger.documents.expire(caller, document)
        except LostRace:
            continue
        ended += 1
        log.warning("overdue", doc=document.id, status=document.status.value, to=moved.status.value)
    return Rescued(ended)
