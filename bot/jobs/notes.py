"""Which end or state is told to the asker in which line, under which key, and for how long it is worth telling."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.ledger.views import Document
from bot.speech import Speech, capped, note
from bot.texts import Note
from guardrails.caps import Cap
from guardrails.judgement import Verdict
from guardrails.said import Outcome
from guardrails.transitions import Reason, Status

NOTE_PREFIX = "note:"
# Told later than this, a line about an ask is only noise.
LATE = timedelta(hours=24)
HELP_EVERY = timedelta(days=30)

_NOTES = {
    Reason.BUILD_REFUSED: Note.NOT_BUILT,
    Reason.OUT_OF_TRIES: Note.NOT_WORKING,
    Reason.NO_LANE: Note.NOBODY_CAME,
    Reason.LANE_LOST: Note.GOT_LOST,
    Reason.REFUSED_BY_RULES: Note.DECLINED,
    Reason.LABELLED: Note.DECLINED,
    Reason.BELOW_FLOOR: Note.DECLINED,
    Reason.NOBODY_DECIDES: Note.DECLINED,
    Reason.DECLINED: Note.DECLINED,
    Reason.APPROVAL_EXPIRED: Note.DECLINED,
    Reason.NOTHING_TO_BUILD: Note.HELP,
}
# Decided as soon as the bot had read it: who asked could have been told at once.
_JUDGED = {
    Reason.REFUSED_BY_RULES,
    Reason.LABELLED,
    Reason.BELOW_FLOOR,
    Reason.NOBODY_DECIDES,
    Reason.NOTHING_TO_BUILD,
    Reason.REVISION,
    Reason.CAPPED,
    Reason.COMMAND,
}
_OUT_OF_TIME = {Reason.NO_LANE, Reason.LANE_LOST}
_FULL = ":capped"


@dataclass(frozen=True)
class Line:
    """A sentence, and what stands in it; an address that it has no place for stands at its end."""

    note: Note
    reason: str = ""
    address: str = ""

    def speech(self, lang: str) -> Speech:
        """The line in a language that the bot speaks."""
        return note(self.note, lang, reason=self.reason, address=self.address)


@dataclass(frozen=True)
class Full:
    """That a cap is full until a moment, and whether the ask goes on by itself then; `address` shows how it stands."""

    cap: Cap
    until: datetime
    goes_on: bool
    address: str = ""

    def speech(self, lang: str) -> Speech:
        """The line in a language that the bot speaks."""
        return capped(self.cap, self.until, lang, goes_on=self.goes_on, address=self.address)


@dataclass(frozen=True)
class Told:
    """One line to tell, and its send key; `before` is the key of the window before, where the two must lie apart.

    `is_answer`: an author gets so many of these in a day, as the rules say.
    """

    key: str
    line: Line | Full
    before: str | None = None
    is_answer: bool = False

    def is_told_by(self, key: str) -> bool:
        """Whether what was claimed under a key tells the same sort of thing: that it waits, or that it has ended."""
        return self.key.endswith(_FULL) == key.endswith(_FULL)


def note_for(document: Document, now: datetime) -> Told | None:
    """The line for how a document has ended or why it waits, None when nobody is told, or by another document's state.

    `note:<doc>` for a build that failed, `note:<did>:<day>` for a refusal, `note:<did>:<day>:capped` for a full cap,
    `note:<did>:help:<n>` for help, n counting windows of 30 days.
    """
    author = f"{NOTE_PREFIX}{document.author_did}"
    full = _full(document, now)
    if full is not None:
        return Told(f"{author}:{_day(now)}{_FULL}", full)
    match _NOTES.get(document.reason):
        case None:
            return None
        case Note.DECLINED:
            return Told(f"{author}:{_day(now)}", Line(Note.DECLINED))
        case Note.HELP:
            window = int(now.timestamp() // HELP_EVERY.total_seconds())
            return Told(f"{author}:help:{window}", Line(Note.HELP), before=f"{author}:help:{window - 1}")
        case Note.NOT_BUILT if not document.detail:
            return Told(f"{NOTE_PREFIX}{document.id}", Line(Note.DECLINED), is_answer=True)
        case line:
            return Told(f"{NOTE_PREFIX}{document.id}", Line(line, document.detail), is_answer=True)


def is_late(document: Document, now: datetime) -> bool:
    """Whether the asker has waited so long for a line about this that it is better left unsaid."""
    return now - _since(document) > LATE


def full_cap(verdict: Verdict, *, goes_on: bool) -> Full | None:
    """What a verdict says of a full cap, None when it says nothing of one."""
    if verdict.reason is not Reason.CAPPED or verdict.until is None:
        return None
    return Full(Cap(verdict.detail), verdict.until, goes_on)


def waits_for(document: Document, now: datetime) -> Full | None:
    """The full cap that an open document waits for; None when it waits for none, or not any more."""
    full = _waits_to_be_judged(document) if document.status is Status.RECEIVED else _waits_for_money(document)
    return full if full is not None and full.until > now else None


def _waits_to_be_judged(document: Document) -> Full | None:
    last = document.verdicts[-1] if document.verdicts_json else None
    if last is None or last.outcome is not Outcome.WAIT:
        return None
    return full_cap(last, goes_on=True)


def _waits_for_money(document: Document) -> Full | None:
    """Put off when a lane came for it: the ledger notes why on the document, which moves on without that."""
    under_way = document.status in (Status.PENDING_BUILD, Status.BUILDING)
    if not under_way or document.detail != Cap.AUTHOR_MONEY.value or document.not_before is None:
        return None
    return Full(Cap.AUTHOR_MONEY, document.not_before, goes_on=True)


def _full(document: Document, now: datetime) -> Full | None:
    if document.status is Status.SKIPPED and document.reason is Reason.CAPPED:
        return full_cap(document.verdicts[-1], goes_on=False)
    return waits_for(document, now)


def _day(now: datetime) -> str:
    return str(now.astimezone(UTC).date())


def _since(document: Document) -> datetime:
    """When the asker could have been told; a bot that was away moves documents long after their time."""
    due = None
    if document.reason in _JUDGED or document.status is Status.RECEIVED:
        due = document.mention.indexed_at
    elif document.reason in _OUT_OF_TIME:
        due = document.build_by
    elif document.reason is Reason.APPROVAL_EXPIRED:
        due = document.approve_by
    return min(document.updated_at, due or document.updated_at)
