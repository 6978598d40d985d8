"""The ledger's tables; private to this package. The database repeats the rules that it can."""

from itertools import chain
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    event,
    text,
)

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


# With every constraint named, so that migrations can find it.
metadata = MetaData(naming_convention=NAMING)


def _one_of(column: str, values: Any) -> str:
    return f"{column} IN ({', '.join(repr(str(value)) for value in values)})"


def _moment(name: str, *, null: bool = True) -> Column[Any]:
    return Column(name, UtcDateTime(), nullable=null)


def _json(name: str, *, null: bool = True) -> Column[Any]:
    return Column(name, JsonText(), nullable=null)


def _words(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, SafeText(), nullable=null, default=None if null else "")


def _where(condition: str) -> dict[str, Any]:
    """What an index is about, on both databases: a query has to say the same words to be served by it.

    Said for SQLite, and by `_the_same_on_postgresql` for PostgreSQL, whose dialect is not loaded for that before.
    """
    return {"sqlite_where": text(condition)}


@event.listens_for(metadata, "before_create")
def _the_same_on_postgresql(target: MetaData, connection: Connection, **_: Any) -> None:
    if connection.dialect.name == "postgresql":
        for index in chain.from_iterable(table.indexes for table in target.tables.values()):
            index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]


# As an exclusion: for a list of statuses SQLite would take an index of those, and sort what it finds.
ENDED = "status NOT IN ('received', 'awaiting-approval', 'pending-build', 'building', 'built')"
FAILED = "status IN ('build-failed', 'error')"
BUILT = "status = 'built'"
# As an exclusion, too.
FOR_LANES = "status NOT IN ('received', 'awaiting-approval', 'built', 'replied', 'skipped', 'build-failed', 'error')"
# By lengths, since SQLite turns a comparison with a column round, and then does not know it again.
HAS_CONTEXT = """length(replace(body, '"context":[]', '')) = length(body)"""
HELD = "reply_held IS NOT NULL"
LIKE_DUE = "like_due"
NOTE_DUE = "note_due"
KEPT_FOR_A_TIME = "kept_until IS NOT NULL AND gone_at IS NULL"
# The keys of links under asks that have joined one, which end in `joining.LINK_SUFFIX`.
LINKS = r"substr(key, length(key) - 4) = '\:same'"
LOST = "taken_down_at IS NOT NULL"
MADE = "outcome = 'done'"
TO_TAKE_BACK = "withdrawn_at IS NOT NULL AND reply_deleted_at IS NULL AND reply_uri IS NOT NULL"
# Of what is answered only what is looked at once more: else all that was ever said would be in its index.
UNDER_WAY = "(state = 'claimed' OR next_try_at IS NOT NULL)"
UNDECIDED = "(status = 'awaiting-approval' OR reply_held IS NOT NULL)"
UNSEEN = "reply_uri IS NOT NULL AND reply_seen_at IS NULL AND reply_deleted_at IS NULL"
UNSETTLED = (
    "(conflict IS NOT NULL OR (state = 'claimed' AND unknown_since IS NOT NULL) "
    "OR (state = 'refused' AND next_try_at IS NOT NULL))"
)
_STATUS_PER_KIND = " OR ".join(f"(kind = '{kind.value}' AND {_one_of('status', statuses(kind))})" for kind in Kind)


# One unit of work.
documents = Table(
    "documents",
    metadata,
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("author_did", String, nullable=False),
    _words("author_handle"),
    Column("source_uri", String, nullable=False),
    Column("source_cid", String, nullable=False),
    _json("body", null=False),
    Column("status", String, nullable=False),
    Column("version", Integer, nullable=False, default=1),
    Column("reason", String, nullable=False),
    _words("detail"),
    _moment("created_at", null=False),
    _moment("updated_at", null=False),
    _moment("not_before"),
    _moment("approve_by"),
    _moment("build_by"),
    _json("verdicts"),
    Column("attempt", Integer, nullable=False, default=0),
    Column("failures", Integer, nullable=False, default=0),
    Column("budget", Integer, nullable=False),
    Column("claim_id", String),
    Column("claim_device", String),
    _moment("lease_until"),
    Column("step", String),
    Column("slug", String),
    _json("result"),
    Column("sending", Boolean, nullable=False, default=False),
    Column("reply_uri", String),
    _moment("withdrawn_at"),
    Column("like_due", Boolean, nullable=False, default=False),
    Column("note_due", Boolean, nullable=False, default=False),
    _words("reply_held", null=True),
    Column("reply_released_by", String),
    _moment("looked_at"),
    _moment("absent_since"),
    Column("edited_cid", String),
    _moment("reply_seen_at"),
    _moment("reply_deleted_at"),
    Column("thread", String, nullable=False),
    Column("joined_to", String),
    _json("facts"),
    _json("places"),
    _moment("taken_down_at"),
    Column("page", String),
    Column("wordless", Boolean, nullable=False, default=False),
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
    Index("ix_documents_to_like", "created_at", "id", **_where(LIKE_DUE)),
    Index("ix_documents_to_tell", "created_at", "id", **_where(NOTE_DUE)),
    Index("ix_documents_unseen", "updated_at", "id", **_where(UNSEEN)),
    Index("ix_documents_built", "author_did", "created_at", "id", **_where(BUILT)),
    Index("ix_documents_approve_by", "approve_by", **_where(UNDECIDED)),
    Index("ix_documents_build_by", "build_by", **_where(FOR_LANES)),
    Index("ix_documents_created", "created_at", "id"),
    Index("ix_documents_thread", "thread", "created_at"),
    Index("ix_documents_joined_to", "joined_to", **_where("joined_to IS NOT NULL")),
)


# What is searched for of a document, in the order of their coming: the words of its ask, and those about it.
# Triggers on `documents` keep it, so that nothing else writes here. The index over it is each database's own: the
# FTS5 table `searched_words` on SQLite, the column `words` on PostgreSQL.
searched = Table(
    "searched",
    metadata,
    Column("key", _Sequence, primary_key=True, autoincrement=True),
    Column("document_id", ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    _words("asked"),
    _words("about"),
    UniqueConstraint("document_id"),
    sqlite_autoincrement=True,
)


# One row of the history; appended by the same transaction as the move, never changed.
# But that the detail may be blanked, when somebody wants to be forgotten.
moves = Table(
    "moves",
    metadata,
    Column("seq", _Sequence, primary_key=True, autoincrement=True),
    Column("document_id", ForeignKey("documents.id"), nullable=False),
    Column("kind", String, nullable=False),
    Column("name", String, nullable=False),
    Column("from_status", String),
    Column("to_status", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("actor", String, nullable=False),
    Column("device", String, nullable=False),
    Column("reason", String, nullable=False),
    _words("detail"),
    Column("claim_id", String),
    _moment("at", null=False),
    CheckConstraint(_one_of("actor", Actor), name="actor"),
    UniqueConstraint("document_id", "version"),
    Index("ix_moves_accepted", "at", **_where("name = 'accept'")),
    Index("ix_moves_asked_again", "at", **_where("name = 'ask_again'")),
    sqlite_autoincrement=True,
)


# One attempt of a build.
attempts = Table(
    "attempts",
    metadata,
    Column("document_id", ForeignKey("documents.id"), primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("claim_id", String, nullable=False),
    Column("device", String, nullable=False),
    Column("generator", String, nullable=False),
    Column("model", String),
    Column("prompt_version", String),
    _moment("started_at", null=False),
    _moment("ended_at"),
    Column("outcome", String),
    _words("detail"),
    Column("tokens_in", BigInteger, nullable=False, default=0),
    Column("tokens_out", BigInteger, nullable=False, default=0),
    Column("cost_micros", BigInteger, nullable=False, default=0),
    _json("checks"),
    _words("log_tail"),
    Column("upload_sha256", String),
    Column("report_sha256", String),
    Column("reported_status", String),
    Column("estimate_micros", BigInteger, nullable=False, default=0),
    Column("paid_in", String),
    Column("lease_seconds", Float),
    Column("repairs", Integer, nullable=False, default=0),
    # How much of what it is taken to cost is beyond the rules' estimate: that goes back once its lane has lost it.
    Column("surplus_micros", BigInteger, nullable=False, default=0),
    CheckConstraint(f"outcome IS NULL OR {_one_of('outcome', [*BuildOutcome, 'lost', 'voided'])}", name="outcome"),
    CheckConstraint("(outcome IS NULL) = (ended_at IS NULL)", name="ended"),
    CheckConstraint("estimate_micros >= 0", name="estimate"),
    CheckConstraint("lease_seconds IS NULL OR lease_seconds > 0", name="lease"),
    CheckConstraint("repairs >= 0", name="repairs"),
    CheckConstraint("surplus_micros BETWEEN 0 AND estimate_micros", name="surplus"),
    UniqueConstraint("claim_id"),
    Index("ix_attempts_device_started_at", "device", "started_at"),
    Index("ix_attempts_ended_at", "ended_at"),
    Index("ix_attempts_made", "ended_at", "claim_id", **_where(MADE)),
)


# One thing that the bot says in public, under its key.
sends = Table(
    "sends",
    metadata,
    Column("id", _Sequence, primary_key=True, autoincrement=True),
    Column("key", String, nullable=False),
    Column("document_id", ForeignKey("documents.id")),
    Column("op", String, nullable=False, default="put"),
    Column("collection", String, nullable=False),
    Column("rkey", String, nullable=False),
    Column("state", String, nullable=False),
    _json("record", null=False),
    Column("cid", String, nullable=False),
    _json("cids", null=False),
    Column("tries", Integer, nullable=False, default=0),
    _moment("unknown_since"),
    _moment("next_try_at"),
    _words("conflict", null=True),
    _words("problem", null=True),
    Column("uri", String),
    _moment("claimed_at", null=False),
    _moment("settled_at"),
    _words("note", null=True),
    Column("decided_by", String),
    _words("decision", null=True),
    CheckConstraint(_one_of("state", ("claimed", "answered", "refused", "abandoned")), name="state"),
    CheckConstraint("(state = 'answered') = (uri IS NOT NULL)", name="answered_has_uri"),
    CheckConstraint("(state = 'claimed') = (settled_at IS NULL)", name="settled"),
    CheckConstraint(_one_of("op", ("put", "delete")), name="op"),
    CheckConstraint("(decided_by IS NULL) = (decision IS NULL)", name="decision"),
    UniqueConstraint("collection", "rkey", "op"),
    Index("uq_sends_live_key", "key", unique=True, **_where("state IN ('claimed', 'answered')")),
    Index("ix_sends_under_way", "state", "next_try_at", **_where(UNDER_WAY)),
    Index("ix_sends_uri", "uri"),
    Index("ix_sends_key", "key"),
    Index("ix_sends_links", "id", **_where(LINKS)),
    Index("ix_sends_document_id", "document_id"),
    Index("ix_sends_unsettled", "id", **_where(UNSETTLED)),
    sqlite_autoincrement=True,
)


# A picture that a send's record names, kept until the send is settled: the PDS forgets it with its last record.
send_blobs = Table(
    "send_blobs",
    metadata,
    Column("send_id", ForeignKey("sends.id"), primary_key=True),
    Column("mime", String, nullable=False),
    Column("content", LargeBinary, nullable=False),
)


# An id that is known as answered although this ledger holds no document of it.
known_ids = Table(
    "known_ids",
    metadata,
    Column("id", String, primary_key=True),
    Column("reply_uri", String, nullable=False),
    _moment("at", null=False),
    _moment("looked_at"),
    _moment("absent_since"),
    _moment("taken_back_at"),
    Index("ix_known_ids_reply_uri", "reply_uri"),
)


# How much of a cap is used: a scope, a window of time, a count and money in millionths of a US dollar.
usage = Table(
    "usage",
    metadata,
    Column("scope", String, primary_key=True),
    Column("window", String, primary_key=True),
    Column("n", Integer, nullable=False, default=0),
    Column("cost_micros", BigInteger, nullable=False, default=0),
    CheckConstraint("n >= 0 AND cost_micros >= 0", name="not_negative"),
)


# What an operator, or a person's own command, has laid down about a DID.
people = Table(
    "people",
    metadata,
    Column("did", String, primary_key=True),
    Column("standing", String, primary_key=True),
    _moment("until"),
    _words("reason"),
    Column("device", String, nullable=False),
    _moment("at", null=False),
    CheckConstraint(_one_of("standing", Standing), name="standing"),
    CheckConstraint("standing <> 'forgotten' OR until IS NULL", name="forgotten_for_good"),
)


# A moving position by name; it never moves back.
watermarks = Table(
    "watermarks",
    metadata,
    Column("name", String, primary_key=True),
    _moment("at", null=False),
)


_LEASE = "longest_lease_seconds IS NULL OR longest_lease_seconds BETWEEN 10 AND 86400"


# Who holds a token, and what it is good for; the token itself is stored hashed.
# The device of one CI run has no token of its own, but one for each login of the run.
devices = Table(
    "devices",
    metadata,
    Column("id", String, primary_key=True),
    _words("name"),
    Column("role", String, nullable=False),
    Column("token_sha256", String),
    Column("allowed_prefix", String, nullable=False),
    _moment("created_at", null=False),
    _moment("seen_at"),
    _moment("revoked_at"),
    Column("longest_lease_seconds", Integer),
    _moment("expires_at"),
    _moment("asked_at"),
    _words("generator", null=True),
    CheckConstraint(_one_of("role", (Role.LANE, Role.OPERATOR, Role.VIEWER)), name="role"),
    CheckConstraint(_LEASE, name="lease"),
    CheckConstraint("token_sha256 IS NOT NULL OR (role = 'lane' AND expires_at IS NOT NULL)", name="token"),
    UniqueConstraint("token_sha256"),
)


# A place for one lane more: whoever brings the code, which is stored hashed, becomes that device.
invites = Table(
    "invites",
    metadata,
    Column("code_sha256", String, primary_key=True),
    _words("name"),
    Column("allowed_prefix", String, nullable=False),
    Column("longest_lease_seconds", Integer),
    Column("invited_by", String, nullable=False),
    _moment("created_at", null=False),
    _moment("expires_at", null=False),
    CheckConstraint(_LEASE, name="lease"),
    CheckConstraint("expires_at > created_at", name="expires"),
)


# One login of a CI run: the id of what it showed, which is good once, and the token that it got for it.
run_logins = Table(
    "run_logins",
    metadata,
    Column("jti_sha256", String, primary_key=True),
    Column("device", ForeignKey("devices.id"), nullable=False),
    Column("token_sha256", String, nullable=False),
    _moment("at", null=False),
    _moment("expires_at", null=False),
    CheckConstraint("expires_at > at", name="expires"),
    UniqueConstraint("token_sha256"),
)


# The last time that a workflow was called for work, under a token that stays until a lane has come by.
dispatches = Table(
    "dispatches",
    metadata,
    Column("target", String, primary_key=True),
    Column("token", String, nullable=False),
    _moment("tried_at", null=False),
    _moment("not_before", null=False),
    Column("tries", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    CheckConstraint("failures >= 0 AND failures <= tries AND tries >= 1", name="counts"),
)


# A switch that is on, with who and why.
switches = Table(
    "switches",
    metadata,
    Column("name", String, primary_key=True),
    Column("device", String, nullable=False),
    _words("reason"),
    _moment("at", null=False),
    CheckConstraint(_one_of("name", Switch), name="name"),
)


# What an operator did; written by the transaction that did it. Triggers refuse every change and deletion.
audit = Table(
    "audit",
    metadata,
    Column("seq", _Sequence, primary_key=True, autoincrement=True),
    _moment("at", null=False),
    Column("device", String, nullable=False),
    Column("action", String, nullable=False),
    Column("target", String, nullable=False),
    _words("detail"),
    Column("action_id", String),
    UniqueConstraint("action_id"),
    sqlite_autoincrement=True,
)


# An ask whose app was taken down, as the SHA-256 of its folded words: who asks the same waits for a person.
held_asks = Table(
    "held_asks",
    metadata,
    Column("ask_sha256", String, primary_key=True),
    Column("document_id", ForeignKey("documents.id"), nullable=False),
    Column("device", String, nullable=False),
    _moment("at", null=False),
)


# A link that lets an operator into the console, once; its code is stored hashed.
console_links = Table(
    "console_links",
    metadata,
    Column("code_sha256", String, primary_key=True),
    Column("role", String, nullable=False),
    Column("holder", String, nullable=False),
    _moment("created_at", null=False),
    _moment("expires_at", null=False),
    _moment("spent_at"),
    CheckConstraint(_one_of("role", (Role.OPERATOR, Role.VIEWER)), name="role"),
    CheckConstraint("expires_at > created_at", name="expires"),
)


# Somebody who is signed in to the console: by a device's token, whose end ends it, or by a link (no device).
console_sessions = Table(
    "console_sessions",
    metadata,
    Column("id", String, primary_key=True),
    Column("token_sha256", String, nullable=False),
    Column("role", String, nullable=False),
    Column("holder", String, nullable=False),
    Column("device", ForeignKey("devices.id")),
    _moment("created_at", null=False),
    _moment("seen_at", null=False),
    _moment("expires_at", null=False),
    _moment("ended_at"),
    Column("ended_why", String),
    CheckConstraint(_one_of("role", (Role.OPERATOR, Role.VIEWER)), name="role"),
    CheckConstraint("expires_at > created_at", name="expires"),
    CheckConstraint("(ended_at IS NULL) = (ended_why IS NULL)", name="ended"),
    UniqueConstraint("token_sha256"),
)


# Something that operators are told of once until it clears: since when it stands, and what was told of it.
# `seen_at` is when it was last found to be so: of several bots only one may see it. A row goes once its clearing was
# told. `told` says which of the two messages is the last that arrived.
alerts = Table(
    "alerts",
    metadata,
    Column("name", String, primary_key=True),
    _words("detail"),
    _moment("since", null=False),
    _moment("seen_at", null=False),
    _moment("cleared_at"),
    Column("told", String),
    Column("failures", Integer, nullable=False, default=0),
    _moment("next_try_at"),
    _words("problem", null=True),
    CheckConstraint("told IS NULL OR told IN ('raised', 'cleared')", name="told"),
    CheckConstraint("failures >= 0", name="failures"),
)


# The account's session, sealed, and who may renew it now; its version is the one a refresh started from.
sessions = Table(
    "sessions",
    metadata,
    Column("did", String, primary_key=True),
    Column("sealed", String, nullable=False),
    Column("version", Integer, nullable=False),
    _moment("at", null=False),
    Column("lease_holder", String),
    _moment("lease_until"),
    CheckConstraint("(lease_holder IS NULL) = (lease_until IS NULL)", name="lease_whole"),
)


# What the last login came back with: a pause until a moment, or credentials that were refused, as a keyed hash.
logins = Table(
    "logins",
    metadata,
    Column("did", String, primary_key=True),
    _moment("not_before"),
    Column("refused", String),
    _words("why"),
    _words("error", null=True),
    _moment("at", null=False),
    CheckConstraint("(refused IS NULL) <> (not_before IS NULL)", name="paused_or_refused"),
)


# Something that is wrong now and that operators should know of; gone once it is mended.
conditions = Table(
    "conditions",
    metadata,
    Column("name", String, primary_key=True),
    _words("detail"),
    _moment("since", null=False),
    _moment("checked_at", null=False),
)


# Who of several bots does something now, and until when, by the database's time; then another may take it.
leases = Table(
    "leases",
    metadata,
    Column("name", String, primary_key=True),
    Column("holder", String, nullable=False),
    _moment("taken_at", null=False),
    _moment("until", null=False),
)


# Where a live stream was read to: its own count of microseconds. Written with the documents that came of it.
cursors = Table(
    "cursors",
    metadata,
    Column("name", String, primary_key=True),
    Column("position", BigInteger, nullable=False),
    _moment("at", null=False),
)


# By which source a mention was found, and when; for as long as the comparison of the sources looks back.
heard = Table(
    "heard",
    metadata,
    Column("id", String, primary_key=True),
    _moment("at", null=False),
    _moment("by_notifications_at"),
    _moment("by_stream_at"),
    CheckConstraint("by_notifications_at IS NOT NULL OR by_stream_at IS NOT NULL", name="by_one"),
    Index("ix_heard_at", "at"),
)


# What stays for ever of a document whose history was removed: that its id is known, how it ended, our reply.
past = Table(
    "past",
    metadata,
    Column("id", String, primary_key=True),
    Column("author_did", String, nullable=False),
    Column("status", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("reply_uri", String),
    _moment("created_at", null=False),
    _moment("ended_at", null=False),
    _moment("removed_at", null=False),
    _moment("taken_back_at"),
    Index("ix_past_reply_uri", "reply_uri"),
    Index("ix_past_author_did", "author_did"),
)


# A count of a day (UTC, `2026-11-30`) that is kept when the rows which it counts are removed.
days = Table(
    "days",
    metadata,
    Column("day", String, primary_key=True),
    Column("what", String, primary_key=True),
    Column("n", BigInteger, nullable=False),
    CheckConstraint("n >= 0", name="not_negative"),
)


# An upstream item that could not be read, kept raw so that nothing is lost.
parked = Table(
    "parked",
    metadata,
    Column("digest", String, primary_key=True),
    Column("source", String, nullable=False),
    _json("raw", null=False),
    _words("problem"),
    _moment("at", null=False),
)


# An app's slug, and its own address where it lives elsewhere. Slugs are never given out again.
# So a row outlives its document, whose id may stand in `past` by then.
apps = Table(
    "apps",
    metadata,
    Column("slug", String, primary_key=True),
    Column("document_id", String, nullable=False),
    Column("live_version", Integer),
    Column("address", String),
    _moment("kept_until"),
    _moment("gone_at"),
    Column("gone_reason", String),
    CheckConstraint("(gone_at IS NULL) = (gone_reason IS NULL)", name="gone"),
    UniqueConstraint("document_id"),
    Index("ix_apps_kept_until", "kept_until", **_where(KEPT_FOR_A_TIME)),
)


# How a version of an app looks, as its lane saw it; for the card of the reply.
app_screens = Table(
    "app_screens",
    metadata,
    Column("slug", ForeignKey("apps.slug"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)


# One file of one version of an app; versions are immutable once they are live.
app_files = Table(
    "app_files",
    metadata,
    Column("slug", ForeignKey("apps.slug"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("path", String, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("sha256", String, nullable=False),
)
