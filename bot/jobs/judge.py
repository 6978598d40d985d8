"""Judges what was received: gathers the facts, runs the guardrails, writes the verdicts."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta

import structlog

from bot.bluesky.session import Account
from bot.bluesky.sight import ThreadSight, look_at_threads
from bot.errors import LostRace
from bot.jobs.commands import obey
from bot.jobs.outlook import outlook
from bot.jobs.rereading import reread
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.access import Caller
from guardrails.documents import AtUri
from guardrails.transitions import Reason, Status
from guardrails.verdicts import BEFORE_THE_LOOK, Facts, Judgement, Outcome, judge

BATCH = 100
ASK_AGAIN_AFTER = timedelta(seconds=5)
BROKEN_AGAIN_AFTER = timedelta(minutes=1)
# What has been unknown for long is asked about less often.
ASK_AGAIN_BY = timedelta(minutes=10)
# What has been unknown for so long is for a person to decide: an account may never come back.
UNKNOWN_FOR = timedelta(hours=24)
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

    @property
    def documents(self) -> int:
        """How many were looked into."""
        return sum(astuple(self))


@dataclass(frozen=True)
class Bench:
    """What it takes to judge: the ledger, the account that looks, who writes, and the time."""

    ledger: Ledger
    account: Account
    caller: Caller
    now: Callable[[], datetime]


def judge_once(
    ledger: Ledger,
    account: Account,
    caller: Caller,
    now: Callable[[], datetime],
    over: Callable[[], bool] = lambda: False,
) -> Judged:
    """Judge every received document whose time has come; one that cannot be judged does not stop the rest.

    The network is asked about all of them at once, and only about what the cheaper checks let through. Once it is
    `over` the rest is left to the next round.
    """
    bench = Bench(ledger, account, caller, now)
    waiting = ledger.queries.waiting(Status.RECEIVED, BATCH)
    asked = [document.mention.post.uri for document in waiting if _wants_a_look(bench, document)]
    sights = look_at_threads(account, asked, over) if asked else {}
    done = Judged()
    for document in waiting:
        if over():
            break
        try:
            field = _judge(bench, document, sights.get(AtUri(document.source_uri)))
        except LostRace:
            field = "lost"
        except Exception:
            log.exception("judge_failed", doc=document.id)
            _put_off(bench, document)
            field = "broken"
        done = replace(done, **{field: getattr(done, field) + 1})
    return done


def _wants_a_look(bench: Bench, document: Document) -> bool:
    try:
        first = judge(_facts(bench, document), bench.now(), BEFORE_THE_LOOK)
    except Exception:  # it is told where the document is judged
        return False
    return first.outcome in (Outcome.PASS, Outcome.HOLD)


def _judge(bench: Bench, document: Document, sight: ThreadSight | None) -> str:
    edited = reread(document.mention, sight.post, bench.account.did) if sight is not None else None
    if edited is not None:
        log.info("reread", doc=document.id, cid=edited.post.cid)
        document = bench.ledger.documents.reread(bench.caller, document, edited)
    facts = replace(_facts(bench, document), outlook=outlook(sight) if sight is not None else None)
    judgement = _settled(document, judge(facts, bench.now()), bench.now())
    log.info("judged", doc=document.id, outcome=judgement.outcome.value, reason=judgement.reason)
    # Also one from before the first start: what it is about may be known by our reply alone.
    if judgement.reason in (Reason.COMMAND, Reason.BEFORE_FIRST_START):
        obey(bench, document, bench.account.did)
    return _write(bench, document, judgement)


def _settled(document: Document, judgement: Judgement, now: datetime) -> Judgement:
    """What still is not known after a day of asking is held; a first look alone decides nothing, however late it is."""
    asked_before = any(verdict.outcome is Outcome.UNKNOWN for verdict in document.verdicts)
    if judgement.outcome is not Outcome.UNKNOWN or not asked_before or now - document.updated_at < UNKNOWN_FOR:
        return judgement
    held = {"outcome": Outcome.HOLD, "reason": Reason.UNKNOWN_TOO_LONG}
    *earlier, last = judgement.verdicts
    return Judgement(Outcome.HOLD, Reason.UNKNOWN_TOO_LONG, (*earlier, last.model_copy(update=held)))


def _put_off(bench: Bench, document: Document) -> None:
    """So that the next round does not begin with it; over whatever version this round has left."""
    with suppress(LostRace):
        present = bench.ledger.queries.document(document.id)
        until = bench.now() + BROKEN_AGAIN_AFTER
        bench.ledger.documents.postpone(bench.caller, present, present.verdicts, until)


def _facts(bench: Bench, document: Document) -> Facts:
    answered = bench.ledger.sends.is_answered(document.id)
    return Facts(document.mention, bench.account.did, answered)


def _write(bench: Bench, document: Document, judgement: Judgement) -> str:
    documents = bench.ledger.documents
    match judgement.outcome:
        case Outcome.PASS:
            documents.accept(bench.caller, document, judgement)
            return "accepted"
        case Outcome.HOLD:
            documents.hold(bench.caller, document, judgement)
            return "held"
        case Outcome.SKIP:
            documents.refuse(bench.caller, document, judgement)
            return "refused"
        case Outcome.WAIT | Outcome.UNKNOWN:
            until = judgement.verdicts[-1].until or _ask_again_at(document, bench.now())
            if judgement.outcome is Outcome.UNKNOWN:
                # Whatever a server has told: for what is asked too early there is no call.
                until = min(until, bench.now() + ASK_AGAIN_BY)
            documents.postpone(bench.caller, document, judgement.verdicts, until)
            return "postponed"


def _ask_again_at(document: Document, now: datetime) -> datetime:
    """As long again as it has been unknown already, within bounds."""
    return now + min(max(now - document.created_at, ASK_AGAIN_AFTER), ASK_AGAIN_BY)
