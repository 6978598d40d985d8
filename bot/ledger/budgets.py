"""What is used of what may be used in the present hour and day: write points, and logins."""

from typing import NamedTuple

from sqlalchemy import func, select

from bot.ledger.engine import Database
from bot.ledger.logins import LOGINS_PREFIX
from bot.ledger.policy import Caps
from bot.ledger.tables import usage
from bot.ledger.usage import POINTS, Window, windows


class Used(NamedTuple):
    """So much of a window's cap is used."""

    n: int
    window: Window


def used_points(db: Database, caps: Caps) -> tuple[Used, Used]:
    """The account's write points of this hour and day."""
    return _used(db, POINTS, caps)


def used_logins(db: Database, caps: Caps) -> tuple[Used, Used]:
    """The logins of this hour and day, of whatever account."""
    return _used(db, LOGINS_PREFIX, caps)


def _used(db: Database, prefix: str, caps: Caps) -> tuple[Used, Used]:
    with db.read() as connection:
        hour, day = windows(db, connection, caps)
        counted = (usage.c.window, func.sum(usage.c.n))
        ours = usage.c.scope.startswith(prefix, autoescape=True), usage.c.window.in_([hour.name, day.name])
        found = {window: int(n) for window, n in connection.execute(select(*counted).where(*ours).group_by(counted[0]))}
    return Used(found.get(hour.name, 0), hour), Used(found.get(day.name, 0), day)
