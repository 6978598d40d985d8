"""One document with all that belongs to it, what people can do to it, and how that ended."""

from dataclasses import dataclass
from enum import StrEnum

from bot.ledger.hosting import App
from bot.ledger.selection import Ref
from bot.ledger.views import Attempt, Document, Moved, Send
from guardrails.documents import DocId
from guardrails.transitions import Reason, Status


class Deed(StrEnum):
    """What a person can do to one document; `deeds_at` says what is possible where."""

    APPROVE = "approve"
    RELEASE_REPLY = "release_reply"
    SKIP = "skip"
    JUDGE_AGAIN = "judge_again"
    RETRY = "retry"
    SEND_AGAIN = "send_again"
    DELETE = "delete"
    TAKE_DOWN = "take_down"


class Ending(StrEnum):
    """How a deed on one document ended."""

    DONE = "done"
    CHANGED = "changed"
    """Skipped, since the document is at another version by now; nothing was overwritten."""
    NOT_ALLOWED = "not_allowed"
    """The table, the document's reason or the caller's role forbids it."""
    FAILED = "failed"


@dataclass(frozen=True)
class Act:
    """One deed on one document as it was seen. The same `action_id` again repeats the first answer, and does nothing.

    `keep_reply` goes with a take-down: our reply stays. `second_reply` goes with retry and send_again: yes, although a
    reply was abandoned that may be out; without it they are not allowed then.
    """

    deed: Deed
    on: Ref
    action_id: str
    why: str = ""
    keep_reply: bool = False
    second_reply: bool = False


@dataclass(frozen=True)
class Outcome:
    """How an act ended, and where its document stands now; `told` is a sentence for people."""

    id: DocId
    ending: Ending
    told: str
    status: Status | None = None
    version: int | None = None
    reason: Reason | None = None


@dataclass(frozen=True)
class Whole:
    """All that the ledger knows of one document, and what this caller can do to it where it stands."""

    document: Document
    attempts: tuple[Attempt, ...]
    sends: tuple[Send, ...]
    moves: tuple[Moved, ...]
    app: App | None
    deeds: tuple[Deed, ...]
