"""People, the facts of a judgement, places under caps, money of attempts, and asks that join an earlier one."""

import json
import re

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# As guardrails/documents.py reads an at-uri, at the time of this migration.
_AT_URI = re.compile(r"at://did:[a-z]+:[A-Za-z0-9._:%-]{1,2000}/[A-Za-z0-9.-]{1,317}/[A-Za-z0-9_~.:-]{1,512}")
_LONGEST_URI = 1000
_KEPT = [
    "seq",
    "document_id",
    "kind",
    "name",
    "from_status",
    "to_status",
    "version",
    "actor",
    "device",
    "reason",
    "claim_id",
    "at",
]
_NEW, _OLD = (", ".join(f"{row}.{column}" for column in _KEPT) for row in ("NEW", "OLD"))
_SAID = "the history is append-only"
# A detail may hold words of somebody who wants to be forgotten; what happened, and why, never changes.
_BUT_FOR_DETAILS = {
    "sqlite": [
        "DROP TRIGGER moves_append_only",
        f"CREATE TRIGGER moves_append_only BEFORE UPDATE ON moves WHEN NEW.detail <> '' OR ({_NEW}) IS NOT ({_OLD}) "
        f"BEGIN SELECT RAISE(ABORT, '{_SAID}'); END",
    ],
    "postgresql": [
        "CREATE OR REPLACE FUNCTION moves_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF NEW.detail <> '' OR ROW({_NEW}) IS DISTINCT FROM ROW({_OLD}) THEN RAISE EXCEPTION '{_SAID}'; END IF; "
        "RETURN NEW; END $$"
    ],
}
# As revision 0001 has it.
_APPEND_ONLY = {
    "sqlite": [
        "DROP TRIGGER moves_append_only",
        f"CREATE TRIGGER moves_append_only BEFORE UPDATE ON moves BEGIN SELECT RAISE(ABORT, '{_SAID}'); END",
    ],
    "postgresql": [
        "CREATE OR REPLACE FUNCTION moves_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_SAID}'; END $$"
    ],
}


def upgrade() -> None:
    """Bring the schema forward."""
    op.create_table(
        "people",
        sa.Column("did", sa.String(), nullable=False),
        sa.Column("standing", sa.String(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("standing IN ('denied', 'allowed', 'forgotten')", name=op.f("ck_people_standing")),
        sa.CheckConstraint("standing <> 'forgotten' OR until IS NULL", name=op.f("ck_people_forgotten_for_good")),
        sa.PrimaryKeyConstraint("did", "standing", name=op.f("pk_people")),
    )
    op.add_column("documents", sa.Column("thread", sa.String(), nullable=False, server_default=""))
    op.add_column("documents", sa.Column("joined_to", sa.String(), nullable=True))
    op.add_column("documents", sa.Column("facts", sa.Text(), nullable=True))
    op.add_column("documents", sa.Column("places", sa.Text(), nullable=True))
    _name_threads(op.get_bind())
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("estimate_micros", sa.BigInteger(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("paid_in", sa.String(), nullable=True))
        batch_op.create_check_constraint(op.f("ck_attempts_estimate"), "estimate_micros >= 0")
    op.create_index("ix_documents_thread", "documents", ["thread", "created_at"])
    op.create_index("ix_sends_uri", "sends", ["uri"])
    op.create_index("ix_known_ids_reply_uri", "known_ids", ["reply_uri"])
    _partial_index("ix_documents_joined_to", "documents", "joined_to", "joined_to IS NOT NULL")
    _partial_index("ix_moves_accepted", "moves", "at", "name = 'accept'")
    _execute(_BUT_FOR_DETAILS)


def downgrade() -> None:
    """Bring the schema back."""
    _execute(_APPEND_ONLY)
    op.drop_index("ix_moves_accepted", "moves")
    op.drop_index("ix_documents_joined_to", "documents")
    op.drop_index("ix_known_ids_reply_uri", "known_ids")
    op.drop_index("ix_sends_uri", "sends")
    op.drop_index("ix_documents_thread", "documents")
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_attempts_estimate"), type_="check")
        batch_op.drop_column("paid_in")
        batch_op.drop_column("estimate_micros")
    for column in ("places", "facts", "joined_to", "thread"):
        op.drop_column("documents", column)
    op.drop_table("people")


def _execute(statements: dict[str, list[str]]) -> None:
    for statement in statements[op.get_bind().dialect.name]:
        op.execute(statement)


def _partial_index(name: str, table: str, column: str, where: str) -> None:
    op.create_index(name, table, [column], sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def _name_threads(connection: sa.Connection) -> None:
    """Fill in the thread of the documents that are there: the root that the post names, or the post itself."""
    documents = sa.table("documents", *(sa.column(name) for name in ("id", "source_uri", "body", "thread")))
    for document_id in connection.execute(sa.select(documents.c.id)).scalars().all():
        this_one = documents.c.id == document_id
        row = connection.execute(sa.select(documents.c.source_uri, documents.c.body).where(this_one)).one()
        root = str(json.loads(row.body)["root"]["uri"])
        named = len(root) <= _LONGEST_URI and _AT_URI.fullmatch(root) is not None
        thread = root if named else row.source_uri
        connection.execute(sa.update(documents).where(this_one).values(thread=thread))
