"""Judges what was received: gathers the facts, runs the guardrails, writes the verdicts."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from datetime import timedelta
from functools import partial

import structlog

from bot.errors import CapFull, LostRace
from bot.jobs.breaker import heed_loop, heed_pace
from bot.jobs.commands import Order, obey
from bot.jobs.facts import Bench, Case, gathered
from bot.jobs.looking import look_around
from bot.jobs.moderating import Questions
from bot.jobs.retrying import Retries
from bot.ledger.views import Document
from bot.logs import about
from guardrails.caps import places
from guardrails.facts import Facts
from guardrails.patience import ask_again_at, settled, unknown_since
from guardrails.said import Outcome
from guardrails.transitions import Reason, Status
from guardrails.verdicts import Judgement, Verdict, without_place

BATCH = 100
# What broke has to be mended first.
BROKEN_AGAIN_AFTER = timedelta(minutes=1)
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


def judge_once(bench: Bench) -> Judged:
    """Judge every received document whose time has come; one that cannot be judged does not stop the rest.

    Ledger and network are asked about all of them at once, the network only about what the cheaper checks let through.
    Once the round is over the rest is left to the next one.
    """
    waiting = bench.ledger.queries.waiting(Status.RECEIVED, BATCH)
    cases = look_around(bench, gathered(bench, waiting))
    questions = Questions(bench)
    retries = Retries(bench, questions)
    done = Judged()
    for document in waiting:
        if bench.over():
            break
        with about(document=document.id):
            try:
                field = _judge(bench, cases[document.id], questions, retries)
            except LostRace:
                field = "lost"
            except Exception:
                log.exception("judge_failed", document=document.id)
                _put_off(bench, document)
                field = "broken"
        done = replace(done, **{field: getattr(done, field) + 1})
    heed_pace(bench, done.accepted + retries.made)
    return done


def _judge(bench: Bench, case: Case, questions: Questions, retries: Retries) -> str:
    document, facts = case.document, case.facts
    if case.is_reread:
        log.info("reread", document=document.id, cid=facts.mention.post.cid)
        document = bench.ledger.documents.reread(bench.caller, document, facts.mention)
    facts, judgement = questions.judged(facts)
    judgement = settled(judgement, facts, bench.rules, bench.now())
    log.info("judged", document=document.id, outcome=judgement.outcome.value, reason=judgement.reason)
    if judgement.reason is Reason.LOOP:
        heed_loop(bench, facts.thread)
    retry = partial(retries.ask_again, unknown_since=facts.unknown_since)
    judgement = obey(bench, document, judgement, Order(bench.account.did, bench.rules, bench.now(), retry))
    return _write(bench, document, judgement, facts)


def _put_off(bench: Bench, document: Document) -> None:
    """So that the next round does not begin with it; over whatever version this round has left."""
    with suppress(LostRace):
        present = bench.ledger.queries.document(document.id)
        until = bench.now() + BROKEN_AGAIN_AFTER
        bench.ledger.documents.postpone(bench.caller, present, _readable(present), until)


def _readable(document: Document) -> Sequence[Verdict]:
    """The verdicts, none where they are what cannot be read."""
    try:
        return document.verdicts
    except ValueError:
        return ()


def _write(bench: Bench, document: Document, judgement: Judgement, facts: Facts) -> str:
    documents = bench.ledger.documents
    since = unknown_since(judgement, facts, bench.now())
    facts = facts.model_copy(update={"unknown_since": since})
    match judgement.outcome:
        case Outcome.PASS:
            return _accept(bench, document, judgement, facts)
        case Outcome.HOLD:
            documents.hold(bench.caller, document, judgement, facts)
            return "held"
        case Outcome.SKIP:
            documents.refuse(bench.caller, document, judgement, facts)
            return "refused"
        case Outcome.WAIT | Outcome.UNKNOWN:
            until = ask_again_at(judgement, facts, bench.now())
            documents.postpone(bench.caller, document, judgement.verdicts, until, facts)
            return "postponed"


def _accept(bench: Bench, document: Document, judgement: Judgement, facts: Facts) -> str:
    wanted = places(document.author_did, facts.thread, bench.rules)
    try:
        bench.ledger.documents.accept(bench.caller, document, judgement, facts, wanted)
    except CapFull as full:
        late = without_place(judgement, full.cap, full.until, bench.rules, bench.now())
        return _write(bench, document, late, facts)
    return "accepted"
