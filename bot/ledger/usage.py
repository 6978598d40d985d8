"""Caps and money as rows: reserved by a guarded UPDATE in the transaction of the move."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from bot.ledger.engine import Database
from bot.ledger.policy import Caps
from bot.ledger.tables import usage

POINTS = "points"


class Priority(StrEnum):
    """What a write is for: near the budget, what people asked for goes before what is only kind."""

    REPLY = "reply"
    EXTRA = "extra"


# An EXTRA leaves the rest to replies.
EXTRA_PERCENT = 80


class Window(NamedTuple):
    """A stretch of time in which a cap counts, and when the next one begins."""

    name: str
    cap: int
    resets_at: datetime


def reserve_points(
    db: Database, connection: Connection, points: int, caps: Caps, priority: Priority
) -> datetime | None:
    """Take so many of the account's write points from the hour and from the day, or from neither.

    None when they were taken, else when the window that is full begins anew.
    """
    share = EXTRA_PERCENT if priority is Priority.EXTRA else 100
    allowed = Caps(caps.per_hour * share // 100, caps.per_day * share // 100)
    return reserve_both(db, connection, POINTS, points, allowed)


def reserve_both(db: Database, connection: Connection, scope: str, n: int, caps: Caps) -> datetime | None:
    """Take n places from the hour and from the day, or from neither; when the full one begins anew, None if taken."""
    taken: list[Window] = []
    for window in windows(db, connection, caps):
        if not _take(db, connection, scope, window.name, window.cap, n):
            _give_back(connection, scope, taken, n)
            return window.resets_at
        taken.append(window)
    return None


def give_back(db: Database, connection: Connection, scope: str, n: int, caps: Caps) -> None:
    """Undo a reservation of the present hour and day; what was reserved in an earlier one is over anyway."""
    _give_back(connection, scope, windows(db, connection, caps), n)


def windows(db: Database, connection: Connection, caps: Caps) -> tuple[Window, Window]:
    """The present hour and the present day; always in this order, so that no two reservations wait for each other."""
    now = connection.execute(select(db.now())).scalar_one()
    hour = now.replace(minute=0, second=0, microsecond=0)
    day = hour.replace(hour=0)
    return (
        Window(f"{hour:%Y-%m-%dT%H}", caps.per_hour, hour + timedelta(hours=1)),
        Window(str(day.date()), caps.per_day, day + timedelta(days=1)),
    )


def used(connection: Connection, scope: str, window: str) -> int:
    """How many places of a cap are taken."""
    query = select(usage.c.n).where(usage.c.scope == scope, usage.c.window == window)
    return connection.execute(query).scalar_one_or_none() or 0


def _take(db: Database, connection: Connection, scope: str, window: str, cap: int, n: int) -> bool:
    _ensure(db, connection, scope, window)
    there_is_room = (usage.c.scope == scope) & (usage.c.window == window) & (usage.c.n <= cap - n)
    return bool(connection.execute(update(usage).where(there_is_room).values(n=usage.c.n + n)).rowcount)


def _give_back(connection: Connection, scope: str, taken: Sequence[Window], n: int) -> None:
    for window in taken:
        reserved = (usage.c.scope == scope) & (usage.c.window == window.name) & (usage.c.n >= n)
        connection.execute(update(usage).where(reserved).values(n=usage.c.n - n))


def _ensure(db: Database, connection: Connection, scope: str, window: str) -> None:
    row = {"scope": scope, "window": window, "n": 0, "cost_micros": 0}
    connection.execute(db.insert(usage).values(row).on_conflict_do_nothing())
