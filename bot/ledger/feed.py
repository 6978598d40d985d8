"""The tail: the history by sequence, which a follower resumes where it left off."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select

from bot.ledger.engine import Database
from bot.ledger.tables import moves
from bot.ledger.views import Moved, move_of
from guardrails.transitions import Status


@dataclass(frozen=True)
class Filter:
    """Which moves a follower wants: of a kind, to one of these statuses, of one document; empty means all."""

    kind: str | None = None
    statuses: Sequence[Status] = ()
    document_id: str | None = None


EVERYTHING = Filter()


class Feed:
    """Reads the history in the order of its sequence."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def after(self, seq: int, limit: int, wanted: Filter = EVERYTHING) -> list[Moved]:
        """The moves after a sequence number, oldest first."""
        query = select(moves).where(moves.c.seq > seq)
        if wanted.kind is not None:
            query = query.where(moves.c.kind == wanted.kind)
        if wanted.statuses:
            query = query.where(moves.c.to_status.in_([status.value for status in wanted.statuses]))
        if wanted.document_id is not None:
            query = query.where(moves.c.document_id == wanted.document_id)
        with self._db.read() as connection:
            return [move_of(row) for row in connection.execute(query.order_by(moves.c.seq).limit(limit))]

    def last(self) -> int:
        """The highest sequence number so far, 0 for an empty history."""
        with self._db.read() as connection:
            return connection.execute(select(func.max(moves.c.seq))).scalar_one() or 0
