"""Retention: what stays of a document whose history was removed, the counts of each day, and how long an app is kept.

The slug of an app outlives its document: `apps` names it without a reference. Somebody's words in what others have asked
are found without reading everything, once they want to be forgotten.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_ENDED = "status NOT IN ('received', 'awaiting-approval', 'pending-build', 'building', 'built')"
_HAS_CONTEXT = """length(replace(body, '"context":[]', '')) = length(body)"""
_KEPT_FOR_A_TIME = "kept_until IS NOT NULL AND gone_at IS NULL"


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "past",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("author_did", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("reply_uri", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_back_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_past")),
    )
    op.create_index("ix_past_reply_uri", "past", ["reply_uri"])
    op.create_index("ix_past_author_did", "past", ["author_did"])
    op.create_table(
        "days",
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("n >= 0", name=op.f("ck_days_not_negative")),
        sa.PrimaryKeyConstraint("day", "what", name=op.f("pk_days")),
    )
    with op.batch_alter_table("apps", schema=None) as batch_op:
        batch_op.add_column(sa.Column("kept_until", sa.DateTime(timezone=True), nullable=True))
        batch_op.drop_constraint(op.f("fk_apps_document_id"), type_="foreignkey")
    op.add_column("documents", sa.Column("wordless", sa.Boolean(), nullable=False, server_default=sa.false()))
    for table, name, columns, which in (
        ("documents", "context", ["kind"], _HAS_CONTEXT),
        ("documents", "ended", ["updated_at", "id"], _ENDED),
        ("apps", "kept_until", ["kept_until"], _KEPT_FOR_A_TIME),
    ):
        op.create_index(
            f"ix_{table}_{name}", table, columns, sqlite_where=sa.text(which), postgresql_where=sa.text(which)
        )


def downgrade() -> None:
    """Bring the schema back; ids that stand for a removed history are forgotten with it, and so are their slugs."""
    op.drop_index("ix_documents_ended", table_name="documents")
    op.drop_index("ix_documents_context", table_name="documents")
    op.drop_column("documents", "wordless")
    op.drop_index("ix_apps_kept_until", table_name="apps")
    op.execute("DELETE FROM apps WHERE document_id NOT IN (SELECT id FROM documents)")
    with op.batch_alter_table("apps", schema=None) as batch_op:
        batch_op.create_foreign_key(op.f("fk_apps_document_id"), "documents", ["document_id"], ["id"])
        batch_op.drop_column("kept_until")
    for table in ("days", "past"):
        op.drop_table(table)
