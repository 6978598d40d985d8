"""What is asked for again and again is found without reading every send and every document."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_TO_TAKE_BACK = "withdrawn_at IS NOT NULL AND reply_deleted_at IS NULL AND reply_uri IS NOT NULL"
_LOST = "taken_down_at IS NOT NULL"
_LINKS = r"substr(key, length(key) - 4) = '\:same'"


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_index("ix_sends_document_id", "sends", ["document_id"])
    op.create_index("ix_sends_key", "sends", ["key"])
    for table, name, columns, which in (
        ("sends", "links", ["id"], _LINKS),
        ("documents", "lost", ["author_did", "created_at", "id"], _LOST),
        ("documents", "to_take_back", ["withdrawn_at", "id"], _TO_TAKE_BACK),
    ):
        op.create_index(
            f"ix_{table}_{name}", table, columns, sqlite_where=sa.text(which), postgresql_where=sa.text(which)
        )


def downgrade() -> None:
    """Bring the schema back."""
    op.drop_index("ix_documents_lost", table_name="documents")
    op.drop_index("ix_documents_to_take_back", table_name="documents")
    op.drop_index("ix_sends_links", table_name="sends")
    op.drop_index("ix_sends_key", table_name="sends")
    op.drop_index("ix_sends_document_id", table_name="sends")
