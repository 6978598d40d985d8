"""The ledger's tables; private to this package. The database repeats the rules that it can."""

from datetime import datetime
from itertools import chain
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    event,
    text,
)
from sqlmodel import Field, SQLModel
from sqlmodel.main import get_column_from_field

from bot.ledger.columns import JsonText, SafeText, UtcDateTime
from guardrails.access import Role
from guardrails.documents import Kind
from guardrails.facts import Standing
from guardrails.switches import Switch
from guardrails.transitions import Actor, statuses
from guardrails.wire import BuildOutcome

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
# An integer key that SQLite takes as its row id and PostgreSQL as a 64-bit sequence.
_Sequence = BigInteger().with_variant(Integer, "sqlite")


class Base(SQLModel):
    """The tables' own metadata, with every constraint named, so that migrations can find it.

    Nobody validates with these classes, nor makes objects of them: rows are read and written by statements on their
    tables. So none of them is `table=True`, which would map it as well: a command would begin twice 20 ms later.
    """

    model_config = {"defer_build": True}
    metadata = MetaData(naming_convention=NAMING)


def _one_of(column: str, values: Any) -> str:
    return f"{column} IN ({', '.join(repr(str(value)) for value in values)})"


def _moment(*, null: bool = True) -> Any:
    return Field(default=None, sa_column=Column(UtcDateTime(), nullable=null))


def _json(*, null: bool = True) -> Any:
    return Field(default=None, sa_column=Column(JsonText(), nullable=null))


def _words(*, null: bool = False) -> Any:
    default = None if null else ""
    return Field(default=default, sa_column=Column(SafeText(), nullable=null, default=default))


def _where(condition: str) -> dict[str, Any]:
    """What an index is about, on both databases: a query has to say the same words to be served by it.

    Said for SQLite, and by `_the_same_on_postgresql` for PostgreSQL, whose dialect is not loaded for that before.
    """
    return {"sqlite_where": text(condition)}


@event.listens_for(Base.metadata, "before_create")
def _the_same_on_postgresql(metadata: MetaData, connection: Connection, **_: Any) -> None:
    if connection.dialect.name == "postgresql":
        for index in chain.from_iterable(table.indexes for table in metadata.tables.values()):
            index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]


# As an exclusion: for a list of statuses SQLite would take an index of those, and sort what it finds.
ENDED = "status NOT IN ('received', 'awaiting-approval', 'pending-build', 'building', 'built')"
FAILED = "status IN ('build-failed', 'error')"
# By lengths, since SQLite turns a comparison with a column round, and then does not know it again.
HAS_CONTEXT = """length(replace(body, '"context":[]', '')) = length(body)"""
HELD = "reply_held IS NOT NULL"
KEPT_FOR_A_TIME = "kept_until IS NOT NULL AND gone_at IS NULL"
# The keys of links under asks that have joined one, which end in `joining.LINK_SUFFIX`.
LINKS = r"substr(key, length(key) - 4) = '\:same'"
LOST = "taken_down_at IS NOT NULL"
TO_TAKE_BACK = "withdrawn_at IS NOT NULL AND reply_deleted_at IS NULL AND reply_uri IS NOT NULL"
UNSETTLED = (
    "(conflict IS NOT NULL OR (state = 'claimed' AND unknown_since IS NOT NULL) "
    "OR (state = 'refused' AND next_try_at IS NOT NULL))"
)
_STATUS_PER_KIND = " OR ".join(f"(kind = '{kind.value}' AND {_one_of('status', statuses(kind))})" for kind in Kind)


class DocumentRow(Base):
    """One unit of work."""

    __tablename__ = "documents"
    __table_args__ = (
        CheckConstraint(_STATUS_PER_KIND, name="status"),
        CheckConstraint("claim_id IS NULL OR status = 'building'", name="claim_only_while_building"),
        CheckConstraint(
            "(claim_id IS NULL) = (lease_until IS NULL) AND (claim_id IS NULL) = (claim_device IS NULL)",
            name="claim_whole",
        ),
        CheckConstraint("status NOT IN ('pending-build', 'building') OR build_by IS NOT NULL", name="build_by"),
        CheckConstraint("status NOT IN ('built', 'replied') OR result IS NOT NULL", name="result"),
        CheckConstraint("version >= 1 AND attempt >= 0 AND failures >= 0 AND failures <= attempt", name="counts"),
        CheckConstraint("status = 'built' OR NOT sending", name="sending_only_while_built"),
        CheckConstraint("status = 'built' OR reply_held IS NULL", name="held_only_while_built"),
        UniqueConstraint("source_uri"),
        UniqueConstraint("claim_id"),
        UniqueConstraint("slug"),
        Index("uq_documents_page", "page", unique=True),
        Index("ix_documents_open", "status", "created_at", "id"),
        Index("ix_documents_author", "author_did", "created_at", "id"),
        Index("ix_documents_handle", "author_handle", "created_at", "id"),
        Index("ix_documents_reason", "status", "reason", "created_at", "id"),
        Index("ix_documents_held", "created_at", "id", **_where(HELD)),
        Index("ix_documents_to_take_back", "withdrawn_at", "id", **_where(TO_TAKE_BACK)),
        Index("ix_documents_lost", "author_did", "created_at", "id", **_where(LOST)),
        Index("ix_documents_failed", "status", "updated_at", **_where(FAILED)),
        Index("ix_documents_context", "kind", **_where(HAS_CONTEXT)),
        Index("ix_documents_ended", "updated_at", "id", **_where(ENDED)),
        Index("ix_documents_like_due", "created_at", **_where("like_due")),
        Index("ix_documents_note_due", "created_at", **_where("note_due")),
        Index("ix_documents_looked_at", "status", "looked_at"),
        Index("ix_documents_created", "created_at", "id"),
        Index("ix_documents_thread", "thread", "created_at"),
        Index("ix_documents_joined_to", "joined_to", **_where("joined_to IS NOT NULL")),
    )

    id: str = Field(primary_key=True)
    kind: str
    author_did: str
    author_handle: str = _words()
    source_uri: str
    source_cid: str
    body: Any = _json(null=False)
    status: str
    version: int = Field(default=1)
    reason: str
    detail: str = _words()
    created_at: datetime = _moment(null=False)
    updated_at: datetime = _moment(null=False)
    not_before: datetime | None = _moment()
    approve_by: datetime | None = _moment()
    build_by: datetime | None = _moment()
    verdicts: Any = _json()
    attempt: int = Field(default=0)
    failures: int = Field(default=0)
    budget: int
    claim_id: str | None = None
    claim_device: str | None = None
    lease_until: datetime | None = _moment()
    step: str | None = None
    slug: str | None = None
    result: Any = _json()
    sending: bool = False
    reply_uri: str | None = None
    withdrawn_at: datetime | None = _moment()
    like_due: bool = False
    note_due: bool = False
    reply_held: str | None = _words(null=True)
    reply_released_by: str | None = None
    looked_at: datetime | None = _moment()
    absent_since: datetime | None = _moment()
    edited_cid: str | None = None
    reply_seen_at: datetime | None = _moment()
    reply_deleted_at: datetime | None = _moment()
    thread: str
    joined_to: str | None = None
    facts: Any = _json()
    places: Any = _json()
    taken_down_at: datetime | None = _moment()
    page: str | None = None
    wordless: bool = False


class SearchedRow(Base):
    """What is searched for of a document, in the order of their coming: the words of its ask, and those about it.

    Triggers on `documents` keep it, so that nothing else writes here. The index over it is each database's own: the
    FTS5 table `searched_words` on SQLite, the column `words` on PostgreSQL.
    """

    __tablename__ = "searched"
    __table_args__ = (UniqueConstraint("document_id"), {"sqlite_autoincrement": True})

    key: int = Field(default=None, sa_column=Column(_Sequence, primary_key=True, autoincrement=True))
    document_id: str = Field(sa_column=Column(ForeignKey("documents.id", ondelete="CASCADE"), nullable=False))
    asked: str = _words()
    about: str = _words()


class MoveRow(Base):
    """One row of the history; appended by the same transaction as the move, never changed.

    But that the detail may be blanked, when somebody wants to be forgotten.
    """

    __tablename__ = "moves"
    __table_args__ = (
        CheckConstraint(_one_of("actor", Actor), name="actor"),
        UniqueConstraint("document_id", "version"),
        Index("ix_moves_document_id_seq", "document_id", "seq"),
        Index("ix_moves_accepted", "at", **_where("name = 'accept'")),
        Index("ix_moves_asked_again", "at", **_where("name = 'ask_again'")),
        {"sqlite_autoincrement": True},
    )

    seq: int = Field(default=None, sa_column=Column(_Sequence, primary_key=True, autoincrement=True))
    document_id: str = Field(sa_column=Column(ForeignKey("documents.id"), nullable=False))
    kind: str
    name: str
    from_status: str | None = None
    to_status: str
    version: int
    actor: str
    device: str
    reason: str
    detail: str = _words()
    claim_id: str | None = None
    at: datetime = _moment(null=False)


class AttemptRow(Base):
    """One attempt of a build."""

    __tablename__ = "attempts"
    __table_args__ = (
        CheckConstraint(f"outcome IS NULL OR {_one_of('outcome', [*BuildOutcome, 'lost', 'voided'])}", name="outcome"),
        CheckConstraint("(outcome IS NULL) = (ended_at IS NULL)", name="ended"),
        CheckConstraint("estimate_micros >= 0", name="estimate"),
        CheckConstraint("lease_seconds IS NULL OR lease_seconds > 0", name="lease"),
        CheckConstraint("repairs >= 0", name="repairs"),
        UniqueConstraint("claim_id"),
        Index("ix_attempts_device_started_at", "device", "started_at"),
        Index("ix_attempts_ended_at", "ended_at"),
    )

    document_id: str = Field(sa_column=Column(ForeignKey("documents.id"), primary_key=True))
    attempt: int = Field(primary_key=True)
    claim_id: str
    device: str
    generator: str
    model: str | None = None
    prompt_version: str | None = None
    started_at: datetime = _moment(null=False)
    ended_at: datetime | None = _moment()
    outcome: str | None = None
    detail: str = _words()
    tokens_in: int = Field(default=0, sa_type=BigInteger)
    tokens_out: int = Field(default=0, sa_type=BigInteger)
    cost_micros: int = Field(default=0, sa_type=BigInteger)
    checks: Any = _json()
    log_tail: str = _words()
    upload_sha256: str | None = None
    report_sha256: str | None = None
    reported_status: str | None = None
    estimate_micros: int = Field(default=0, sa_type=BigInteger)
    paid_in: str | None = None
    lease_seconds: float | None = None
    repairs: int = 0


class SendRow(Base):
    """One thing that the bot says in public, under its key."""

    __tablename__ = "sends"
    __table_args__ = (
        CheckConstraint(_one_of("state", ("claimed", "answered", "refused", "abandoned")), name="state"),
        CheckConstraint("(state = 'answered') = (uri IS NOT NULL)", name="answered_has_uri"),
        CheckConstraint("(state = 'claimed') = (settled_at IS NULL)", name="settled"),
        CheckConstraint(_one_of("op", ("put", "delete")), name="op"),
        CheckConstraint("(decided_by IS NULL) = (decision IS NULL)", name="decision"),
        UniqueConstraint("collection", "rkey", "op"),
        Index("uq_sends_live_key", "key", unique=True, **_where("state IN ('claimed', 'answered')")),
        Index("ix_sends_state", "state", "next_try_at"),
        Index("ix_sends_uri", "uri"),
        Index("ix_sends_key", "key"),
        Index("ix_sends_links", "id", **_where(LINKS)),
        Index("ix_sends_document_id", "document_id"),
        Index("ix_sends_unsettled", "id", **_where(UNSETTLED)),
        {"sqlite_autoincrement": True},
    )

    id: int = Field(default=None, sa_column=Column(_Sequence, primary_key=True, autoincrement=True))
    key: str
    document_id: str | None = Field(default=None, sa_column=Column(ForeignKey("documents.id")))
    op: str = "put"
    collection: str
    rkey: str
    state: str
    record: Any = _json(null=False)
    cid: str
    cids: Any = _json(null=False)
    tries: int = 0
    unknown_since: datetime | None = _moment()
    next_try_at: datetime | None = _moment()
    conflict: str | None = _words(null=True)
    problem: str | None = _words(null=True)
    uri: str | None = None
    claimed_at: datetime = _moment(null=False)
    settled_at: datetime | None = _moment()
    note: str | None = _words(null=True)
    decided_by: str | None = None
    decision: str | None = _words(null=True)


class SendBlobRow(Base):
    """A picture that a send's record names, kept until the send is settled: the PDS forgets it with its last record."""

    __tablename__ = "send_blobs"

    send_id: int = Field(sa_column=Column(ForeignKey("sends.id"), primary_key=True))
    mime: str
    content: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class KnownIdRow(Base):
    """An id that is known as answered although this ledger holds no document of it."""

    __tablename__ = "known_ids"
    __table_args__ = (Index("ix_known_ids_reply_uri", "reply_uri"),)

    id: str = Field(primary_key=True)
    reply_uri: str
    at: datetime = _moment(null=False)
    looked_at: datetime | None = _moment()
    absent_since: datetime | None = _moment()
    taken_back_at: datetime | None = _moment()


class UsageRow(Base):
    """How much of a cap is used: a scope, a window of time, a count and money in millionths of a US dollar."""

    __tablename__ = "usage"
    __table_args__ = (CheckConstraint("n >= 0 AND cost_micros >= 0", name="not_negative"),)

    scope: str = Field(primary_key=True)
    window: str = Field(primary_key=True)
    n: int = 0
    cost_micros: int = Field(default=0, sa_type=BigInteger)


class PersonRow(Base):
    """What an operator, or a person's own command, has laid down about a DID."""

    __tablename__ = "people"
    __table_args__ = (
        CheckConstraint(_one_of("standing", Standing), name="standing"),
        CheckConstraint("standing <> 'forgotten' OR until IS NULL", name="forgotten_for_good"),
    )

    did: str = Field(primary_key=True)
    standing: str = Field(primary_key=True)
    until: datetime | None = _moment()
    reason: str = _words()
    device: str
    at: datetime = _moment(null=False)


class WatermarkRow(Base):
    """A moving position by name; it never moves back."""

    __tablename__ = "watermarks"

    name: str = Field(primary_key=True)
    at: datetime = _moment(null=False)


_LEASE = "longest_lease_seconds IS NULL OR longest_lease_seconds BETWEEN 10 AND 86400"


class DeviceRow(Base):
    """Who holds a token, and what it is good for; the token itself is stored hashed.

    The device of one CI run has no token of its own, but one for each login of the run.
    """

    __tablename__ = "devices"
    __table_args__ = (
        CheckConstraint(_one_of("role", (Role.LANE, Role.OPERATOR, Role.VIEWER)), name="role"),
        CheckConstraint(_LEASE, name="lease"),
        CheckConstraint("token_sha256 IS NOT NULL OR (role = 'lane' AND expires_at IS NOT NULL)", name="token"),
        UniqueConstraint("token_sha256"),
    )

    id: str = Field(primary_key=True)
    name: str = _words()
    role: str
    token_sha256: str | None = None
    allowed_prefix: str
    created_at: datetime = _moment(null=False)
    seen_at: datetime | None = _moment()
    revoked_at: datetime | None = _moment()
    longest_lease_seconds: int | None = None
    expires_at: datetime | None = _moment()
    asked_at: datetime | None = _moment()
    generator: str | None = _words(null=True)


class InviteRow(Base):
    """A place for one lane more: whoever brings the code, which is stored hashed, becomes that device."""

    __tablename__ = "invites"
    __table_args__ = (
        CheckConstraint(_LEASE, name="lease"),
        CheckConstraint("expires_at > created_at", name="expires"),
    )

    code_sha256: str = Field(primary_key=True)
    name: str = _words()
    allowed_prefix: str
    longest_lease_seconds: int | None = None
    invited_by: str
    created_at: datetime = _moment(null=False)
    expires_at: datetime = _moment(null=False)


class RunLoginRow(Base):
    """One login of a CI run: the id of what it showed, which is good once, and the token that it got for it."""

    __tablename__ = "run_logins"
    __table_args__ = (CheckConstraint("expires_at > at", name="expires"), UniqueConstraint("token_sha256"))

    jti_sha256: str = Field(primary_key=True)
    device: str = Field(sa_column=Column(ForeignKey("devices.id"), nullable=False))
    token_sha256: str
    at: datetime = _moment(null=False)
    expires_at: datetime = _moment(null=False)


class DispatchRow(Base):
    """The last time that a workflow was called for work, under a token that stays until a lane has come by."""

    __tablename__ = "dispatches"
    __table_args__ = (CheckConstraint("failures >= 0 AND failures <= tries AND tries >= 1", name="counts"),)

    target: str = Field(primary_key=True)
    token: str
    tried_at: datetime = _moment(null=False)
    not_before: datetime = _moment(null=False)
    tries: int
    failures: int


class SwitchRow(Base):
    """A switch that is on, with who and why."""

    __tablename__ = "switches"
    __table_args__ = (CheckConstraint(_one_of("name", Switch), name="name"),)

    name: str = Field(primary_key=True)
    device: str
    reason: str = _words()
    at: datetime = _moment(null=False)


class AuditRow(Base):
    """What an operator did; written by the transaction that did it. Triggers refuse every change and deletion."""

    __tablename__ = "audit"
    __table_args__ = (UniqueConstraint("action_id"), {"sqlite_autoincrement": True})

    seq: int = Field(default=None, sa_column=Column(_Sequence, primary_key=True, autoincrement=True))
    at: datetime = _moment(null=False)
    device: str
    action: str
    target: str
    detail: str = _words()
    action_id: str | None = None


class HeldAskRow(Base):
    """An ask whose app was taken down, as the SHA-256 of its folded words: who asks the same waits for a person."""

    __tablename__ = "held_asks"

    ask_sha256: str = Field(primary_key=True)
    document_id: str = Field(sa_column=Column(ForeignKey("documents.id"), nullable=False))
    device: str
    at: datetime = _moment(null=False)


class ConsoleLinkRow(Base):
    """A link that lets an operator into the console, once; its code is stored hashed."""

    __tablename__ = "console_links"
    __table_args__ = (
        CheckConstraint(_one_of("role", (Role.OPERATOR, Role.VIEWER)), name="role"),
        CheckConstraint("expires_at > created_at", name="expires"),
    )

    code_sha256: str = Field(primary_key=True)
    role: str
    holder: str
    created_at: datetime = _moment(null=False)
    expires_at: datetime = _moment(null=False)
    spent_at: datetime | None = _moment()


class ConsoleSessionRow(Base):
    """Somebody who is signed in to the console: by a device's token, whose end ends it, or by a link (no device)."""

    __tablename__ = "console_sessions"
    __table_args__ = (
        CheckConstraint(_one_of("role", (Role.OPERATOR, Role.VIEWER)), name="role"),
        CheckConstraint("expires_at > created_at", name="expires"),
        CheckConstraint("(ended_at IS NULL) = (ended_why IS NULL)", name="ended"),
        UniqueConstraint("token_sha256"),
    )

    id: str = Field(primary_key=True)
    token_sha256: str
    role: str
    holder: str
    device: str | None = Field(default=None, sa_column=Column(ForeignKey("devices.id")))
    created_at: datetime = _moment(null=False)
    seen_at: datetime = _moment(null=False)
    expires_at: datetime = _moment(null=False)
    ended_at: datetime | None = _moment()
    ended_why: str | None = None


class AlertRow(Base):
    """Something that operators are told of once until it clears: since when it stands, and what was told of it.

    `seen_at` is when it was last found to be so: of several bots only one may see it. A row goes once its clearing was
    told. `told` says which of the two messages is the last that arrived.
    """

    __tablename__ = "alerts"
    __table_args__ = (
        CheckConstraint("told IS NULL OR told IN ('raised', 'cleared')", name="told"),
        CheckConstraint("failures >= 0", name="failures"),
    )

    name: str = Field(primary_key=True)
    detail: str = _words()
    since: datetime = _moment(null=False)
    seen_at: datetime = _moment(null=False)
    cleared_at: datetime | None = _moment()
    told: str | None = None
    failures: int = 0
    next_try_at: datetime | None = _moment()
    problem: str | None = _words(null=True)


class SessionRow(Base):
    """The account's session, sealed, and who may renew it now; its version is the one a refresh started from."""

    __tablename__ = "sessions"
    __table_args__ = (CheckConstraint("(lease_holder IS NULL) = (lease_until IS NULL)", name="lease_whole"),)

    did: str = Field(primary_key=True)
    sealed: str
    version: int
    at: datetime = _moment(null=False)
    lease_holder: str | None = None
    lease_until: datetime | None = _moment()


class LoginRow(Base):
    """What the last login came back with: a pause until a moment, or credentials that were refused, as a keyed hash."""

    __tablename__ = "logins"
    __table_args__ = (CheckConstraint("(refused IS NULL) <> (not_before IS NULL)", name="paused_or_refused"),)

    did: str = Field(primary_key=True)
    not_before: datetime | None = _moment()
    refused: str | None = None
    why: str = _words()
    error: str | None = _words(null=True)
    at: datetime = _moment(null=False)


class ConditionRow(Base):
    """Something that is wrong now and that operators should know of; gone once it is mended."""

    __tablename__ = "conditions"

    name: str = Field(primary_key=True)
    detail: str = _words()
    since: datetime = _moment(null=False)
    checked_at: datetime = _moment(null=False)


class LeaseRow(Base):
    """Who of several bots does something now, and until when, by the database's time; then another may take it."""

    __tablename__ = "leases"

    name: str = Field(primary_key=True)
    holder: str
    taken_at: datetime = _moment(null=False)
    until: datetime = _moment(null=False)


class CursorRow(Base):
    """Where a live stream was read to: its own count of microseconds. Written with the documents that came of it."""

    __tablename__ = "cursors"

    name: str = Field(primary_key=True)
    position: int = Field(sa_type=BigInteger)
    at: datetime = _moment(null=False)


class HeardRow(Base):
    """By which source a mention was found, and when; for as long as the comparison of the sources looks back."""

    __tablename__ = "heard"
    __table_args__ = (
        CheckConstraint("by_notifications_at IS NOT NULL OR by_stream_at IS NOT NULL", name="by_one"),
        Index("ix_heard_at", "at"),
    )

    id: str = Field(primary_key=True)
    at: datetime = _moment(null=False)
    by_notifications_at: datetime | None = _moment()
    by_stream_at: datetime | None = _moment()


class PastRow(Base):
    """What stays for ever of a document whose history was removed: that its id is known, how it ended, our reply."""

    __tablename__ = "past"
    __table_args__ = (Index("ix_past_reply_uri", "reply_uri"), Index("ix_past_author_did", "author_did"))

    id: str = Field(primary_key=True)
    author_did: str
    status: str
    reason: str
    reply_uri: str | None = None
    created_at: datetime = _moment(null=False)
    ended_at: datetime = _moment(null=False)
    removed_at: datetime = _moment(null=False)
    taken_back_at: datetime | None = _moment()


class DayRow(Base):
    """A count of a day (UTC, `2026-11-30`) that is kept when the rows which it counts are removed."""

    __tablename__ = "days"
    __table_args__ = (CheckConstraint("n >= 0", name="not_negative"),)

    day: str = Field(primary_key=True)
    what: str = Field(primary_key=True)
    n: int = Field(sa_type=BigInteger)


class ParkedRow(Base):
    """An upstream item that could not be read, kept raw so that nothing is lost."""

    __tablename__ = "parked"

    digest: str = Field(primary_key=True)
    source: str
    raw: Any = _json(null=False)
    problem: str = _words()
    at: datetime = _moment(null=False)


class AppRow(Base):
    """An app's slug, and its own address where it lives elsewhere. Slugs are never given out again.

    So a row outlives its document, whose id may stand in `past` by then.
    """

    __tablename__ = "apps"
    __table_args__ = (
        CheckConstraint("(gone_at IS NULL) = (gone_reason IS NULL)", name="gone"),
        UniqueConstraint("document_id"),
        Index("ix_apps_kept_until", "kept_until", **_where(KEPT_FOR_A_TIME)),
    )

    slug: str = Field(primary_key=True)
    document_id: str
    live_version: int | None = None
    address: str | None = None
    kept_until: datetime | None = _moment()
    gone_at: datetime | None = _moment()
    gone_reason: str | None = None


class AppScreenRow(Base):
    """How a version of an app looks, as its lane saw it; for the card of the reply."""

    __tablename__ = "app_screens"

    slug: str = Field(sa_column=Column(ForeignKey("apps.slug"), primary_key=True))
    version: int = Field(primary_key=True)
    content: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class AppFileRow(Base):
    """One file of one version of an app; versions are immutable once they are live."""

    __tablename__ = "app_files"

    slug: str = Field(sa_column=Column(ForeignKey("apps.slug"), primary_key=True))
    version: int = Field(primary_key=True)
    path: str = Field(primary_key=True)
    content: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    sha256: str


def _table(model: type[Base]) -> Table:
    """The table that a class declares, its columns in their order there."""
    columns = {name: get_column_from_field(field) for name, field in model.model_fields.items()}
    for name, column in columns.items():
        column.name = column.key = name
    rules: tuple[Any, ...] = getattr(model, "__table_args__", ())
    options = {name: value for rule in rules if isinstance(rule, dict) for name, value in rule.items()}
    named = cast(str, model.__tablename__)
    items = [*columns.values(), *(rule for rule in rules if not isinstance(rule, dict))]
    return Table(named, Base.metadata, *items, **options)


documents = _table(DocumentRow)
searched = _table(SearchedRow)
moves = _table(MoveRow)
attempts = _table(AttemptRow)
sends = _table(SendRow)
known_ids = _table(KnownIdRow)
usage = _table(UsageRow)
people = _table(PersonRow)
watermarks = _table(WatermarkRow)
devices = _table(DeviceRow)
invites = _table(InviteRow)
run_logins = _table(RunLoginRow)
dispatches = _table(DispatchRow)
switches = _table(SwitchRow)
audit = _table(AuditRow)
held_asks = _table(HeldAskRow)
console_links = _table(ConsoleLinkRow)
console_sessions = _table(ConsoleSessionRow)
alerts = _table(AlertRow)
sessions = _table(SessionRow)
logins = _table(LoginRow)
conditions = _table(ConditionRow)
parked = _table(ParkedRow)
leases = _table(LeaseRow)
cursors = _table(CursorRow)
heard = _table(HeardRow)
past = _table(PastRow)
days = _table(DayRow)
apps = _table(AppRow)
app_files = _table(AppFileRow)
app_screens = _table(AppScreenRow)
send_blobs = _table(SendBlobRow)
