"""Operators: take-downs, the audit log, the console's links and sessions, alerts."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_ROLE = "role IN ('operator', 'viewer')"
_FUNCTION = (
    "CREATE FUNCTION audit_is_final() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'the audit log is never changed'; END $$"
)
_ON_POSTGRESQL = (
    "CREATE TRIGGER audit_is_final BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_final()"
)
_ON_SQLITE = (
    "CREATE TRIGGER audit_no_{what} BEFORE {what} ON audit "
    "BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END"
)


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("documents", sa.Column("taken_down_at", sa.DateTime(timezone=True), nullable=True))
    _add_audit()
    op.create_table(
        "held_asks",
        sa.Column("ask_sha256", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.id"], name=op.f("fk_held_asks_document_id")),
        sa.PrimaryKeyConstraint("ask_sha256", name=op.f("pk_held_asks")),
    )
    _add_console()
    op.create_table(
        "alerts",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("cleared_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("told", sa.String(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("next_try_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.CheckConstraint("told IS NULL OR told IN ('raised', 'cleared')", name=op.f("ck_alerts_told")),
        sa.CheckConstraint("failures >= 0", name=op.f("ck_alerts_failures")),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_alerts")),
    )


def downgrade() -> None:
    """Bring the schema back; the audit log goes with it."""
    for table in ("alerts", "console_sessions", "console_links", "held_asks", "audit"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_is_final()")
    op.drop_column("documents", "taken_down_at")


def _add_audit() -> None:
    op.create_table(
        "audit",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("action_id", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_audit")),
        sa.UniqueConstraint("action_id", name=op.f("uq_audit_action_id")),
        sqlite_autoincrement=True,
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_FUNCTION)
        op.execute(_ON_POSTGRESQL)
        return
    for what in ("UPDATE", "DELETE"):
        op.execute(_ON_SQLITE.format(what=what))


def _add_console() -> None:
    op.create_table(
        "console_links",
        sa.Column("code_sha256", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("spent_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(_ROLE, name=op.f("ck_console_links_role")),
        sa.CheckConstraint("expires_at > created_at", name=op.f("ck_console_links_expires")),
        sa.PrimaryKeyConstraint("code_sha256", name=op.f("pk_console_links")),
    )
    op.create_table(
        "console_sessions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_why", sa.String(), nullable=True),
        sa.CheckConstraint(_ROLE, name=op.f("ck_console_sessions_role")),
        sa.CheckConstraint("expires_at > created_at", name=op.f("ck_console_sessions_expires")),
        sa.CheckConstraint("(ended_at IS NULL) = (ended_why IS NULL)", name=op.f("ck_console_sessions_ended")),
        sa.ForeignKeyConstraint(["device"], ["devices.id"], name=op.f("fk_console_sessions_device")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_console_sessions")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_console_sessions_token_sha256")),
    )
