"""What a move was to charts, as SQL: an ask came, was acknowledged, built, answered or skipped, or its build failed."""

from enum import StrEnum

from sqlalchemy import ColumnElement, and_

from bot.ledger.tables import moves
from guardrails.transitions import Status


class What(StrEnum):
    """What may happen to an ask that a chart shows."""

    CAME = "came"
    ACKNOWLEDGED = "acknowledged"
    BUILT = "built"
    FAILED = "failed"
    REPLIED = "replied"
    SKIPPED = "skipped"


def _moved(source: Status, *targets: Status) -> ColumnElement[bool]:
    targeted = moves.c.to_status.in_([target.value for target in targets])
    return and_(moves.c.from_status == source.value, targeted)


WHAT: dict[What, ColumnElement[bool]] = {
    What.CAME: moves.c.from_status.is_(None),
    What.ACKNOWLEDGED: _moved(Status.RECEIVED, Status.PENDING_BUILD, Status.AWAITING_APPROVAL),
    What.BUILT: _moved(Status.BUILDING, Status.BUILT),
    What.FAILED: moves.c.to_status == Status.BUILD_FAILED.value,
    What.REPLIED: _moved(Status.BUILT, Status.REPLIED),
    What.SKIPPED: moves.c.to_status == Status.SKIPPED.value,
}
"""What a move was; of several the first."""
