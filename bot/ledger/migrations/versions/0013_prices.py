"""What a build is taken to cost: found at each claim in a ledger of any size, and given back where a lane loses it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_MADE = "outcome = 'done'"


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("surplus_micros", sa.BigInteger(), nullable=False, server_default="0"))
        batch_op.create_check_constraint(op.f("ck_attempts_surplus"), "surplus_micros BETWEEN 0 AND estimate_micros")
    op.create_index(
        "ix_attempts_made",
        "attempts",
        ["ended_at", "claim_id"],
        sqlite_where=sa.text(_MADE),
        postgresql_where=sa.text(_MADE),
    )


def downgrade() -> None:
    """Bring the schema back."""
    op.drop_index("ix_attempts_made", "attempts")
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_attempts_surplus"), type_="check")
        batch_op.drop_column("surplus_micros")
