"""Which sends somebody has to do something about now: try them, look for them, look whether they stay deleted."""

from datetime import timedelta

from sqlalchemy import and_, or_, select, text, update

from bot.ledger.engine import Database
from bot.ledger.send_rows import ANSWERED, CLAIMED, DELETE, PUT, REFUSED, send_of
from bot.ledger.tables import UNDER_WAY, sends
from bot.ledger.views import Send


class Outbox:
    """What is due, and when it is looked at again."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def due(self, limit: int, prefix: str, op: str = PUT) -> list[Send]:
        """Claimed sends of a kind whose time to be tried or looked at has come, oldest first; conflicts are a person's.

        `prefix` is how their keys begin.
        """
        query = (
            select(sends)
            .where(
                text(UNDER_WAY),
                sends.c.state == CLAIMED,
                sends.c.op == op,
                sends.c.key.startswith(prefix, autoescape=True),
                sends.c.conflict.is_(None),
                or_(sends.c.next_try_at.is_(None), sends.c.next_try_at <= self._db.now()),
            )
            .order_by(sends.c.id)
            .limit(limit)
        )
        with self._db.read() as connection:
            return [send_of(row) for row in connection.execute(query)]

    def to_look_for(self, limit: int, prefix: str) -> list[Send]:
        """Refused sends of which an earlier try may have landed since, and whose time to be looked for has come."""
        query = select(sends).where(
            text(UNDER_WAY),
            sends.c.state == REFUSED,
            sends.c.key.startswith(prefix, autoescape=True),
            sends.c.next_try_at <= self._db.now(),
        )
        with self._db.read() as connection:
            return [send_of(row) for row in connection.execute(query.order_by(sends.c.id).limit(limit))]

    def look_later(self, send: Send, wait: timedelta | None) -> None:
        """When a refused send is looked for again; None when there is no need any more."""
        when = self._db.now(wait) if wait is not None else None
        still = (sends.c.id == send.id) & (sends.c.state == REFUSED)
        with self._db.write() as connection:
            connection.execute(update(sends).where(still).values(next_try_at=when))

    def something_else_there(self, send: Send, conflict: str) -> None:
        """Where a refused record may have landed stands another: kept for a person, looked for no more."""
        still = (sends.c.id == send.id) & (sends.c.state == REFUSED)
        with self._db.write() as connection:
            connection.execute(update(sends).where(still).values(conflict=conflict, next_try_at=None))

    def deleted_lately(self, limit: int) -> list[Send]:
        """Deletions that are done, and whose time has come to look whether a late put has undone them."""
        again = and_(text(UNDER_WAY), sends.c.next_try_at <= self._db.now())
        done = and_(again, sends.c.state == ANSWERED, sends.c.op == DELETE)
        with self._db.read() as connection:
            query = select(sends).where(done).order_by(sends.c.next_try_at, sends.c.id).limit(limit)
            return [send_of(row) for row in connection.execute(query)]

    def look_whether_deleted(self, send: Send, wait: timedelta | None) -> None:
        """When a deletion that is done is looked at again; None when nothing can undo it any more."""
        when = self._db.now(wait) if wait is not None else None
        done = (sends.c.id == send.id) & (sends.c.state == ANSWERED)
        with self._db.write() as connection:
            connection.execute(update(sends).where(done).values(next_try_at=when))
