"""Sessions under a lease, paused logins, conditions, likes and notes, pictures, and what became of a mention."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema forward."""
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("lease_holder", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True))
        batch_op.create_check_constraint(
            op.f("ck_sessions_lease_whole"), "(lease_holder IS NULL) = (lease_until IS NULL)"
        )
    op.create_table(
        "logins",
        sa.Column("did", sa.String(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("refused", sa.String(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("(refused IS NULL) <> (not_before IS NULL)", name=op.f("ck_logins_paused_or_refused")),
        sa.PrimaryKeyConstraint("did", name=op.f("pk_logins")),
    )
    op.create_table(
        "conditions",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_conditions")),
    )
    _add_to_documents()
    _add_to_sends()
    with op.batch_alter_table("known_ids", schema=None) as batch_op:
        for column in ("looked_at", "absent_since", "taken_back_at"):
            batch_op.add_column(sa.Column(column, sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "send_blobs",
        sa.Column("send_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("mime", sa.String(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["send_id"], ["sends.id"], name=op.f("fk_send_blobs_send_id")),
        sa.PrimaryKeyConstraint("send_id", name=op.f("pk_send_blobs")),
    )
    op.create_table(
        "app_screens",
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["slug"], ["apps.slug"], name=op.f("fk_app_screens_slug")),
        sa.PrimaryKeyConstraint("slug", "version", name=op.f("pk_app_screens")),
    )


def _add_to_documents() -> None:
    false, moment = sa.text("false"), sa.DateTime(timezone=True)
    with op.batch_alter_table("documents", schema=None) as batch_op:
        batch_op.add_column(sa.Column("like_due", sa.Boolean(), nullable=False, server_default=false))
        batch_op.add_column(sa.Column("note_due", sa.Boolean(), nullable=False, server_default=false))
        batch_op.add_column(sa.Column("reply_held", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("reply_released_by", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("looked_at", moment, nullable=True))
        batch_op.add_column(sa.Column("absent_since", moment, nullable=True))
        batch_op.add_column(sa.Column("edited_cid", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("reply_seen_at", moment, nullable=True))
        batch_op.add_column(sa.Column("reply_deleted_at", moment, nullable=True))
        batch_op.create_check_constraint(
            op.f("ck_documents_held_only_while_built"), "status = 'built' OR reply_held IS NULL"
        )
    for column in ("like_due", "note_due"):
        where = sa.text(column)
        op.create_index(
            f"ix_documents_{column}", "documents", ["created_at"], sqlite_where=where, postgresql_where=where
        )
    op.create_index("ix_documents_looked_at", "documents", ["status", "looked_at"])


def _add_to_sends() -> None:
    with op.batch_alter_table("sends", schema=None) as batch_op:
        batch_op.add_column(sa.Column("op", sa.String(), nullable=False, server_default="put"))
        batch_op.add_column(sa.Column("decided_by", sa.String(), nullable=True))
        batch_op.add_column(sa.Column("decision", sa.Text(), nullable=True))
        batch_op.drop_constraint("uq_sends_collection_rkey", type_="unique")
        batch_op.create_unique_constraint("uq_sends_collection_rkey_op", ["collection", "rkey", "op"])
        batch_op.create_check_constraint(op.f("ck_sends_op"), "op IN ('put', 'delete')")
        batch_op.create_check_constraint(op.f("ck_sends_decision"), "(decided_by IS NULL) = (decision IS NULL)")


def downgrade() -> None:
    """Bring the schema back."""
    op.drop_table("app_screens")
    op.drop_table("send_blobs")
    with op.batch_alter_table("known_ids", schema=None) as batch_op:
        for column in ("taken_back_at", "absent_since", "looked_at"):
            batch_op.drop_column(column)
    with op.batch_alter_table("sends", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_sends_decision"), type_="check")
        batch_op.drop_constraint(op.f("ck_sends_op"), type_="check")
        batch_op.drop_constraint("uq_sends_collection_rkey_op", type_="unique")
        batch_op.create_unique_constraint("uq_sends_collection_rkey", ["collection", "rkey"])
        for column in ("decision", "decided_by", "op"):
            batch_op.drop_column(column)
    for index in ("looked_at", "note_due", "like_due"):
        op.drop_index(f"ix_documents_{index}", "documents")
    with op.batch_alter_table("documents", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_documents_held_only_while_built"), type_="check")
        for column in (
            "reply_deleted_at",
            "reply_seen_at",
            "edited_cid",
            "absent_since",
            "looked_at",
            "reply_released_by",
            "reply_held",
            "note_due",
            "like_due",
        ):
            batch_op.drop_column(column)
    op.drop_table("conditions")
    op.drop_table("logins")
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_sessions_lease_whole"), type_="check")
        batch_op.drop_column("lease_until")
        batch_op.drop_column("lease_holder")
