"""What a command does, and which ask it is about: its author's own, and nobody else's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from bot.jobs.take_back import Hand, withdraw
from bot.ledger.known import KnownReply
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.texts import Note
from guardrails.around import parent_of
from guardrails.documents import AtUri, Did, DocId
from guardrails.judgement import Judgement, Verdict
from guardrails.request import Command, CommandWord, read_post
from guardrails.rules import Rules
from guardrails.said import Outcome, Said
from guardrails.transitions import NO_ASK, Reason, Status

# The verdict of a command's document that says what came of it: a note to answer with, a full cap that nothing waits
# for, or this: what its ask is doing by the time that it is answered.
STATE = "state"
OBEY = "obey"

_OPEN = frozenset(
    {
        Status.RECEIVED,
        Status.AWAITING_APPROVAL,
        Status.PENDING_BUILD,
        Status.BUILDING,
        Status.BUILT,
    }
)
# Whatever keeps its author from asking, nobody is kept from taking back, or from being forgotten.
_ALWAYS = frozenset({CommandWord.CANCEL, CommandWord.DELETE, CommandWord.FORGET_ME, CommandWord.REMEMBER_ME})
_UNWELCOME = frozenset({Reason.BEFORE_FIRST_START, Reason.DENIED, Reason.OPTED_OUT})
# So many of its author's commands, each a reply to the one before, are followed to what they are about.
_FURTHEST = 20
log = structlog.get_logger()


@dataclass(frozen=True)
class Order:
    """By what a command is obeyed. `retry` asks once more for a failed build: PASS when it will be built again."""

    our_did: Did
    rules: Rules
    now: datetime
    retry: Callable[[Document], Said]


def obey(hand: Hand, document: Document, judgement: Judgement, order: Order) -> Judgement:
    """Do what the command in a document says; the judgement, and what came of it where the asker may hear that.

    Before the document itself is moved, so that a crash in between obeys twice, never not at all. Where nothing could
    be done yet, the judgement is to ask again later. LostRace when what it is about has just moved: obey once more.
    """
    word = _word(document, judgement.reason, order.our_did)
    if word is None:
        return judgement
    said = _obeyed(hand, document, word, order)
    if judgement.reason is not Reason.COMMAND:
        return judgement
    came = Verdict(
        check=OBEY,
        rules=order.rules.version,
        outcome=said.outcome,
        reason=said.reason,
        detail=said.detail,
        until=said.until,
        at=order.now,
    )
    verdicts = (*judgement.verdicts, came)
    if said.outcome in (Outcome.WAIT, Outcome.UNKNOWN):
        return Judgement(said.outcome, said.reason, verdicts)
    return replace(judgement, verdicts=verdicts)


def asked_by(ledger: Ledger, document: Document) -> Sequence[Document]:
    """The same author's asks that a reply is about: those in its parent, or that its parent answers.

    Else the one that began the thread. None for a post that is no reply.
    """
    return [each for each in _about(ledger, document) if isinstance(each, Document)]


def first_of(ledger: Ledger, document: Document) -> Document:
    """The ask that one stands for: itself, or the one that it joined."""
    seen: set[DocId] = set()
    while document.reason is Reason.SAME_ASK and document.joined_to is not None and document.id not in seen:
        seen.add(document.id)
        document = ledger.queries.document(document.joined_to)
    return document


def app_address(ledger: Ledger, document: Document) -> str | None:
    """Where the app that came of an ask stands; None when there is none, not any more, or a person has to agree."""
    ended = document.status in (Status.BUILT, Status.REPLIED, Status.ERROR) and document.reply_held is None
    if not ended or document.result is None or document.is_taken_back:
        return None
    app = ledger.hosting.app(document.slug) if document.slug is not None else None
    return document.result.address if app is None or app.gone_at is None else None


def _word(document: Document, reason: Reason | None, our_did: Did) -> CommandWord | None:
    """The command that counts, None when there is none. Whether it had to mention us, its judgement has looked at."""
    match read_post(document.mention.record, our_did, mentioned=False):
        case Command(word=word) if reason is Reason.COMMAND or (reason in _UNWELCOME and word in _ALWAYS):
            return word
    return None


def _obeyed(hand: Hand, document: Document, word: CommandWord, order: Order) -> Said:
    match word:
        case CommandWord.HELP:
            return _answer(Note.HELP)
        case CommandWord.STATUS:
            return Said(Outcome.PASS, detail=STATE)
        case CommandWord.CANCEL | CommandWord.DELETE:
            return _take_back(hand, document)
        case CommandWord.RETRY:
            return _retry(hand, document, order)
        case CommandWord.FORGET_ME:
            hand.ledger.people.forget(hand.caller, document.author_did, keep=document.id)
            return _answer(Note.FORGOTTEN)
        case CommandWord.REMEMBER_ME:
            hand.ledger.people.remember(hand.caller, document.author_did, document.mention.indexed_at)
            return _answer(Note.REMEMBERED)


def _take_back(hand: Hand, document: Document) -> Said:
    asked = _with_joined(hand.ledger, _about(hand.ledger, document))
    taken = [_took_back(hand, each) for each in asked]
    if not asked:
        return _answer(Note.IS_NOTHING)
    return _answer(Note.TAKEN_BACK if any(taken) else Note.IS_OVER)


def _with_joined(ledger: Ledger, asked: Sequence[Document | KnownReply]) -> Sequence[Document | KnownReply]:
    """What was asked more than once is taken back as one; the first last, so that none is judged afresh without it."""
    found: dict[DocId, Document | KnownReply] = {}
    for each in asked:
        first = first_of(ledger, each) if isinstance(each, Document) else each
        found |= {joined.id: joined for joined in ledger.queries.joined_to(first.id)}
        found[first.id] = first
    return list(found.values())


def _took_back(hand: Hand, asked: Document | KnownReply) -> bool:
    """Whether an ask is taken back, now or before; one that ended with nothing to show is over anyway."""
    if isinstance(asked, KnownReply):
        hand.ledger.known.take_back(hand.caller, asked)
        log.info("withdrawn", document=asked.id, status="known", reason=Reason.CANCELLED.value)
        return True
    if asked.withdrawn_at is not None:
        return True
    if asked.status in _OPEN or asked.reply_uri is not None:
        withdraw(hand, asked, Reason.CANCELLED)
        return True
    if asked.reason is Reason.SAME_ASK or asked.result is not None:
        hand.ledger.sightings.withdrawn(asked, Reason.CANCELLED)
        return True
    return False


def _retry(hand: Hand, document: Document, order: Order) -> Said:
    asked = [first_of(hand.ledger, each) for each in asked_by(hand.ledger, document)]
    for each in asked:
        if each.status is Status.BUILD_FAILED and not each.is_taken_back:
            return _tried(order.retry(each))
    if any(each.reason is Reason.ASKED_AGAIN for each in asked):
        return _answer(Note.TRIED_AGAIN)
    if any(each.status in _OPEN or app_address(hand.ledger, each) for each in asked):
        return Said(Outcome.PASS, detail=STATE)
    return _answer(Note.NOT_TRIED_AGAIN)


def _tried(said: Said) -> Said:
    """Why it is not tried again is for operators; but a full cap is no secret."""
    if said.outcome is Outcome.PASS:
        return _answer(Note.TRIED_AGAIN)
    if said.outcome in (Outcome.WAIT, Outcome.UNKNOWN) or said.reason is Reason.CAPPED:
        return said
    log.info("not_tried_again", reason=said.reason, detail=said.detail)
    return _answer(Note.NOT_TRIED_AGAIN)


def _answer(note: Note) -> Said:
    return Said(Outcome.PASS, detail=note.value)


def _about(ledger: Ledger, document: Document, seen: frozenset[DocId] = frozenset()) -> Sequence[Document | KnownReply]:
    """What a reply is about; of an ask that only an earlier ledger held, our reply."""
    parent = parent_of(document.mention.record)
    if parent is None or len(seen) >= _FURTHEST:
        return []
    seen |= {document.id}
    return _at(ledger, document, parent, seen) or _at(ledger, document, document.mention.thread, seen)


def _at(ledger: Ledger, document: Document, uri: AtUri, seen: frozenset[DocId]) -> Sequence[Document | KnownReply]:
    """What is no ask of its own leads on to what it replied to itself."""
    found = [each for each in ledger.queries.conversation(document.author_did, uri) if each.id not in seen]
    asks = [each for each in found if each.reason not in NO_ASK]
    further = [asked for each in found for asked in _about(ledger, each, seen)]
    return asks or further or ledger.known.conversation(document.author_did, uri)
