"""Raw SQL against the rules that the database repeats."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from bot.ledger.ledger import Ledger


def run(ledger: Ledger, *statements: str) -> None:
    with ledger.db.write() as connection:
        for statement in statements:
            connection.execute(text(statement))


def broken_by(ledger: Ledger, name: str, *statements: str) -> None:
    """The last statement is refused by the constraint of that name, or by the columns that SQLite names instead."""
    *before, last = statements
    run(ledger, *before)
    with pytest.raises(IntegrityError) as refused:
        run(ledger, last)
    message = str(refused.value.orig).replace(": ", " ").replace(", ", " ")
    assert any(part in message for part in name.split("|")), message
