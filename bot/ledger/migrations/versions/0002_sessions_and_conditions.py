"""One renewal of the session at a time, logins that are paused or refused, and what operators should know of."""

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


def downgrade() -> None:
    """Bring the schema back."""
    op.drop_table("conditions")
    op.drop_table("logins")
    with op.batch_alter_table("sessions", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_sessions_lease_whole"), type_="check")
        batch_op.drop_column("lease_until")
        batch_op.drop_column("lease_holder")
