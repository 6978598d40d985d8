"""What operators are told of: each thing once until it clears, and then that it has; by one bot of several."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, update

from bot.ledger.engine import Database
from bot.ledger.marks import advance, mark
from bot.ledger.tables import alerts
from bot.ledger.tally import present

STANDS = timedelta(minutes=1)
"""What has not been seen for so long is not told: it may be over in a moment."""

CALM = timedelta(minutes=5)
"""What has not been seen for so long is over."""

TAKEN = "alerts_taken"
"""The watermark of when the channel has last taken a message."""


class Telling(StrEnum):
    """The two messages of an alert."""

    RAISED = "raised"
    CLEARED = "cleared"


@dataclass(frozen=True)
class Wrong:
    """Something that is wrong now, under its stable name; the detail holds no word that others wrote."""

    name: str
    detail: str


@dataclass(frozen=True)
class Alert:
    """Something that is, or was, wrong; what was told of it last, and how often the next message did not arrive.

    `problem` is why it did not, `next_try_at` when it is tried again.
    """

    name: str
    detail: str
    since: datetime
    seen_at: datetime
    cleared_at: datetime | None
    told: Telling | None
    failures: int
    next_try_at: datetime | None
    problem: str | None


@dataclass(frozen=True)
class Message:
    """A message that its holder, and nobody else, is to send now."""

    telling: Telling
    alert: Alert


class Alerts:
    """One row for each thing that is wrong, or whose end is still to be told."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def note(self, wrongs: Iterable[Wrong]) -> None:
        """Note what is wrong now. What no bot has found so for a while is over; never told, it goes at once.

        Of a message that was tried nobody knows whether it arrived: its end is told too.
        """
        found = sorted(wrongs, key=lambda wrong: wrong.name)
        if not found and not self.standing():
            return
        with self._db.write() as connection:
            # One moment: PostgreSQL's clock goes on between two columns, and what was seen once would count as twice.
            now = present(self._db, connection)
            # In one order, so that no two bots wait for each other.
            for wrong in found:
                row = {"name": wrong.name, "detail": wrong.detail, "since": now, "seen_at": now, "failures": 0}
                again = {"detail": wrong.detail, "seen_at": now, "cleared_at": None}
                noting = self._db.insert(alerts).values(row)
                connection.execute(noting.on_conflict_do_update(index_elements=["name"], set_=again))
            is_over = and_(alerts.c.seen_at < now - CALM, alerts.c.cleared_at.is_(None))
            untold = and_(alerts.c.told.is_(None), alerts.c.next_try_at.is_(None))
            connection.execute(delete(alerts).where(is_over, untold))
            connection.execute(update(alerts).where(is_over).values(cleared_at=now))

    def standing(self) -> list[Alert]:
        """All that is wrong, or whose end is still to be told, the oldest first."""
        with self._db.read() as connection:
            rows = connection.execute(select(alerts).order_by(alerts.c.since, alerts.c.name)).all()
        return [_alert(row._mapping) for row in rows]

    def take(self, lease: timedelta) -> Message | None:
        """The next message that is due, for this bot alone until the lease is over; None while there is none.

        After one that did not arrive all others wait as well: they go the same way.
        """
        rests = select(func.count()).where(alerts.c.failures > 0, alerts.c.next_try_at > self._db.now())
        query = select(alerts).where(self._is_due()).order_by(alerts.c.since, alerts.c.name).limit(1)
        with self._db.write() as connection:
            if connection.execute(rests).scalar_one():
                return None
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            alert = _alert(row._mapping)
            taking = update(alerts).where(alerts.c.name == alert.name, self._is_due())
            if not connection.execute(taking.values(next_try_at=self._db.now(lease))).rowcount:
                return None
        return Message(Telling.CLEARED if alert.cleared_at is not None else Telling.RAISED, alert)

    def sent(self, message: Message) -> None:
        """Note that a message has arrived. What has changed meanwhile is told next."""
        name, now = message.alert.name, self._db.now()
        fresh = {"told": message.telling.value, "failures": 0, "next_try_at": None, "problem": None}
        with self._db.write() as connection:
            advance(self._db, connection, TAKEN, present(self._db, connection))
            if message.telling is Telling.RAISED:
                # Another bot may have told its end while this message was on its way: then it is told again.
                gone = {"detail": message.alert.detail, "since": message.alert.since, "seen_at": now, "cleared_at": now}
                noting = self._db.insert(alerts).values(name=name, **gone, **fresh)
                connection.execute(noting.on_conflict_do_update(index_elements=["name"], set_=fresh))
                return
            over = and_(alerts.c.name == name, alerts.c.cleared_at.is_not(None))
            if not connection.execute(delete(alerts).where(over)).rowcount:
                anew = {**fresh, "told": None, "since": now}
                connection.execute(update(alerts).where(alerts.c.name == name).values(anew))

    def tried(self) -> None:
        """Note that the channel has taken a message that tells of nothing."""
        with self._db.write() as connection:
            advance(self._db, connection, TAKEN, present(self._db, connection))

    def taken_at(self) -> datetime | None:
        """When the channel has last taken a message; None when it never has."""
        with self._db.read() as connection:
            return mark(connection, TAKEN)

    def failed(self, message: Message, problem: str, wait: timedelta) -> None:
        """Note that a message did not arrive, and when it is tried again."""
        values = {"failures": alerts.c.failures + 1, "next_try_at": self._db.now(wait), "problem": problem}
        with self._db.write() as connection:
            connection.execute(update(alerts).where(alerts.c.name == message.alert.name).values(values))

    def _is_due(self) -> ColumnElement[bool]:
        a, now = alerts.c, self._db.now()
        stands = and_(a.told.is_(None), a.cleared_at.is_(None), a.since <= self._db.now(-STANDS), a.seen_at > a.since)
        return and_(or_(stands, a.cleared_at.is_not(None)), or_(a.next_try_at.is_(None), a.next_try_at <= now))


def _alert(row: object) -> Alert:
    values = dict(row)  # type: ignore[call-overload]
    return Alert(**values | {"told": Telling(values["told"]) if values["told"] else None})
