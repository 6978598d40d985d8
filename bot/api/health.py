"""GET /health: that the process is alive, and how the bot is: jobs, counts, what waits for a person. Nothing is secret.

Whether it can do its work is /ready, and /metrics has the same facts as numbers.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from importlib.metadata import version

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError

from bot.jobs.board import JobBoard, JobState
from bot.keeper import ALONE, Turn, place_of
from bot.ledger.conditions import ELSEWHERE, Condition
from bot.ledger.ledger import Ledger
from bot.ledger.schema import current_revision
from bot.ledger.views import Send
from bot.operations.overview import rounds_of
from bot.operations.present import Rounds
from guardrails.rules import Rules
from guardrails.text import clip, visible

ERROR_GRAPHEMES = 200
# It is asked every few seconds, and anybody may: the oldest are told, and the metrics count them all.
MOST_SENDS = 100


def health_routes(
    ledger: Ledger,
    board: JobBoard,
    now: Callable[[], datetime],
    rules: Callable[[], Rules],
    lane_schedule: timedelta | None = None,
    turn: Turn = ALONE,
) -> APIRouter:
    """GET /health: 200 as long as the process answers; its status says "ok", or "degraded" where something is wrong.

    No restart mends a network or a database that is away, so no supervisor is told to try one. A job that hangs ends
    the process by itself.
    """
    routes = APIRouter()

    @routes.get("/health")
    def health() -> JSONResponse:
        jobs = board.snapshot()
        at = now()
        ledger_facts = _ledger_facts(ledger, at, lane_schedule)
        fine = ledger_facts is not None and not any(job.is_late(at) for job in jobs.values())
        told = {
            "status": "ok" if fine and not (ledger_facts or {}).get("conditions") else "degraded",
            "version": version("skywright"),
            "rules": rules().version,
            "database": "ok" if ledger_facts is not None else "does not answer",
            "rounds": place_of(turn),
            "jobs": {name: _job(job, at) for name, job in sorted(jobs.items())},
            **(ledger_facts or {}),
        }
        return JSONResponse(told)

    return routes


def _ledger_facts(ledger: Ledger, at: datetime, lane_schedule: timedelta | None) -> dict[str, object] | None:
    try:
        visits, waiting = ledger.lanes.visits(lane_schedule), ledger.lanes.waiting()
        return {
            "documents": {status.value: count for status, count in ledger.pages.counts().items()},
            "unknown_sends": [_send(send, at) for send in ledger.queries.unsettled_sends(MOST_SENDS)],
            "conditions": [_condition(condition, at) for condition in ledger.conditions.standing()],
            "switches": [switch.value for switch, *_ in ledger.desk.switches_on()],
            "parked": ledger.desk.parked_count(),
            "last_lane_seen": visits.seen_at.isoformat() if visits.seen_at is not None else None,
            "lane_late_seconds": round(visits.late_by.total_seconds(), 1) if visits.late_by is not None else None,
            "waiting_for_lane": waiting.documents if waiting is not None else 0,
            "waiting_for_lane_seconds": _seconds(at, waiting.since) if waiting is not None else 0.0,
            "ledger_revision": current_revision(ledger.db),
            **_rounds(rounds_of(ledger)),
        }
    except SQLAlchemyError:
        return None


def _rounds(rounds: Rounds | None) -> dict[str, object]:
    """Which of several bots does them."""
    if rounds is None:
        return {}
    since = rounds.since.isoformat() if rounds.since is not None else None
    return {"rounds_holder": rounds.holder, "rounds_since": since}


def _job(job: JobState, at: datetime) -> dict[str, object]:
    return {
        "last_success_age_seconds": _seconds(at, job.last_success) if job.last_success is not None else None,
        "late": job.is_late(at),
        "interval_seconds": job.interval_seconds,
        "deadline_seconds": job.deadline_seconds,
        "running_seconds": _seconds(at, job.running_since) if job.running_since is not None else None,
        "last_error": _first_line(job.last_error),
        "runs": job.runs,
    }


def _send(send: Send, at: datetime) -> dict[str, object]:
    return {
        "id": send.id,
        "age_seconds": _seconds(at, send.unknown_since or send.claimed_at),
        "conflict": send.conflict is not None,
    }


def _condition(condition: Condition, at: datetime) -> dict[str, object]:
    return {
        "name": condition.name,
        # Words of somebody who is forgotten are for who has a token.
        "detail": _first_line(condition.detail) if condition.kind != ELSEWHERE else None,
        "age_seconds": _seconds(at, condition.since),
        "checked_age_seconds": _seconds(at, condition.checked_at),
    }


def _seconds(at: datetime, since: datetime) -> float:
    return round((at - since).total_seconds(), 1)


def _first_line(error: str | None) -> str | None:
    # The lines after the first quote statements and their values.
    return clip(visible(error.partition("\n")[0]), ERROR_GRAPHEMES, 4 * ERROR_GRAPHEMES) if error else None
