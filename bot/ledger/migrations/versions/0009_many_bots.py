"""Several bots on one ledger: who does the rounds now, and where a live stream was read to."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "leases",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )
    op.create_table(
        "cursors",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_cursors")),
    )
    op.create_table(
        "heard",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by_notifications_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("by_stream_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_heard")),
        sa.CheckConstraint("by_notifications_at IS NOT NULL OR by_stream_at IS NOT NULL", name=op.f("ck_heard_by_one")),
    )
    op.create_index("ix_heard_at", "heard", ["at"])


def downgrade() -> None:
    """Bring the schema back."""
    for table in ("heard", "cursors", "leases"):
        op.drop_table(table)
