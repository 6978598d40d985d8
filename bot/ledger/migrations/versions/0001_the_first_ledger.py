"""The first ledger: documents and their history, attempts, sends, caps, devices and apps."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_APPEND_ONLY = {
    "sqlite": [
        "CREATE TRIGGER moves_append_only BEFORE UPDATE ON moves "
        "BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END"
    ],
    "postgresql": [
        "CREATE FUNCTION moves_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the history is append-only'; END $$",
        "CREATE TRIGGER moves_append_only BEFORE UPDATE ON moves FOR EACH ROW EXECUTE FUNCTION moves_append_only()",
    ],
}


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "devices",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("allowed_prefix", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('lane', 'operator', 'viewer')", name=op.f("ck_devices_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_devices")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_devices_token_sha256")),
    )
    op.create_table(
        "documents",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("author_did", sa.String(), nullable=False),
        sa.Column("author_handle", sa.Text(), nullable=False),
        sa.Column("source_uri", sa.String(), nullable=False),
        sa.Column("source_cid", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("approve_by", sa.DateTime(timezone=True), nullable=True),
        sa.Column("build_by", sa.DateTime(timezone=True), nullable=True),
        sa.Column("verdicts", sa.Text(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("budget", sa.Integer(), nullable=False),
        sa.Column("claim_id", sa.String(), nullable=True),
        sa.Column("claim_device", sa.String(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("step", sa.String(), nullable=True),
        sa.Column("slug", sa.String(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("sending", sa.Boolean(), nullable=False),
        sa.Column("reply_uri", sa.String(), nullable=True),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(kind = 'mention' AND status IN ('received', 'pending-build', 'awaiting-approval', 'skipped', 'building', 'built', 'build-failed', 'error', 'replied'))",
            name=op.f("ck_documents_status"),
        ),
        sa.CheckConstraint(
            "claim_id IS NULL OR status = 'building'", name=op.f("ck_documents_claim_only_while_building")
        ),
        sa.CheckConstraint("status = 'built' OR NOT sending", name=op.f("ck_documents_sending_only_while_built")),
        sa.CheckConstraint(
            "status NOT IN ('built', 'replied') OR result IS NOT NULL", name=op.f("ck_documents_result")
        ),
        sa.CheckConstraint(
            "status NOT IN ('pending-build', 'building') OR build_by IS NOT NULL", name=op.f("ck_documents_build_by")
        ),
        sa.CheckConstraint(
            "(claim_id IS NULL) = (lease_until IS NULL) AND (claim_id IS NULL) = (claim_device IS NULL)",
            name=op.f("ck_documents_claim_whole"),
        ),
        sa.CheckConstraint(
            "version >= 1 AND attempt >= 0 AND failures >= 0 AND failures <= attempt", name=op.f("ck_documents_counts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint("claim_id", name=op.f("uq_documents_claim_id")),
        sa.UniqueConstraint("slug", name=op.f("uq_documents_slug")),
        sa.UniqueConstraint("source_uri", name=op.f("uq_documents_source_uri")),
    )
    with op.batch_alter_table("documents", schema=None) as batch_op:
        batch_op.create_index("ix_documents_author", ["author_did", "created_at"], unique=False)
        batch_op.create_index("ix_documents_created", ["created_at", "id"], unique=False)
        batch_op.create_index("ix_documents_open", ["status", "created_at", "id"], unique=False)

    op.create_table(
        "known_ids",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("reply_uri", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_known_ids")),
    )
    op.create_table(
        "parked",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_parked")),
    )
    op.create_table(
        "sessions",
        sa.Column("did", sa.String(), nullable=False),
        sa.Column("sealed", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("did", name=op.f("pk_sessions")),
    )
    op.create_table(
        "switches",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("name IN ('pause_ingest', 'pause_builds', 'pause_replies')", name=op.f("ck_switches_name")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_switches")),
    )
    op.create_table(
        "usage",
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("window", sa.String(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("n >= 0 AND cost_micros >= 0", name=op.f("ck_usage_not_negative")),
        sa.PrimaryKeyConstraint("scope", "window", name=op.f("pk_usage")),
    )
    op.create_table(
        "watermarks",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_watermarks")),
    )
    op.create_table(
        "apps",
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("live_version", sa.Integer(), nullable=True),
        sa.Column("gone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("gone_reason", sa.String(), nullable=True),
        sa.CheckConstraint("(gone_at IS NULL) = (gone_reason IS NULL)", name=op.f("ck_apps_gone")),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_apps_document_id")),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_apps")),
        sa.UniqueConstraint("document_id", name=op.f("uq_apps_document_id")),
    )
    op.create_table(
        "attempts",
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("claim_id", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("generator", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=True),
        sa.Column("prompt_version", sa.String(), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("tokens_in", sa.BigInteger(), nullable=False),
        sa.Column("tokens_out", sa.BigInteger(), nullable=False),
        sa.Column("cost_micros", sa.BigInteger(), nullable=False),
        sa.Column("checks", sa.Text(), nullable=True),
        sa.Column("log_tail", sa.Text(), nullable=False),
        sa.Column("upload_sha256", sa.String(), nullable=True),
        sa.Column("report_sha256", sa.String(), nullable=True),
        sa.Column("reported_status", sa.String(), nullable=True),
        sa.CheckConstraint(
            "outcome IS NULL OR outcome IN ('done', 'refused', 'retry_later', 'broken', 'released', 'lost', 'voided')",
            name=op.f("ck_attempts_outcome"),
        ),
        sa.CheckConstraint("(outcome IS NULL) = (ended_at IS NULL)", name=op.f("ck_attempts_ended")),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_attempts_document_id")),
        sa.PrimaryKeyConstraint("document_id", "attempt", name=op.f("pk_attempts")),
        sa.UniqueConstraint("claim_id", name=op.f("uq_attempts_claim_id")),
    )
    op.create_table(
        "moves",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("from_status", sa.String(), nullable=True),
        sa.Column("to_status", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.String(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("actor IN ('bot', 'builder', 'operator')", name=op.f("ck_moves_actor")),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_moves_document_id")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_moves")),
        sa.UniqueConstraint("document_id", "version", name=op.f("uq_moves_document_id_version")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("moves", schema=None) as batch_op:
        batch_op.create_index("ix_moves_document_id_seq", ["document_id", "seq"], unique=False)

    op.create_table(
        "sends",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=True),
        sa.Column("collection", sa.String(), nullable=False),
        sa.Column("rkey", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("cid", sa.String(), nullable=False),
        sa.Column("cids", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("unknown_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("conflict", sa.Text(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("uri", sa.String(), nullable=True),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.CheckConstraint("(state = 'answered') = (uri IS NOT NULL)", name=op.f("ck_sends_answered_has_uri")),
        sa.CheckConstraint("(state = 'claimed') = (settled_at IS NULL)", name=op.f("ck_sends_settled")),
        sa.CheckConstraint("state IN ('claimed', 'answered', 'refused', 'abandoned')", name=op.f("ck_sends_state")),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_sends_document_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sends")),
        sa.UniqueConstraint("collection", "rkey", name=op.f("uq_sends_collection_rkey")),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("sends", schema=None) as batch_op:
        batch_op.create_index("ix_sends_state", ["state", "next_try_at"], unique=False)
        batch_op.create_index(
            "uq_sends_live_key",
            ["key"],
            unique=True,
            sqlite_where=sa.text("state IN ('claimed', 'answered')"),
            postgresql_where=sa.text("state IN ('claimed', 'answered')"),
        )

    op.create_table(
        "app_files",
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["slug"], ["apps.slug"], name=op.f("fk_app_files_slug")),
        sa.PrimaryKeyConstraint("slug", "version", "path", name=op.f("pk_app_files")),
    )
    for statement in _APPEND_ONLY[op.get_bind().dialect.name]:
        op.execute(statement)


def downgrade() -> None:
    """Bring the schema back."""
    op.drop_table("app_files")
    with op.batch_alter_table("sends", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_sends_live_key",
            sqlite_where=sa.text("state IN ('claimed', 'answered')"),
            postgresql_where=sa.text("state IN ('claimed', 'answered')"),
        )
        batch_op.drop_index("ix_sends_state")

    op.drop_table("sends")
    with op.batch_alter_table("moves", schema=None) as batch_op:
        batch_op.drop_index("ix_moves_document_id_seq")

    op.drop_table("moves")
    op.drop_table("attempts")
    op.drop_table("apps")
    op.drop_table("watermarks")
    op.drop_table("usage")
    op.drop_table("switches")
    op.drop_table("sessions")
    op.drop_table("parked")
    op.drop_table("known_ids")
    with op.batch_alter_table("documents", schema=None) as batch_op:
        batch_op.drop_index("ix_documents_open")
        batch_op.drop_index("ix_documents_created")
        batch_op.drop_index("ix_documents_author")

    op.drop_table("documents")
    op.drop_table("devices")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION moves_append_only()")
