"""Retention: what stays of a document whose history was removed, the counts of each day, and how long an app is kept."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "past",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("reply_uri", sa.String(), nullable=True),
        sa.Column("slug", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_past")),
    )
    op.create_index("ix_past_reply_uri", "past", ["reply_uri"])
    op.create_table(
        "days",
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("n >= 0", name=op.f("ck_days_not_negative")),
        sa.PrimaryKeyConstraint("day", "what", name=op.f("pk_days")),
    )
    op.add_column("apps", sa.Column("kept_until", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Bring the schema back; ids that stand for a removed history are forgotten with it."""
    op.drop_column("apps", "kept_until")
    for table in ("days", "past"):
        op.drop_table(table)
