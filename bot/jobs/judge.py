"""Judges what was received: gathers the facts, runs the guardrails, writes the verdicts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.access import Caller
from guardrails.documents import Did
from guardrails.transitions import Status
from guardrails.verdicts import Facts, Judgement, Outcome, judge

BATCH = 100
ASK_AGAIN_AFTER = timedelta(minutes=1)
log = structlog.get_logger()


@dataclass(frozen=True)
class Judged:
    """How many documents were decided each way."""

    accepted: int = 0
    held: int = 0
    refused: int = 0
    postponed: int = 0
    lost: int = 0
    broken: int = 0


def judge_once(ledger: Ledger, our_did: Did, caller: Caller, now: Callable[[], datetime]) -> Judged:
    """Judge every received document whose time has come; one that cannot be judged does not stop the rest."""
    done = Judged()
    for document in ledger.queries.waiting(Status.RECEIVED, BATCH):
        try:
            field = _judge(ledger, our_did, caller, document, now())
        except LostRace:
            field = "lost"
        except Exception:
            log.exception("judge_failed", doc=document.id)
            ledger.documents.postpone(caller, document, document.verdicts, now() + ASK_AGAIN_AFTER)
            field = "broken"
        done = replace(done, **{field: getattr(done, field) + 1})
    return done


def _judge(ledger: Ledger, our_did: Did, caller: Caller, document: Document, now: datetime) -> str:
    facts = Facts(document.mention, our_did, answered=ledger.sends.is_answered(document.id))
    judgement = judge(facts, now)
    log.info("judged", doc=document.id, outcome=judgement.outcome.value, reason=judgement.reason)
    return _write(ledger, caller, document, judgement, now)


def _write(ledger: Ledger, caller: Caller, document: Document, judgement: Judgement, now: datetime) -> str:
    match judgement.outcome:
        case Outcome.PASS:
            ledger.documents.accept(caller, document, judgement)
            return "accepted"
        case Outcome.HOLD:
            ledger.documents.hold(caller, document, judgement)
            return "held"
        case Outcome.SKIP:
            ledger.documents.refuse(caller, document, judgement)
            return "refused"
        case Outcome.WAIT | Outcome.UNKNOWN:
            until = judgement.verdicts[-1].until or now + ASK_AGAIN_AFTER
            ledger.documents.postpone(caller, document, judgement.verdicts, until)
            return "postponed"
