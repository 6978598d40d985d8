"""What is counted in usage, read without the ledger's own code."""

from sqlalchemy import text

from bot.ledger.ledger import Ledger


def counts(ledger: Ledger, scope: str = "") -> dict[tuple[str, str], int]:
    """The places taken by scope and window, those of one scope or of all; rows without any are left out.

    Builds that were begun, or wait for a lane, are left out: `starts` has them alone.
    """
    with ledger.db.read() as connection:
        rows = connection.execute(text('SELECT scope, "window", n FROM usage WHERE n > 0')).all()
    found = {(row.scope, row.window): row.n for row in rows if row.scope.startswith(scope)}
    return found if scope else {name: n for name, n in found.items() if not name[0].startswith("starts:")}


def starts(ledger: Ledger) -> int:
    """How many builds are counted as begun or about to begin, in all days."""
    return sum(counts(ledger, "starts:").values())


def asks(ledger: Ledger) -> int:
    """How many asks are counted in all, in all days."""
    return sum(counts(ledger, "asks").values())


def spent(ledger: Ledger, scope: str) -> int:
    """What was spent in all days, in millionths of a US dollar."""
    with ledger.db.read() as connection:
        costs = connection.execute(text("SELECT cost_micros FROM usage WHERE scope = :scope"), {"scope": scope})
        return sum(costs.scalars())
