"""By which of its sources a mention was found, and how far a live stream was read."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import Connection, case, delete, func, select, update

from bot.ledger.engine import Database
from bot.ledger.tables import cursors, heard
from guardrails.documents import DocId

KEPT = timedelta(days=7)
# What the comparison looks at: the other source is given time to tell of it as well.
COMPARED = timedelta(hours=24)
GRACE = timedelta(minutes=10)
_BATCH = 1000


class Source(StrEnum):
    """Where mentions are heard of."""

    NOTIFICATIONS = "notifications"
    STREAM = "stream"


BOTH = "both"


@dataclass(frozen=True)
class Position:
    """A place in a stream, by the stream's name and its own count of microseconds."""

    name: str
    at: int


@dataclass(frozen=True)
class Found:
    """By which source mentions were found; `position` is what of a stream is done with them."""

    source: Source
    position: Position | None = None


def microseconds(moment: datetime) -> int:
    """A moment as the streams count."""
    return int(moment.timestamp() * 1_000_000)


class Sources:
    """How far the streams were read, and which source has found what."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def position(self, name: str) -> int | None:
        """How far a stream was read; None when it never was."""
        with self._db.read() as connection:
            query = select(cursors.c.position).where(cursors.c.name == name)
            return connection.execute(query).scalar_one_or_none()

    def move_on(self, position: Position) -> None:
        """Note how far a stream was read; an earlier place changes nothing."""
        with self._db.write() as connection:
            _move_on(self._db, connection, position)

    def compared(self) -> dict[str, int]:
        """How many mentions of the last day each source has found alone, and how many both have.

        The last ten minutes are left out: the other source may be a little behind.
        """
        c = heard.c
        by = case(
            (c.by_stream_at.is_(None), Source.NOTIFICATIONS.value),
            (c.by_notifications_at.is_(None), Source.STREAM.value),
            else_=BOTH,
        )
        within = c.at.between(self._db.now(-COMPARED), self._db.now(-GRACE))
        query = select(by, func.count()).where(within).group_by(by)
        with self._db.read() as connection:
            counted = {str(name): int(n) for name, n in connection.execute(query)}
        return {name: counted.get(name, 0) for name in (*Source, BOTH)}

    def forget_old(self) -> int:
        """Remove what the comparison looks at no more, in short transactions; how much that was."""
        old = select(heard.c.id).where(heard.c.at < self._db.now(-KEPT)).limit(_BATCH)
        gone, last = 0, _BATCH
        while last == _BATCH:
            with self._db.write() as connection:
                last = connection.execute(delete(heard).where(heard.c.id.in_(old))).rowcount
            gone += last
        return gone


def note_found(
    db: Database, connection: Connection, found: Found, new: Collection[DocId], known: Collection[DocId]
) -> None:
    """Note, in the transaction that stores them, by which source these were found, and how far that was read.

    What is known from before the sources were compared is not compared either.
    """
    at = heard.c[f"by_{found.source.value}_at"]
    if new:
        rows = [{"id": each, "at": db.now(), at.name: db.now()} for each in sorted(new)]
        connection.execute(db.insert(heard).values(rows).on_conflict_do_nothing())
    if known:
        again = update(heard).where(heard.c.id.in_(sorted(known)), at.is_(None))
        connection.execute(again.values({at.name: db.now()}))
    if found.position is not None:
        _move_on(db, connection, found.position)


def _move_on(db: Database, connection: Connection, position: Position) -> None:
    statement = db.insert(cursors).values(name=position.name, position=position.at, at=db.now())
    further = {"position": statement.excluded.position, "at": statement.excluded.at}
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["name"], set_=further, where=cursors.c.position < statement.excluded.position
        )
    )
