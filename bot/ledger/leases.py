"""Leases by name: of several bots on one ledger one does something, and how long, the database's clock decides."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, or_, select, update

from bot.ledger.engine import Database
from bot.ledger.tables import leases

ROUNDS = "rounds"
"""The lease of the bot that does the rounds."""


@dataclass(frozen=True)
class Lease:
    """Who has it, since when without a break, and until when unless it is renewed."""

    holder: str
    since: datetime
    until: datetime


class Leases:
    """Takes, renews and gives up leases, each in one statement; nothing that is written depends on one."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def take(self, name: str, holder: str, lasts: timedelta) -> bool:
        """Take a lease that is free, or over; of several that try one has it. Asked again by its holder: yes."""
        row = {"holder": holder, "taken_at": self._db.now(), "until": self._db.now(lasts)}
        free = or_(leases.c.until <= self._db.now(), leases.c.holder == holder)
        taking = self._db.insert(leases).values(name=name, **row)
        taking = taking.on_conflict_do_update(index_elements=["name"], set_=row, where=free)
        with self._db.write() as connection:
            return connection.execute(taking.returning(leases.c.name)).first() is not None

    def renew(self, name: str, holder: str, lasts: timedelta) -> bool:
        """Have it longer, also where it was over and nobody came; False once somebody else had it."""
        with self._db.write() as connection:
            renewing = update(leases).where(leases.c.name == name, leases.c.holder == holder)
            return connection.execute(renewing.values(until=self._db.now(lasts))).rowcount == 1

    def give_up(self, name: str, holder: str) -> bool:
        """Let the next one take it at once; False where it is somebody else's by now."""
        with self._db.write() as connection:
            ours = (leases.c.name == name) & (leases.c.holder == holder)
            return connection.execute(delete(leases).where(ours)).rowcount == 1

    def standing(self, name: str) -> Lease | None:
        """Whose it is now; None when nobody has it."""
        query = select(leases).where(leases.c.name == name, leases.c.until > self._db.now())
        with self._db.read() as connection:
            row = connection.execute(query).one_or_none()
        return Lease(row.holder, row.taken_at, row.until) if row is not None else None
