"""GET /ready: whether this process does its work: for load balancers, and for whoever rolls out a new version."""

from collections.abc import Callable, Iterator
from datetime import datetime
from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import LedgerBehind
from bot.jobs.board import JobBoard
from bot.keeper import ALONE, Turn, place_of
from bot.ledger.ledger import Ledger
from bot.ledger.schema import check_schema


def ready_routes(ledger: Ledger, board: JobBoard, now: Callable[[], datetime], turn: Turn = ALONE) -> APIRouter:
    """GET /ready: 200, or 503 with the reasons: the database, its migrations, jobs that are not woken.

    A job that is woken and fails is no reason: pages and lanes are to be served while the network is away.
    Nor is that the rounds are another bot's: this one stands by, and serves them as well.
    """
    routes = APIRouter()

    @routes.get("/ready")
    def ready() -> JSONResponse:
        reasons = [*_of_the_database(ledger), *_of_the_jobs(board, now())]
        status = HTTPStatus.SERVICE_UNAVAILABLE if reasons else HTTPStatus.OK
        told = {"status": "not ready" if reasons else "ready", "rounds": place_of(turn), "reasons": reasons}
        return JSONResponse(told, status)

    return routes


def _of_the_database(ledger: Ledger) -> Iterator[str]:
    try:
        check_schema(ledger.db)
    except LedgerBehind as behind:
        yield str(behind)
    except SQLAlchemyError:
        yield "the database does not answer"


def _of_the_jobs(board: JobBoard, at: datetime) -> Iterator[str]:
    if not board.is_open:
        yield "the jobs have not begun, or the process is ending"
        return
    asleep = sorted(name for name, job in board.snapshot().items() if not job.is_woken(at))
    if asleep:
        yield f"jobs that are not woken: {', '.join(asleep)}"
