"""What the ledger gives out: frozen views of its rows."""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cached_property
from typing import Any

from sqlalchemy import Row

from guardrails.access import Caller, Held, Role
from guardrails.documents import (
    AtUri,
    Built,
    ClaimId,
    DeviceId,
    Did,
    DocId,
    Kind,
    Mention,
    RecordKey,
    Slug,
    split_at_uri,
)
from guardrails.facts import Facts, Standing
from guardrails.judgement import Verdict
from guardrails.tid import parse_tid
from guardrails.transitions import Actor, Reason, Status


@dataclass(frozen=True)
class Document:
    """A document as it was when it was read; every write names its version."""

    id: DocId
    kind: Kind
    author_did: Did
    author_handle: str
    source_uri: str
    source_cid: str
    body: dict[str, Any]
    status: Status
    version: int
    reason: Reason
    detail: str
    created_at: datetime
    updated_at: datetime
    not_before: datetime | None
    approve_by: datetime | None
    build_by: datetime | None
    verdicts_json: list[dict[str, Any]]
    attempt: int
    failures: int
    budget: int
    claim_id: ClaimId | None
    claim_device: DeviceId | None
    lease_until: datetime | None
    step: str | None
    slug: Slug | None
    result_json: dict[str, Any] | None
    sending: bool
    reply_uri: str | None
    withdrawn_at: datetime | None
    like_due: bool
    note_due: bool
    reply_held: str | None
    reply_released_by: str | None
    looked_at: datetime | None
    absent_since: datetime | None
    edited_cid: str | None
    reply_seen_at: datetime | None
    reply_deleted_at: datetime | None
    thread: AtUri
    joined_to: DocId | None
    facts_json: dict[str, Any] | None
    places: list[dict[str, str]]
    taken_down_at: datetime | None
    page: str | None
    wordless: bool

    @cached_property
    def mention(self) -> Mention:
        """The body as a mention."""
        return Mention.model_validate(self.body, strict=False)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What the guardrails said at the last judgement."""
        return tuple(Verdict.model_validate(verdict, strict=False) for verdict in self.verdicts_json)

    @cached_property
    def facts(self) -> Facts | None:
        """What was known of the ask at the last judgement; None when it was not judged yet."""
        if self.facts_json is None:
            return None
        return Facts.model_validate_json(json.dumps(self.facts_json | {"mention": self.body}))

    @cached_property
    def result(self) -> Built | None:
        """What the finished build left behind."""
        return Built.model_validate(self.result_json, strict=False) if self.result_json else None

    @cached_property
    def asked_at(self) -> datetime:
        """When the ask was made, as far as that can be trusted: never later than it was first read.

        Its author chooses the date and the record key of a post, and each alone may be dated back: the later counts.
        """
        return asked_at(self.source_uri, self.created_at, lambda: self.mention.indexed_at)

    @property
    def is_blank(self) -> bool:
        """Whether its words are gone: its author wants to be forgotten, or they were kept for a time only."""
        return not self.body["record"]

    @property
    def is_taken_back(self) -> bool:
        """Whether its author, or an operator, has taken it back: nothing more is said to it, nor built for it."""
        return self.withdrawn_at is not None or self.taken_down_at is not None

    @property
    def held(self) -> Held:
        """What the access function has to know."""
        return Held(self.status, self.claim_id, self.claim_device)


@dataclass(frozen=True)
class Moved:
    """One row of the history."""

    seq: int
    document_id: DocId
    kind: Kind
    name: str
    from_status: Status | None
    to_status: Status
    version: int
    actor: Actor
    device: str
    reason: Reason
    detail: str
    claim_id: str | None
    at: datetime


@dataclass(frozen=True)
class Attempt:
    """One attempt of a build."""

    document_id: DocId
    attempt: int
    claim_id: str
    device: str
    generator: str
    model: str | None
    prompt_version: str | None
    started_at: datetime
    ended_at: datetime | None
    outcome: str | None
    detail: str
    tokens_in: int
    tokens_out: int
    cost_micros: int
    checks: list[dict[str, Any]] | None
    log_tail: str
    upload_sha256: str | None
    report_sha256: str | None
    reported_status: str | None
    estimate_micros: int
    paid_in: str | None
    lease_seconds: float | None
    repairs: int
    surplus_micros: int


@dataclass(frozen=True)
class Send:
    """One thing said in public, or about to be. Only the ledger makes one, so holding it is the permit to send."""

    id: int
    key: str
    document_id: DocId | None
    op: str
    collection: str
    rkey: RecordKey
    state: str
    record: dict[str, Any]
    cid: str
    cids: list[str]
    tries: int
    unknown_since: datetime | None
    next_try_at: datetime | None
    conflict: str | None
    problem: str | None
    uri: str | None
    claimed_at: datetime
    settled_at: datetime | None
    note: str | None
    decided_by: str | None
    decision: str | None


@dataclass(frozen=True)
class Parked:
    """An item from the network that could not be read: whence and as it came, why, and since when.

    `raw` is empty once its author is forgotten.
    """

    digest: str
    source: str
    raw: dict[str, Any]
    problem: str
    at: datetime


@dataclass(frozen=True)
class Person:
    """What is laid down about a DID, until when, why, by whom and since when; `until` may be past."""

    did: Did
    standing: Standing
    until: datetime | None
    reason: str
    device: str
    at: datetime


@dataclass(frozen=True)
class Device:
    """Who holds a token, what it is good for, and what was last heard of it.

    `asked_at`: when it last asked for work, and with which generator. `longest_lease_seconds` is None where claims
    stand as long as the bot's own lease.
    """

    id: DeviceId
    name: str
    role: Role
    allowed_prefix: str
    created_at: datetime
    seen_at: datetime | None
    revoked_at: datetime | None
    longest_lease_seconds: int | None
    expires_at: datetime | None
    asked_at: datetime | None
    generator: str | None

    @property
    def caller(self) -> Caller:
        """The device as the access function knows it."""
        return Caller(self.role, self.id)

    def is_over(self, now: datetime) -> bool:
        """Whether its time is over; one that lasts until it is revoked has no such time."""
        return self.expires_at is not None and self.expires_at <= now


def asked_at(source_uri: str, created_at: datetime, indexed_at: Callable[[], datetime]) -> datetime:
    """When the ask of a post was made that was read at `created_at`: see `Document.asked_at`."""
    try:
        key_at = parse_tid(split_at_uri(source_uri).rkey).at
    except (ValueError, OverflowError):
        return created_at
    return min(created_at, max(key_at, indexed_at()))


def document_of(row: Row[Any], *beside: str) -> Document:
    """The view of a row of documents; `beside` names what else is in the row."""
    # Its mapping is asked for a name at a time; there are many.
    values = dict(zip(row._fields, row, strict=True))
    for other in beside:
        del values[other]
    values["verdicts_json"] = values.pop("verdicts") or []
    values["result_json"] = values.pop("result")
    values["facts_json"] = values.pop("facts")
    values["places"] = values["places"] or []
    return Document(
        **values
        | {
            "kind": Kind(values["kind"]),
            "status": Status(values["status"]),
            "reason": Reason(values["reason"]),
        }
    )


def move_of(row: Row[Any]) -> Moved:
    """The view of a row of moves."""
    values = dict(row._mapping)
    values["from_status"] = Status(values["from_status"]) if values["from_status"] else None
    return Moved(
        **values
        | {
            "kind": Kind(values["kind"]),
            "to_status": Status(values["to_status"]),
            "actor": Actor(values["actor"]),
            "reason": Reason(values["reason"]),
        }
    )


def person_of(row: Row[Any]) -> Person:
    """The view of a row of people."""
    values = dict(row._mapping)
    return Person(**values | {"standing": Standing(values["standing"])})


def device_of(row: Row[Any]) -> Device:
    """The view of a row of devices, without the hash of its token, and whatever else the row has."""
    values = {each.name: row._mapping[each.name] for each in fields(Device)}
    return Device(**values | {"role": Role(values["role"])})
