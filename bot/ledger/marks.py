"""Moments by name: positions that never move back, and when something was done last."""

from datetime import datetime

from sqlalchemy import Connection, select

from bot.ledger.engine import Database
from bot.ledger.tables import watermarks

FIRST_START = "first_start"
"""When the ledger was first run."""

BACKED_UP = "backed_up"
"""The moment of the ledger that its last good backup holds."""


def mark(connection: Connection, name: str) -> datetime | None:
    """How far something has come; None when it has not begun."""
    return connection.execute(select(watermarks.c.at).where(watermarks.c.name == name)).scalar_one_or_none()


def advance(db: Database, connection: Connection, name: str, at: datetime) -> None:
    """Move a position forward; an older moment changes nothing."""
    statement = db.insert(watermarks).values(name=name, at=at)
    newer = statement.on_conflict_do_update(
        index_elements=["name"], set_={"at": at}, where=watermarks.c.at < statement.excluded.at
    )
    connection.execute(newer)


def put(db: Database, connection: Connection, name: str, at: datetime) -> None:
    """Note when something was done last, whatever was noted before: a clock may have been ahead."""
    statement = db.insert(watermarks).values(name=name, at=at)
    connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_={"at": at}))
