"""What is told about a document, also by how another one stands: answers to commands, asks that joined another."""

from dataclasses import replace
from datetime import datetime

from bot.errors import NoSuchDocument
from bot.jobs.commands import STATE, app_address, asked_by, first_of
from bot.jobs.notes import NOTE_PREFIX, Full, Line, Told, full_cap, is_late, note_for, waits_for
from bot.ledger.conversations import REVISION_SUFFIX
from bot.ledger.joining import LINK_SUFFIX
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.public import has_page, page_address
from bot.texts import Note
from guardrails.around import parent_of
from guardrails.documents import DocId
from guardrails.revisions import command_meant
from guardrails.transitions import NO_ASK, Reason, Status, is_terminal

_STATES = {
    Status.RECEIVED: Note.IS_WAITING,
    Status.AWAITING_APPROVAL: Note.IS_HELD,
    Status.PENDING_BUILD: Note.IS_QUEUED,
    Status.BUILDING: Note.IS_BUILDING,
}


def to_tell(ledger: Ledger, document: Document, now: datetime, pages: str = "") -> Told | None:
    """The line that is due about a document and not too late, None when nobody is told anything.

    What is told of the document alone has the keys of `note_for`, what an ask that joined another or a command is told
    `note:<doc>`, the link to an app that another one had built `note:<doc>:same`; a build that failed once more after
    its author's retry `note:<doc>:again:<n>`; a wish for a change `note:<doc with the app>:revision`, once in a thread.
    A command that was no command, "delete this", is told how it is said.
    `pages` is the address below which asks have public pages, which an answer links; empty where there are none.
    """
    if document.reason is Reason.SAME_ASK:
        return _joined(ledger, document, now)
    if is_late(document, now):
        return None
    if document.reason is Reason.COMMAND:
        return Told(_key(document), _answer(ledger, document, now, pages), is_answer=True)
    if document.reason is Reason.REVISION:
        return _revision(ledger, document)
    told = note_for(document, now)
    if told is None or told.key != _key(document):
        return told
    times = ledger.queries.times_asked_again(document.id)
    return replace(told, key=f"{told.key}:again:{times}") if times else told


def _joined(ledger: Ledger, document: Document, now: datetime) -> Told | None:
    """The link once the first has its app, else the line for how the first has ended; only once that one is over."""
    first = first_of(ledger, document)
    late = is_late(first, now) and is_late(document, now)
    if late or not is_terminal(first.kind, first.status) or first.is_taken_back:
        return None
    address = app_address(ledger, first)
    if address is not None:
        return Told(f"{_key(document)}{LINK_SUFFIX}", Line(Note.SAME_ASK, address=address), is_answer=True)
    told = note_for(first, now)
    return replace(told, key=_key(document), is_answer=True) if told and told.key == _key(first) else told


def _revision(ledger: Ledger, document: Document) -> Told | None:
    """Our line is a post of ours as well: what is wanted under it is told of by what it was said about."""
    meant = command_meant(document.mention.ask)
    if meant is not None:
        return Told(_key(document), Line(Note.SAY_ONLY, meant.value), is_answer=True) if _is_askers(document) else None
    if ledger.queries.is_told_of_changes(document):
        return None
    key = f"{NOTE_PREFIX}{_with_app(ledger, document)}{REVISION_SUFFIX}"
    return Told(key, Line(Note.REVISION), is_answer=True)


def _with_app(ledger: Ledger, document: Document) -> DocId:
    """The ask that a conversation is about, up from a line to what it was said about, and on to what that joined."""
    seen: set[DocId] = set()
    while document.id not in seen:
        seen.add(document.id)
        about = document.joined_to if document.reason is Reason.SAME_ASK else _answered(document)
        if about is None:
            return document.id
        try:
            document = ledger.queries.document(about)
        except NoSuchDocument:  # answered before this ledger's time
            return about
    return document.id


def _answered(document: Document) -> DocId | None:
    """Of what is no ask of its own: which document our post above it belongs to."""
    if document.reason not in NO_ASK or document.is_blank or document.facts is None:
        return None
    return document.facts.conversation.answered


def _is_askers(document: Document) -> bool:
    """Whether who says it made the ask that it is said of: nobody else's command does anything there."""
    return document.facts is not None and document.facts.conversation.by_asker


def _answer(ledger: Ledger, document: Document, now: datetime, pages: str) -> Line | Full:
    """What came of a command: a full cap, a note, or what its ask is doing now."""
    came = document.verdicts[-1]
    full = full_cap(came, goes_on=False)
    if full is not None:
        return full
    return _state(ledger, document, now, pages) if came.detail == STATE else Line(Note(came.detail))


def _state(ledger: Ledger, document: Document, now: datetime, pages: str) -> Line | Full:
    asked = asked_by(ledger, document)
    if not asked and parent_of(document.mention.record) is None:
        asked = ledger.queries.last_ask(document.author_did)
    if not asked:
        return Line(Note.IS_NOTHING)
    first = first_of(ledger, asked[-1])
    if first.is_taken_back:
        return Line(Note.IS_OVER)
    address = app_address(ledger, first)
    if address is not None:
        return Line(Note.IS_READY, address=address)
    line = waits_for(first, now) or Line(_STATES.get(first.status, Note.IS_OVER))
    return replace(line, address=_page(asked[-1], first, pages))


def _page(asked: Document, first: Document, pages: str) -> str:
    """Where everybody sees how an ask stands; empty where nobody does."""
    return (page_address(pages, asked) or "") if pages and has_page(asked, first) else ""


def _key(document: Document) -> str:
    return f"{NOTE_PREFIX}{document.id}"
