"""Caps and money as rows: reserved by a guarded UPDATE in the transaction of the move."""

from sqlalchemy import Connection, select, update

from bot.ledger.engine import Database
from bot.ledger.tables import usage


def reserve(db: Database, connection: Connection, scope: str, window: str, cap: int) -> bool:
    """Take one place under a cap, or say that it is full; of two who ask for the last place one gets it."""
    _ensure(db, connection, scope, window)
    taken = connection.execute(
        update(usage).where(usage.c.scope == scope, usage.c.window == window, usage.c.n < cap).values(n=usage.c.n + 1)
    )
    return bool(taken.rowcount)


def add_cost(db: Database, connection: Connection, scope: str, window: str, cost_micros: int) -> None:
    """Add money that was spent, in millionths of a US dollar."""
    _ensure(db, connection, scope, window)
    connection.execute(
        update(usage)
        .where(usage.c.scope == scope, usage.c.window == window)
        .values(cost_micros=usage.c.cost_micros + cost_micros)
    )


def used(connection: Connection, scope: str, window: str) -> int:
    """How many places of a cap are taken."""
    query = select(usage.c.n).where(usage.c.scope == scope, usage.c.window == window)
    return connection.execute(query).scalar_one_or_none() or 0


def today(db: Database, connection: Connection) -> str:
    """The window of a daily cap: the ledger's UTC date."""
    return str(connection.execute(select(db.now())).scalar_one().date())


def _ensure(db: Database, connection: Connection, scope: str, window: str) -> None:
    row = {"scope": scope, "window": window, "n": 0, "cost_micros": 0}
    connection.execute(db.insert(usage).values(row).on_conflict_do_nothing())
