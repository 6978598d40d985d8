"""How many builds were let through lately is known without reading the whole history."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_ASKED_AGAIN = "name = 'ask_again'"


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_index(
        "ix_moves_asked_again",
        "moves",
        ["at"],
        sqlite_where=sa.text(_ASKED_AGAIN),
        postgresql_where=sa.text(_ASKED_AGAIN),
    )


def downgrade() -> None:
    """Take it back."""
    op.drop_index("ix_moves_asked_again", "moves")
