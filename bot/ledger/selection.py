"""Which documents somebody means: the filters that the terminal, the API and the console share."""

from dataclasses import dataclass
from datetime import datetime

from guardrails.documents import DocId, Kind
from guardrails.transitions import Reason, Status


@dataclass(frozen=True)
class Selection:
    """Documents that fit all that is said here; what is left empty leaves none out.

    `author` is a DID or a handle, `text` words that are searched for in ask, author, reason and error, `since` and
    `until` the moments between which a document was made, `lane` a device that has tried to build it.
    """

    statuses: tuple[Status, ...] = ()
    author: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    text: str | None = None
    reasons: tuple[Reason, ...] = ()
    lane: str | None = None
    kind: Kind | None = None


@dataclass(frozen=True)
class Place:
    """A place in the list of documents, which is in the order of their making; ties are broken by the id."""

    created_at: datetime
    id: DocId


@dataclass(frozen=True)
class Ref:
    """A document as an operator saw it: what is done to it is done only at this version."""

    id: DocId
    version: int
