"""What a test that has borrowed a database leaves behind does not reach the next."""

import psycopg
import pytest

from tests.postgres_copies import DatabaseCopies

pytestmark = pytest.mark.postgres


def test_a_copy_of_which_statistics_were_taken_is_lent_to_nobody(postgresql_copies: DatabaseCopies) -> None:
    """By them a statement has another plan than in a ledger that begins."""
    with postgresql_copies.lent() as first, psycopg.connect(first.replace("+psycopg", "")) as connection:
        connection.execute("ANALYZE alembic_version")
    with postgresql_copies.lent() as second:
        assert first != second
