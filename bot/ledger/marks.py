"""Moving positions by name, which never move back."""

from datetime import datetime

from sqlalchemy import Connection, select

from bot.ledger.engine import Database
from bot.ledger.tables import watermarks


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
