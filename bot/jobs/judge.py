"""Judges what was received: gathers the facts, runs the guardrails, writes the verdicts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from functools import partial

import structlog

from bot.errors import CapFull, LostRace
from bot.jobs.breaker import heed_loop, heed_pace
from bot.jobs.commands import Order, obey
from bot.jobs.facts import Bench, Case, gathered
from bot.jobs.look import UNREAD, LookProof
from bot.jobs.looking import look_around
from bot.jobs.moderating import Questions
from bot.jobs.retrying import Retries
from bot.ledger.accepting import Passed
from bot.ledger.views import Document
from bot.logs import about
from guardrails.caps import Place, places
from guardrails.documents import DocId
from guardrails.facts import Facts
from guardrails.judgement import Judgement, Verdict
from guardrails.patience import ask_again_at, settled, unknown_since
from guardrails.rules import Rules
from guardrails.said import Outcome, Said, unknown
from guardrails.transitions import Reason, Status
from guardrails.verdicts import judge, without_place

BATCH = 100
# What broke has to be mended first, and a look at all that we said may take its time.
AGAIN_AFTER = timedelta(minutes=1)
# What is taken on is written with what comes after it.
_LATER = "later"
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


def judge_once(bench: Bench, proof: LookProof) -> Judged:
    """Judge every received document whose time has come; one that cannot be judged does not stop the rest.

    The proof says that the repository was looked at; for who asked before that reaches, it is looked on first. Ledger
    and network are asked about all of them at once, the network only about what the cheaper checks let through. Once
    the round is over the rest is left to the next one.
    """
    waiting, unread = _by_the_look(bench, proof, bench.ledger.queries.waiting(Status.RECEIVED, BATCH))
    cases = look_around(bench, gathered(bench, waiting))
    questions = Questions(bench)
    retries = Retries(bench, questions)
    came = Counter(_put_off_unread(bench, unread))
    taken = _Taken(bench, came)
    for document in waiting:
        if bench.over():
            break
        judging = partial(_judge, bench, document, cases, _Asking(questions, retries, taken))
        came[_guarded(bench, document, judging)] += 1
    taken.write()
    done = Judged(**{field: n for field, n in came.items() if field != _LATER})
    heed_pace(bench, done.accepted + retries.made)
    return done


def _by_the_look(bench: Bench, proof: LookProof, found: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    """Those to which an answer would be known, and those for which that takes a further look."""
    parted: dict[bool, list[Document]] = {True: [], False: []}
    for document in found:
        parted[_is_looked_for(bench, proof, document)].append(document)
    return parted[True], parted[False]


def _is_looked_for(bench: Bench, proof: LookProof, document: Document) -> bool:
    try:
        known = document.mention.stale or proof.reaches(document)
    except ValueError:  # it is told where the document is judged
        return True
    return known or proof.look_on(bench.account, document, bench.over)


def _put_off_unread(bench: Bench, documents: Sequence[Document]) -> Iterator[str]:
    """What came of those that wait for the look: like all that cannot be told, they are for a person in the end."""
    cases = gathered(bench, documents) if documents else {}

    def put_off(document: Document) -> str:
        facts, now = cases[document.id].facts, bench.now()
        judgement = judge(facts, bench.rules, now, (is_our_past_read,))
        return _write(bench, document, settled(judgement, facts, bench.rules, now), facts)

    for document in documents:
        yield _guarded(bench, document, partial(put_off, document))


def is_our_past_read(facts: Facts, rules: Rules, now: datetime) -> Said:
    """That an answer to it would be known: not before our own posts are read down to its day."""
    return unknown(UNREAD, now + AGAIN_AFTER)


class _Taken:
    """Asks that are taken on together, as long as nothing else is written: what comes then finds them taken on."""

    def __init__(self, bench: Bench, came: Counter[str]) -> None:
        self._bench = bench
        self._came = came
        self._passed: list[Passed] = []

    def add(self, passed: Passed) -> None:
        """One more, to be written later."""
        self._passed.append(passed)

    def write(self) -> None:
        """Take them on; where they do not go together, each goes by itself."""
        passed, self._passed = self._passed, []
        if len(passed) > 1 and self._together(passed):
            self._came["accepted"] += len(passed)
            return
        for each in passed:
            accepting = partial(_accept, self._bench, each.document, each.judgement, each.facts)
            self._came[_guarded(self._bench, each.document, accepting)] += 1

    def _together(self, passed: Sequence[Passed]) -> bool:
        try:
            return self._bench.ledger.documents.accept_all(self._bench.caller, passed)
        except Exception:  # of which of them, is told by itself
            log.exception("accept_failed")
            return False


def _guarded(bench: Bench, document: Document, work: Callable[[], str]) -> str:
    """What came of a document: it may have moved, or break, and does not stop the rest."""
    with about(document=document.id):
        try:
            return work()
        except LostRace:
            return "lost"
        except Exception:
            log.exception("judge_failed", document=document.id)
            _put_off(bench, document)
            return "broken"


@dataclass(frozen=True)
class _Asking:
    """What all documents of a round share."""

    questions: Questions
    retries: Retries
    taken: _Taken


def _judge(bench: Bench, document: Document, cases: Mapping[DocId, Case], asking: _Asking) -> str:
    case = cases[document.id]
    document, facts = case.document, case.facts
    if case.is_reread:
        log.info("reread", document=document.id, cid=facts.mention.post.cid)
        document = bench.ledger.documents.reread(bench.caller, document, facts.mention)
    facts, judgement = asking.questions.judged(facts, case.before)
    judgement = settled(judgement, facts, bench.rules, bench.now())
    log.info("judged", document=document.id, outcome=judgement.outcome.value, reason=judgement.reason)
    if judgement.outcome is Outcome.PASS:
        passed = Passed(document, judgement, _dated(bench, judgement, facts), _places(bench, document, facts))
        if passed.stands_alone:
            asking.taken.add(passed)
            return _LATER
    asking.taken.write()
    if judgement.reason is Reason.LOOP:
        heed_loop(bench, facts.thread)
    retry = partial(asking.retries.ask_again, unknown_since=facts.unknown_since)
    judgement = obey(bench, document, judgement, Order(bench.account.did, bench.rules, bench.now(), retry))
    return _write(bench, document, judgement, facts)


def _put_off(bench: Bench, document: Document) -> None:
    """So that the next round does not begin with it; over whatever version this round has left."""
    with suppress(LostRace):
        present = bench.ledger.queries.document(document.id)
        until = bench.now() + AGAIN_AFTER
        bench.ledger.documents.postpone(bench.caller, present, _readable(present), until)


def _readable(document: Document) -> Sequence[Verdict]:
    """The verdicts, none where they are what cannot be read."""
    try:
        return document.verdicts
    except ValueError:
        return ()


def _write(bench: Bench, document: Document, judgement: Judgement, facts: Facts) -> str:
    documents = bench.ledger.documents
    facts = _dated(bench, judgement, facts)
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
    try:
        bench.ledger.documents.accept(bench.caller, document, judgement, facts, _places(bench, document, facts))
    except CapFull as full:
        late = without_place(judgement, full.cap, full.until, bench.rules, bench.now())
        return _write(bench, document, late, facts)
    return "accepted"


def _dated(bench: Bench, judgement: Judgement, facts: Facts) -> Facts:
    """With the moment since which something is unknown."""
    return facts.model_copy(update={"unknown_since": unknown_since(judgement, facts, bench.now())})


def _places(bench: Bench, document: Document, facts: Facts) -> tuple[Place, ...]:
    return places(document.author_did, facts.thread, bench.rules)
