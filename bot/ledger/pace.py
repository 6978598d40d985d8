"""How much is said: the account's write points, and the new replies of an hour."""

from datetime import datetime

from bot.ledger.engine import Database
from bot.ledger.policy import Caps
from bot.ledger.usage import POINTS, Priority, give_back, reserve_both, reserve_points


class Pace:
    """Points and places are taken before a try, and given back where none was begun."""

    def __init__(self, db: Database, write_points: Caps) -> None:
        self._db = db
        self._write_points = write_points

    def spend(self, points: int, priority: Priority) -> datetime | None:
        """Take write points for a try; None when they were there, else when there will be some again."""
        with self._db.write() as connection:
            return reserve_points(self._db, connection, points, self._write_points, priority)

    def spend_with_place(self, per_hour: int, points: int) -> datetime | None:
        """Take a place of this hour's new replies and its write points, or neither; when to ask again if not."""
        pace = Caps(per_hour, per_hour * 24)
        with self._db.write() as connection:
            full = reserve_both(self._db, connection, "replies", 1, pace)
            if full is not None:
                return full
            spent = reserve_points(self._db, connection, points, self._write_points, Priority.REPLY)
            if spent is not None:
                give_back(self._db, connection, "replies", 1, pace)
            return spent

    def unspend_with_place(self, per_hour: int, points: int) -> None:
        """Undo `spend_with_place`: nothing was claimed."""
        with self._db.write() as connection:
            give_back(self._db, connection, "replies", 1, Caps(per_hour, per_hour * 24))
            give_back(self._db, connection, POINTS, points, self._write_points)

    def unspend(self, points: int) -> None:
        """Undo `spend`: no try was begun."""
        with self._db.write() as connection:
            give_back(self._db, connection, POINTS, points, self._write_points)
