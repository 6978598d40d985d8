"""Which jobs there is something to do for, since something has moved; their ticks find the same, later."""

from collections.abc import Iterable

from bot.ledger.views import Moved
from guardrails.transitions import Status


def jobs_woken_by(moves: Iterable[Moved]) -> set[str]:
    """The names of the jobs that go on from where these moves have led."""
    return {name for move in moves for name in _next(move)}


def _next(move: Moved) -> tuple[str, ...]:
    match move.to_status:
        case Status.RECEIVED:
            # Whoever has read what is new judges it at once.
            return ("judge",) if move.from_status is not None else ()
        case Status.BUILT:
            return ("reply",)
        case Status.BUILDING | Status.REPLIED:
            return ()
        case Status.PENDING_BUILD | Status.AWAITING_APPROVAL | Status.SKIPPED | Status.BUILD_FAILED | Status.ERROR:
            # It is acknowledged by a like, or told of.
            return ("speak",)
