"""What the sandbox knows, as plain data: accounts, repositories, labels, blobs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from bot.sandbox.times import claimed_time, to_millisecond
from guardrails.documents import split_at_uri

POST = "app.bsky.feed.post"
LIKE = "app.bsky.feed.like"
REPOST = "app.bsky.feed.repost"
FOLLOW = "app.bsky.graph.follow"
BLOCK = "app.bsky.graph.block"
THREADGATE = "app.bsky.feed.threadgate"
PROFILE = "app.bsky.actor.profile"
LIST = "app.bsky.graph.list"
LIST_ITEM = "app.bsky.graph.listitem"

CURATED_LIST = "app.bsky.graph.defs#curatelist"
MOD_LIST = "app.bsky.graph.defs#modlist"

LABELER = "did:plc:labelerlabelerlabelerlab"

AccountStatus = Literal["active", "deactivated", "takendown", "deleted"]


@dataclass
class SandboxAccount:
    """Somebody on the network; `pds_url` is what their DID document says when it is not the sandbox itself.

    `privileged` names the app passwords that may do more, `notified_of` holds what somebody set about notifications.
    """

    did: str
    handle: str
    password: str
    created_at: datetime
    status: AccountStatus = "active"
    pds_url: str | None = None
    app_passwords: dict[str, str] = field(default_factory=dict)
    privileged: set[str] = field(default_factory=set)
    seen_at: datetime | None = None
    mutes: set[str] = field(default_factory=set)
    muted_threads: set[str] = field(default_factory=set)
    muted_lists: set[str] = field(default_factory=set)
    notified_of: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether others can see this account."""
        return self.status == "active"


@dataclass
class StoredRecord:
    """A record in a repository.

    Decided when it is indexed and never again: `ancestors`, the posts above it, nearest first, and `breaks_gate`.
    """

    uri: str
    cid: str
    value: dict[str, Any]
    valid: bool
    indexed_at: datetime | None = None
    ancestors: tuple[str, ...] = ()
    breaks_gate: bool = False
    taken_down: bool = False

    @property
    def did(self) -> str:
        """Whose repository this is in."""
        return split_at_uri(self.uri).did

    @property
    def rkey(self) -> str:
        """The record key."""
        return split_at_uri(self.uri).rkey

    @property
    def sort_at(self) -> datetime:
        """Where lists put the record: the time it claims, never later than when it was indexed."""
        if self.indexed_at is None:
            raise ValueError(f"not indexed yet: {self.uri}")
        return min(claimed_time(self.value.get("createdAt")), to_millisecond(self.indexed_at))


@dataclass
class Repo:
    """The records of one account by collection and record key, and the head of its history."""

    commit: str
    rev: str
    records: dict[str, dict[str, StoredRecord]] = field(default_factory=dict)

    def collection(self, name: str) -> dict[str, StoredRecord]:
        """The records of one collection by their keys; empty when there is none."""
        return self.records.setdefault(name, {})


@dataclass(frozen=True)
class Label:
    """What a labeler said about an account (by DID) or a record (by at-uri)."""

    src: str
    uri: str
    val: str
    cts: datetime


@dataclass(frozen=True)
class Blob:
    """Uploaded bytes."""

    content: bytes
    mime: str


@dataclass
class State:
    """The whole network; `clock` may be shifted, and while `indexing` is off the AppView sees nothing new."""

    clock: Callable[[], datetime]
    accounts: dict[str, SandboxAccount] = field(default_factory=dict)
    repos: dict[str, Repo] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    blobs: dict[str, dict[str, Blob]] = field(default_factory=dict)
    indexing: bool = True

    def find_account(self, identifier: str) -> SandboxAccount | None:
        """The account with this DID, or with this handle in any case; None also when it was deleted."""
        wanted = identifier.lower()
        for account in self.accounts.values():
            if account.status != "deleted" and wanted in (account.did.lower(), account.handle.lower()):
                return account
        return None

    def find_record(self, uri: str) -> StoredRecord | None:
        """The record at this at-uri, taken down or not; None when there is none or the uri is not one."""
        try:
            did, collection, rkey = split_at_uri(uri)
        except ValueError:
            return None
        repo = self.repos.get(did)
        return repo.records.get(collection, {}).get(rkey) if repo else None

    def stands(self, record: StoredRecord) -> bool:
        """Whether the AppView shows the record to anybody at all: indexed, its author active, not taken down."""
        return (
            record.valid
            and record.indexed_at is not None
            and not record.taken_down
            and self.accounts[record.did].active
            and not self.redacted(record.uri, record.did)
        )

    def redacted(self, *subjects: str) -> bool:
        """Whether the default labeler took one of these subjects down."""
        return any(label.val == "!takedown" and label.uri in subjects and label.src == LABELER for label in self.labels)

    def indexed(self, did: str, collection: str) -> Iterator[StoredRecord]:
        """What the AppView knows of one collection of one account."""
        for record in self.repos[did].records.get(collection, {}).values():
            if record.valid and record.indexed_at is not None:
                yield record

    def link_to(self, did: str, collection: str, subject: str) -> StoredRecord | None:
        """The account's record of this collection (a block, follow, like or repost) about that DID or at-uri."""
        for record in self.indexed(did, collection):
            if subject_of(record.value) == subject:
                return record
        return None

    def blocked_either_way(self, one: str, other: str) -> bool:
        """Whether one of the two blocks the other."""
        return bool(self.link_to(one, BLOCK, other) or self.link_to(other, BLOCK, one))


def subject_of(value: Mapping[str, Any]) -> str | None:
    """The DID or at-uri that a follow, block, like or repost is about."""
    subject = value.get("subject")
    if isinstance(subject, Mapping):
        subject = subject.get("uri")
    return subject if isinstance(subject, str) else None


def parent_of(value: Mapping[str, Any]) -> str | None:
    """The at-uri that a post answers."""
    return _ref(value, "parent")


def root_of(value: Mapping[str, Any]) -> str | None:
    """The at-uri of the thread that a reply says it belongs to."""
    return _ref(value, "root")


def _ref(value: Mapping[str, Any], key: str) -> str | None:
    reply = value.get("reply")
    ref = reply.get(key) if isinstance(reply, Mapping) else None
    uri = ref.get("uri") if isinstance(ref, Mapping) else None
    return uri if isinstance(uri, str) else None
