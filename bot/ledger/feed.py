"""The tail: the history by sequence, which a follower resumes where it left off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, text, true

from bot.ledger.columns import UtcDateTime
from bot.ledger.engine import Database
from bot.ledger.tables import documents, moves
from bot.ledger.views import Moved, move_of
from guardrails.transitions import Reason, Status

# A number that is missing for longer than this, while nobody writes who had begun before, belongs to a write that was
# rolled back, and never comes.
_LATE = timedelta(seconds=5)
# Since when the longest write to the history is under way, be it that a disk or a replica keeps its commit waiting: it
# holds its lock from before it takes a number until whoever looks can see it. By the machine's clock.
_OLDEST_WRITE = text(
    "SELECT min(write.xact_start) FROM pg_locks AS held JOIN pg_stat_activity AS write ON write.pid = held.pid "
    "WHERE held.relation = 'moves'::regclass AND held.mode = 'RowExclusiveLock' AND write.datname = current_database()"
).columns(UtcDateTime())


@dataclass(frozen=True)
class Filter:
    """Which moves a follower wants: of a kind, to one of these statuses, of one document; empty means all.

    `author` is the DID or handle of whoever asked, `lane` the device that moved it.
    """

    kind: str | None = None
    statuses: Sequence[Status] = ()
    document_id: str | None = None
    author: str | None = None
    reasons: Sequence[Reason] = ()
    lane: str | None = None


EVERYTHING = Filter()


class Feed:
    """Reads the history in the order of its sequence, as far as nothing can come in between any more.

    On PostgreSQL a write may commit after one with a higher number. What comes after a missing number is therefore
    given out only once the missing one is there, or can be nobody's any more. SQLite's writes follow one another, and
    what was rolled back leaves no hole.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def after(self, seq: int, limit: int, wanted: Filter = EVERYTHING) -> list[Moved]:
        """The moves after a sequence number, oldest first."""
        query = select(moves).where(moves.c.seq > seq, *_conditions(wanted))
        with self._db.read() as connection:
            hole = self._hole(connection)
            if hole is not None:
                query = query.where(moves.c.seq < hole)
            return [move_of(row) for row in connection.execute(query.order_by(moves.c.seq).limit(limit))]

    def last(self) -> int:
        """The highest sequence number before which nothing is missing, 0 for an empty history."""
        with self._db.read() as connection:
            hole = self._hole(connection)
            query = select(func.max(moves.c.seq))
            if hole is not None:
                query = query.where(moves.c.seq < hole)
            return connection.execute(query).scalar_one() or 0

    def before(self, moment: datetime) -> int:
        """The highest number from before a moment, 0 for none; the history is in the order of time."""
        low, high = 0, self.last()
        with self._db.read() as connection:
            while low < high:
                middle = (low + high) // 2
                next_ = select(moves.c.seq, moves.c.at).where(moves.c.seq > middle).order_by(moves.c.seq).limit(1)
                row = connection.execute(next_).one_or_none()
                if row is not None and row.at < moment:
                    low = row.seq
                else:
                    high = middle
        return low

    def _hole(self, connection: Connection) -> int | None:
        """The lowest number that is missing and may still come, None when there is none.

        It is looked for before what is read, so that a number which comes in between is not passed over.
        """
        if self._db.is_sqlite:
            return None
        begun = connection.execute(_OLDEST_WRITE).scalar_one()
        is_old = and_(moves.c.at <= self._db.now(-_LATE), moves.c.at < begun if begun is not None else true())
        old = select(moves.c.seq).where(is_old).order_by(moves.c.seq.desc()).limit(1)
        floor = connection.execute(old).scalar_one_or_none() or 0
        before = func.lag(moves.c.seq, 1, floor).over(order_by=moves.c.seq)
        young = select(moves.c.seq, before.label("before")).where(moves.c.seq > floor).subquery()
        found = select(func.min(young.c.before)).where(young.c.seq > young.c.before + 1)
        last_whole: int | None = connection.execute(found).scalar_one()
        return None if last_whole is None else last_whole + 1


def _conditions(wanted: Filter) -> Iterator[ColumnElement[bool]]:
    if wanted.kind is not None:
        yield moves.c.kind == wanted.kind
    if wanted.statuses:
        yield moves.c.to_status.in_([status.value for status in wanted.statuses])
    if wanted.document_id is not None:
        yield moves.c.document_id == wanted.document_id
    if wanted.author is not None:
        theirs = or_(documents.c.author_did == wanted.author, documents.c.author_handle == wanted.author)
        yield moves.c.document_id.in_(select(documents.c.id).where(theirs))
    if wanted.reasons:
        yield moves.c.reason.in_([reason.value for reason in wanted.reasons])
    if wanted.lane is not None:
        yield moves.c.device == wanted.lane
