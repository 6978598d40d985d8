"""What the last apps have cost is found at each claim in a ledger of any size, however much made no app."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_MADE = "outcome = 'done'"


def upgrade() -> None:
    """Bring the schema forward."""
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
