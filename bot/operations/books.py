"""What is told to whoever keeps books: the history, what builds have cost, and what operators did."""

from dataclasses import dataclass
from datetime import datetime

from guardrails.documents import AtUri, Did, DocId, Kind, Slug
from guardrails.transitions import Actor, Reason, Status


@dataclass(frozen=True)
class Cost:
    """What builds have cost in a day (UTC), of an author, a model or a lane; in millionths of a US dollar."""

    name: str
    builds: int
    apps: int
    tokens_in: int
    tokens_out: int
    cost_micros: int


@dataclass(frozen=True)
class Exported:
    """A move with what its document was about, for whoever keeps books elsewhere.

    What is said of the document is as it is now: its `status`, `slug`, `reply_uri`, and what its builds have cost.
    """

    seq: int
    at: datetime
    document: DocId
    kind: Kind
    author_did: Did
    author_handle: str
    source_uri: AtUri
    ask: str
    move: str
    source: Status | None
    target: Status
    actor: Actor
    device: str
    reason: Reason
    detail: str
    version: int
    status: Status
    slug: Slug | None
    reply_uri: AtUri | None
    cost_micros: int


@dataclass(frozen=True)
class Audited:
    """One row of the audit log: an operator's action, as it was written with what it changed."""

    seq: int
    at: datetime
    device: str
    action: str
    target: str
    detail: str
    action_id: str | None
