"""How long what has just ended took, and what it cost; worked out from the history, for whoever counts it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from sqlalchemy import and_, func, select

from bot.ledger.engine import Database
from bot.ledger.tables import attempts, moves
from bot.ledger.views import Moved
from guardrails.transitions import Status


class Stage(StrEnum):
    """What is timed: from an ask's coming until it is let through or held; from then until it is built; and from its
    coming until it is answered.
    """

    ACKNOWLEDGE = "acknowledge"
    BUILD = "build"
    REPLY = "reply"


@dataclass(frozen=True)
class Took:
    """How long one stage of one document took."""

    stage: Stage
    time: timedelta


# Where each stage began; of several such moves the last one before the end counts.
_BEGAN = {Stage.ACKNOWLEDGE: Status.RECEIVED, Stage.BUILD: Status.PENDING_BUILD, Stage.REPLY: Status.RECEIVED}


class Timings:
    """Reads; nothing here writes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of(self, moved: Sequence[Moved]) -> list[Took]:
        """How long the stages took that ended with these moves."""
        ended = [(stage, move) for move in moved if (stage := _stage_ended(move)) is not None]
        if not ended:
            return []
        c = moves.c
        begins = [status.value for status in set(_BEGAN.values())]
        of_these = and_(c.document_id.in_({move.document_id for _, move in ended}), c.to_status.in_(begins))
        with self._db.read() as connection:
            query = select(c.document_id, c.to_status, c.seq, c.at).where(of_these).order_by(c.seq)
            began = connection.execute(query).all()
        took = []
        for stage, move in ended:
            wanted = (move.document_id, _BEGAN[stage].value)
            before = [row for row in began if row.seq < move.seq and (row.document_id, row.to_status) == wanted]
            if before:
                took.append(Took(stage, max(move.at - before[-1].at, timedelta())))
        return took

    def cost_micros(self, moved: Sequence[Moved]) -> int:
        """What the attempts have cost that ended with these moves, in millionths of a US dollar."""
        # A claim that takes over carries the new claim, which has cost nothing yet.
        ending = [move for move in moved if move.from_status is Status.BUILDING and move.name != "claim"]
        claims = {move.claim_id for move in ending if move.claim_id is not None}
        if not claims:
            return 0
        ended = and_(attempts.c.claim_id.in_(claims), attempts.c.ended_at.is_not(None))
        with self._db.read() as connection:
            return int(connection.execute(select(func.sum(attempts.c.cost_micros)).where(ended)).scalar_one() or 0)


def _stage_ended(move: Moved) -> Stage | None:
    match move.from_status, move.to_status:
        case Status.RECEIVED, Status.PENDING_BUILD | Status.AWAITING_APPROVAL:
            return Stage.ACKNOWLEDGE
        case Status.BUILDING, Status.BUILT:
            return Stage.BUILD
        case Status.BUILT, Status.REPLIED:
            return Stage.REPLY
        case _:
            return None
