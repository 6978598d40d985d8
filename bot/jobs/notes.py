"""Which end is told to the asker in which line, under which key, and for how long it is worth telling."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.ledger.views import Document
from bot.texts import Note
from guardrails.transitions import Reason

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
    Reason.DECLINED: Note.DECLINED,
    Reason.APPROVAL_EXPIRED: Note.DECLINED,
    Reason.NOTHING_TO_BUILD: Note.HELP,
}
# What is the same whatever was asked is said to an author once a day.
_NEUTRAL = {Reason.REFUSED_BY_RULES, Reason.DECLINED, Reason.APPROVAL_EXPIRED}
_JUDGED = {Reason.REFUSED_BY_RULES, Reason.NOTHING_TO_BUILD}
_OUT_OF_TIME = {Reason.NO_LANE, Reason.LANE_LOST}


@dataclass(frozen=True)
class Told:
    """One line to tell, and its send key; `before` is the key of the window before, where the two must lie apart."""

    key: str
    note: Note
    reason: str = ""
    before: str | None = None


def note_for(document: Document, now: datetime) -> Told | None:
    """The line for a document's end, None when its end is told to nobody.

    `note:<doc>` for a build that failed, `note:<did>:<day>` for a refusal, `note:<did>:help:<n>` for help, n counting
    windows of 30 days.
    """
    note = _NOTES.get(document.reason)
    if note is None:
        return None
    author = f"{NOTE_PREFIX}{document.author_did}"
    if document.reason in _NEUTRAL:
        return Told(f"{author}:{now.astimezone(UTC).date()}", note)
    if note is Note.HELP:
        window = int(now.timestamp() // HELP_EVERY.total_seconds())
        return Told(f"{author}:help:{window}", note, before=f"{author}:help:{window - 1}")
    if note is Note.NOT_BUILT and not document.detail:
        note = Note.DECLINED
    return Told(f"{NOTE_PREFIX}{document.id}", note, document.detail)


def is_late(document: Document, now: datetime) -> bool:
    """Whether the asker has waited so long for a line about this end that it is better left unsaid."""
    return now - _since(document) > LATE


def _since(document: Document) -> datetime:
    """When the asker could have been told; a bot that was away moves documents long after their time."""
    due = None
    if document.reason in _JUDGED:
        due = document.mention.indexed_at
    elif document.reason in _OUT_OF_TIME:
        due = document.build_by
    elif document.reason is Reason.APPROVAL_EXPIRED:
        due = document.approve_by
    return min(document.updated_at, due or document.updated_at)
