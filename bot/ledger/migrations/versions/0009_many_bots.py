"""Several bots on one ledger: who does the rounds now, and where a live stream was read to.

And PostgreSQL's dumps of a ledger can be brought back, which those before could not by themselves.
"""

import sqlalchemy as sa
from alembic import op

from bot.ledger.qualified import qualify_search

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
    if op.get_bind().dialect.name == "postgresql":
        qualify_search(op.get_bind())


def downgrade() -> None:
    """Bring the schema back; functions that name their schema do as well for an older program."""
    for table in ("heard", "cursors", "leases"):
        op.drop_table(table)
