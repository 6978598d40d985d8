"""What is wrong now and stays so for a while: operators are told, and jobs hold back, until it is mended."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select

from bot.ledger.engine import Database
from bot.ledger.tables import conditions
from guardrails.slugs import burnt

ACCOUNT = "account"
"""The bot's account is taken down, deactivated or labelled: nothing is said in public."""

PURSE = "purse"
"""What builds may cost in a day is spent: nothing is claimed."""

LANE_COST = "lane_cost"
"""A lane has spent more on one build than it may."""

NO_LANE = "no_lane"
"""Work has waited for long, and no lane has come for it."""

DISPATCH = "dispatch"
"""The workflow that is to be called when work waits cannot be called."""

ALERTS = "alerts"
"""The channel by which operators are to be told of what is wrong takes no message."""

LOOP = "loop"
"""A conversation, or everything, goes round in circles."""

STREAM = "stream"
"""The live stream of posts brings nothing: mentions are read from the notifications alone."""

STREAM_GAP = "stream_gap"
"""The live stream has not kept what was said while nobody listened: the notifications are swept for it."""

DISK = "disk"
"""The disk that the ledger is on is nearly full."""

CLOCK = "clock"
"""This machine's clock is far from the network's."""

BACKUP = "backup"
"""There was no good backup of the ledger for days."""

ELSEWHERE = "elsewhere"
"""An app of somebody who is forgotten stands where a lane has published it, out of the bot's reach."""


@dataclass(frozen=True)
class Condition:
    """One thing that is wrong, since when, and when it was last looked at."""

    name: str
    detail: str
    since: datetime
    checked_at: datetime

    @property
    def kind(self) -> str:
        """The name without what it is about: one lane of several, say."""
        return kind_of(self.name)


def lane_cost_of(device: str) -> str:
    """The name under which it stands that this lane has spent too much."""
    return f"{LANE_COST}:{device}"


def elsewhere_of(slug: str) -> str:
    """The name under which it stands that this app is still public elsewhere; no word of the slug is in it."""
    return f"{ELSEWHERE}:{burnt(slug)}"


def kind_of(name: str) -> str:
    """The kind of what is wrong, by its name: `lane_cost` of `lane_cost:DEVICE`."""
    return name.partition(":")[0]


_NAMED = select(conditions.c.name).where(conditions.c.name == bindparam("the_name"))


class Conditions:
    """One row for each thing that is wrong now."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def set(self, name: str, detail: str) -> bool:
        """Note that something is wrong; True when it was not, or when it was wrong in another way."""
        with self._db.write() as connection:
            return set_condition(self._db, connection, name, detail)

    def clear(self, name: str) -> bool:
        """Note that it is mended; True when it was wrong before."""
        with self._db.write() as connection:
            return clear_condition(connection, name)

    def stands(self, name: str) -> bool:
        """Whether it is wrong now."""
        with self._db.read() as connection:
            return connection.execute(_NAMED, {"the_name": name}).first() is not None

    def standing(self) -> list[Condition]:
        """Everything that is wrong now, the oldest first."""
        with self._db.read() as connection:
            rows = connection.execute(select(conditions).order_by(conditions.c.since, conditions.c.name)).all()
        return [Condition(row.name, row.detail, row.since, row.checked_at) for row in rows]


def set_condition(db: Database, connection: Connection, name: str, detail: str) -> bool:
    """Note that something is wrong in the transaction that made it so; True when that is news."""
    now = db.now()
    row = {"name": name, "detail": detail, "since": now, "checked_at": now}
    query = select(conditions.c.detail).where(conditions.c.name == name)
    before = connection.execute(query).scalar_one_or_none()
    noting = db.insert(conditions).values(row)
    seen_again = {"detail": detail, "checked_at": now}
    connection.execute(noting.on_conflict_do_update(index_elements=["name"], set_=seen_again))
    return before != detail


def clear_condition(connection: Connection, name: str) -> bool:
    """Note that it is mended, in the transaction of what mends it; True when it was wrong before."""
    return bool(connection.execute(delete(conditions).where(conditions.c.name == name)).rowcount)
