"""The public's side: each ask has a page whose name nobody can guess."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# As `Database.unguessable` names what comes from now on.
_NAMED = {
    "sqlite": "UPDATE documents SET page = lower(hex(randomblob(16)))",
    "postgresql": "UPDATE documents SET page = replace(gen_random_uuid()::text, '-', '')",
}


def upgrade() -> None:
    """Bring the schema forward."""
    op.add_column("documents", sa.Column("page", sa.String(), nullable=True))
    op.execute(_NAMED[op.get_bind().dialect.name])
    op.create_index("uq_documents_page", "documents", ["page"], unique=True)


def downgrade() -> None:
    """Bring the schema back."""
    op.drop_index("uq_documents_page", table_name="documents")
    op.drop_column("documents", "page")
