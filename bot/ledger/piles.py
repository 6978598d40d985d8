"""Work that wants a person, worked out of what the ledger holds and stored nowhere."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, not_, or_, select, text

from bot.ledger.engine import Database
from bot.ledger.lanes import Waiting
from bot.ledger.pages import COUNTED_TO
from bot.ledger.pausing import paused
from bot.ledger.tables import FAILED, HELD, UNSETTLED, devices, documents, parked, sends
from bot.ledger.tally import present
from guardrails.access import Role
from guardrails.transitions import Reason, Status

UNKNOWN_SENDS = "unknown_sends"
"""Sends of which nobody knows whether they are out."""

CONFLICTS = "conflicts"
"""Sends in whose place stands something else."""

HELD_ASKS = "held_asks"
"""Asks that wait for a person's word."""

HELD_REPLIES = "held_replies"
"""Finished apps whose reply waits for a person's word."""

STUCK_BUILDS = "stuck_builds"
"""Builds whose lane has not been heard of for longer than its lease, or which should have ended by now."""

ERRORS = "errors"
"""What failed within the last week in a way that a person may mend: build again, or send again."""

NO_LANE = "no_lane"
"""Work that has waited for too long, while no lane asked for any."""

PARKED = "parked"
"""What came in and could not be read."""

NAMES = (UNKNOWN_SENDS, CONFLICTS, HELD_ASKS, HELD_REPLIES, STUCK_BUILDS, ERRORS, NO_LANE, PARKED)

MENDABLE = frozenset({Reason.OUT_OF_TRIES, Reason.LANE_LOST, Reason.SEND_REFUSED, Reason.APPROVAL_EXPIRED})
"""The reasons of failures that are nobody's answer: neither a lane's "this cannot be built" nor a person's decision."""

ERRORS_OF = timedelta(days=7)


@dataclass(frozen=True)
class Heap:
    """How much of one kind of such work there is, and since when the oldest waits; it is counted up to `COUNTED_TO`.

    `more`: there is more of it than that.
    """

    name: str
    n: int
    oldest: datetime | None
    more: bool = False


class Piles:
    """Reads; nothing here writes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def all(self, waiting: Waiting | None, longest: timedelta) -> list[Heap]:
        """Every pile by the order of `NAMES`, the empty ones included.

        `waiting` is what a lane could take now, and `longest` how long that may wait while no lane asks.
        """
        with self._db.read() as connection:
            now = present(self._db, connection)
            heaps = {name: _heap(connection, name, query) for name, query in _queries(now).items()}
            heaps[NO_LANE] = _no_lane(connection, waiting, now - longest)
        return [heaps[name] for name in NAMES]


def _queries(now: datetime) -> dict[str, Select[Any]]:
    """What lies on each pile: since when, the oldest first. Of each an index holds no more than that."""
    c, s = documents.c, sends.c
    unsettled = select(func.coalesce(s.unknown_since, s.claimed_at)).where(text(UNSETTLED)).order_by(s.id)
    # A try that is under way is unknown only to whoever would come after a crash.
    tried = or_(s.problem.is_not(None), s.next_try_at <= now)
    too_late = and_(c.build_by <= now, not_(paused()))
    building = and_(c.status == Status.BUILDING.value, or_(c.lease_until <= now, too_late))
    return {
        UNKNOWN_SENDS: unsettled.where(s.conflict.is_(None), tried),
        CONFLICTS: unsettled.where(s.conflict.is_not(None)),
        HELD_ASKS: _since(c.created_at, c.status == Status.AWAITING_APPROVAL.value),
        HELD_REPLIES: _since(c.created_at, text(HELD)),
        STUCK_BUILDS: _since(func.coalesce(c.lease_until, c.build_by), building),
        ERRORS: _since(c.updated_at, text(FAILED), c.updated_at >= now - ERRORS_OF, _may_be_mended()),
        PARKED: _since(parked.c.at),
    }


def _since(at: ColumnElement[datetime], *conditions: Any) -> Select[Any]:
    return select(at).where(*conditions).order_by(at)


def _may_be_mended() -> ColumnElement[bool]:
    c = documents.c
    # As an expression, so that no index is searched for it instead of the one of what failed lately.
    mendable = c.reason.concat("").in_([reason.value for reason in sorted(MENDABLE)])
    return and_(mendable, c.withdrawn_at.is_(None), c.taken_down_at.is_(None))


def _heap(connection: Connection, name: str, query: Select[Any]) -> Heap:
    moments = query.limit(COUNTED_TO + 1).subquery()
    n, oldest = connection.execute(select(func.count(), func.min(moments.c[0])).select_from(moments)).one()
    return Heap(name, min(n, COUNTED_TO), oldest, more=n > COUNTED_TO)


def _no_lane(connection: Connection, waiting: Waiting | None, start: datetime) -> Heap:
    asked = select(func.max(devices.c.asked_at)).where(devices.c.role == Role.LANE.value)
    asked_at = connection.execute(asked).scalar_one_or_none()
    if waiting is None or waiting.since >= start or (asked_at is not None and asked_at >= start):
        return Heap(NO_LANE, 0, None)
    return Heap(NO_LANE, waiting.documents, waiting.since)
