"""What the bot asks in each round costs the same in a ledger of any size: its indexes hold what is open, and no more.

Without statistics SQLite takes an index that begins with a status, or holds the wanted order, before one that holds a
few: so those of few hold the order, too, and no index is left that begins with the state of every send. The moves of a
document are few, and are found by their versions.

What goes, goes first: to drop an index takes its table for itself, to make one only from whoever writes. Who has the
latter and asks for the former waits for a bot that has read, and the bot, which writes next, for them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_BUILT = "status = 'built'"
_FOR_LANES = "status NOT IN ('received', 'awaiting-approval', 'built', 'replied', 'skipped', 'build-failed', 'error')"
_UNDECIDED = "(status = 'awaiting-approval' OR reply_held IS NOT NULL)"
_UNDER_WAY = "(state = 'claimed' OR next_try_at IS NOT NULL)"
_UNSEEN = "reply_uri IS NOT NULL AND reply_seen_at IS NULL AND reply_deleted_at IS NULL"
_NEW = (
    ("documents", "to_like", ["created_at", "id"], "like_due"),
    ("documents", "to_tell", ["created_at", "id"], "note_due"),
    ("documents", "unseen", ["updated_at", "id"], _UNSEEN),
    ("documents", "built", ["author_did", "created_at", "id"], _BUILT),
    ("documents", "approve_by", ["approve_by"], _UNDECIDED),
    ("documents", "build_by", ["build_by"], _FOR_LANES),
    ("sends", "under_way", ["state", "next_try_at"], _UNDER_WAY),
)


def upgrade() -> None:
    """Bring the schema forward."""
    for name in ("looked_at", "like_due", "note_due"):
        op.drop_index(f"ix_documents_{name}", "documents")
    op.drop_index("ix_sends_state", "sends")
    op.drop_index("ix_moves_document_id_seq", "moves")
    for table, name, columns, which in _NEW:
        op.create_index(
            f"ix_{table}_{name}", table, columns, sqlite_where=sa.text(which), postgresql_where=sa.text(which)
        )


def downgrade() -> None:
    """Bring the schema back."""
    for table, name, *_ in _NEW:
        op.drop_index(f"ix_{table}_{name}", table)
    op.create_index("ix_documents_looked_at", "documents", ["status", "looked_at"])
    for name in ("like_due", "note_due"):
        op.create_index(
            f"ix_documents_{name}",
            "documents",
            ["created_at"],
            sqlite_where=sa.text(name),
            postgresql_where=sa.text(name),
        )
    op.create_index("ix_sends_state", "sends", ["state", "next_try_at"])
    op.create_index("ix_moves_document_id_seq", "moves", ["document_id", "seq"])
