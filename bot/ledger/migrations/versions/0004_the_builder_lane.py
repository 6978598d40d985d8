"""Where an app lives elsewhere; lanes: longer leases, invitations, tokens for one run, dispatches, repairs."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_LEASE = "longest_lease_seconds IS NULL OR longest_lease_seconds BETWEEN 10 AND 86400"


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("apps", sa.Column("address", sa.String(), nullable=True))
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.add_column(sa.Column("lease_seconds", sa.Float(), nullable=True))
        batch_op.add_column(sa.Column("repairs", sa.Integer(), nullable=False, server_default="0"))
        batch_op.create_check_constraint(op.f("ck_attempts_lease"), "lease_seconds IS NULL OR lease_seconds > 0")
        batch_op.create_check_constraint(op.f("ck_attempts_repairs"), "repairs >= 0")
    _add_to_devices()
    op.create_table(
        "invites",
        sa.Column("code_sha256", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("allowed_prefix", sa.String(), nullable=False),
        sa.Column("longest_lease_seconds", sa.Integer(), nullable=True),
        sa.Column("invited_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(_LEASE, name=op.f("ck_invites_lease")),
        sa.CheckConstraint("expires_at > created_at", name=op.f("ck_invites_expires")),
        sa.PrimaryKeyConstraint("code_sha256", name=op.f("pk_invites")),
    )
    op.create_table(
        "run_logins",
        sa.Column("jti_sha256", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("expires_at > at", name=op.f("ck_run_logins_expires")),
        sa.ForeignKeyConstraint(["device"], ["devices.id"], name=op.f("fk_run_logins_device")),
        sa.PrimaryKeyConstraint("jti_sha256", name=op.f("pk_run_logins")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_run_logins_token_sha256")),
    )
    op.create_table(
        "dispatches",
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.CheckConstraint("failures >= 0 AND failures <= tries AND tries >= 1", name=op.f("ck_dispatches_counts")),
        sa.PrimaryKeyConstraint("target", name=op.f("pk_dispatches")),
    )


def downgrade() -> None:
    """Bring the schema back; devices that end by themselves go with it, or their tokens would be good for ever."""
    op.drop_table("dispatches")
    op.drop_table("run_logins")
    op.drop_table("invites")
    op.execute("DELETE FROM devices WHERE expires_at IS NOT NULL")
    with op.batch_alter_table("devices", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_devices_token"), type_="check")
        batch_op.drop_constraint(op.f("ck_devices_lease"), type_="check")
        batch_op.alter_column("token_sha256", existing_type=sa.String(), nullable=False)
        for column in ("generator", "asked_at", "expires_at", "longest_lease_seconds"):
            batch_op.drop_column(column)
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_attempts_repairs"), type_="check")
        batch_op.drop_constraint(op.f("ck_attempts_lease"), type_="check")
        batch_op.drop_column("repairs")
        batch_op.drop_column("lease_seconds")
    op.drop_column("apps", "address")


def _add_to_devices() -> None:
    with op.batch_alter_table("devices", schema=None) as batch_op:
        batch_op.add_column(sa.Column("longest_lease_seconds", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True))
        batch_op.add_column(sa.Column("generator", sa.Text(), nullable=True))
        batch_op.alter_column("token_sha256", existing_type=sa.String(), nullable=True)
        batch_op.create_check_constraint(op.f("ck_devices_lease"), _LEASE)
        batch_op.create_check_constraint(
            op.f("ck_devices_token"), "token_sha256 IS NOT NULL OR (role = 'lane' AND expires_at IS NOT NULL)"
        )
