"""The tail: the history by sequence, which a follower resumes where it left off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select

from bot.ledger.engine import Database
from bot.ledger.settled import Note, Settled
from bot.ledger.tables import documents, moves
from bot.ledger.views import Moved, move_of
from guardrails.transitions import Reason, Status


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

    On PostgreSQL that is as far as it is settled. SQLite's writes follow one another, and what was rolled back leaves
    no gap. The moves of one document follow one another on both: whoever takes a number has written the document
    before, whose row is locked from then on.
    """

    def __init__(self, db: Database, settled: Settled | None = None) -> None:
        self._db = db
        self._settled = settled or Settled(db)

    @property
    def waits_for(self) -> Note | None:
        """Whose writes the last look waited for, at a gap; None when nothing is held back."""
        return self._settled.waits_for

    def after(self, seq: int, limit: int, wanted: Filter = EVERYTHING) -> list[Moved]:
        """The moves after a sequence number, oldest first."""
        query = select(moves).where(moves.c.seq > seq, *_conditions(wanted))
        with self._db.read() as connection:
            if not self._db.is_sqlite and wanted.document_id is None:
                settled = self._settled.up_to(connection)
                if settled <= seq:
                    return []
                query = query.where(moves.c.seq <= settled)
            return [move_of(row) for row in connection.execute(query.order_by(moves.c.seq).limit(limit))]

    def last(self) -> int:
        """The highest sequence number before which nothing is missing, 0 for an empty history."""
        query = select(func.max(moves.c.seq))
        with self._db.read() as connection:
            if not self._db.is_sqlite:
                query = query.where(moves.c.seq <= self._settled.up_to(connection))
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
