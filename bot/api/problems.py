"""The one place where what went wrong becomes a status code and a Problem."""

from collections.abc import Mapping
from http import HTTPStatus

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from bot.errors import ClaimLost, LostRace
from bot.logs import about
from guardrails.errors import RuleError
from guardrails.wire import API_VERSION, Problem

LOST_RACE_SECONDS = 1
DATABASE_AWAY_SECONDS = 5
UNAVAILABLE = "unavailable"
# Nothing that an API answers is a page, is kept by a cache or is put into a frame.
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
log = structlog.get_logger()


class Refused(Exception):
    """A call that is answered with a Problem; the texts are for people and never quote what was sent."""

    def __init__(
        self, status: HTTPStatus, error: str, message: str, mend: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.problem = Problem(error=error, message=message, mend=mend)
        self.headers = headers or {}


def bad_token() -> Refused:
    """No token, a wrong one and a revoked one get the same answer."""
    mend = "Send `Authorization: Bearer TOKEN` with a token that `skywright devices add` printed."
    challenge = {"WWW-Authenticate": "Bearer"}
    return Refused(HTTPStatus.UNAUTHORIZED, "bad_token", "this token opens nothing here", mend, challenge)


def bad_credentials() -> Refused:
    """A code or an OIDC token that is wrong, over, used up or somebody else's gets the same answer."""
    mend = "Ask the bot's host for a new invitation, or compare what is pinned in the bot's settings with the run."
    return Refused(HTTPStatus.UNAUTHORIZED, "bad_credentials", "this lets nobody in", mend)


def no_runs() -> Refused:
    """This bot lets no CI run in."""
    names = ", ".join(f"SKYWRIGHT_GITHUB_{name}" for name in ("REPOSITORY", "ENVIRONMENT", "AUDIENCE"))
    return Refused(HTTPStatus.NOT_FOUND, "no_runs", "this bot lets no CI run in", f"Set {names} on the bot's side.")


def invalid(message: str, mend: str = "") -> Refused:
    """The call is understood and its content is not."""
    return Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", message, mend)


def too_large(limit: int) -> Refused:
    """The body has more bytes than any honest one."""
    return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", f"the body has more than {limit} bytes")


def other_version() -> Refused:
    """The caller speaks a version of the API that this bot does not."""
    message = f"this bot speaks api_version {API_VERSION} only"
    return Refused(HTTPStatus.UPGRADE_REQUIRED, "api_version", message, "Run a bot and a lane of matching versions.")


def no_such_claim() -> Refused:
    """The claim's id is not one that a lane could have minted."""
    return Refused(HTTPStatus.NOT_FOUND, "no_such_claim", "no claim has such an id")


def wrong_host() -> Refused:
    """The listener was called by a name that is not its own."""
    mend = "Call it by a loopback name, or by the host of the admin address in the settings."
    return Refused(HTTPStatus.FORBIDDEN, "wrong_host", "this listener does not answer to that name", mend)


def answer_problems(app: FastAPI) -> None:
    """Have an app answer every error as a Problem."""
    for kind in (
        Refused,
        RuleError,
        ClaimLost,
        LostRace,
        OperationalError,
        InterfaceError,
        PoolTimeout,
        RequestValidationError,
        HTTPException,
        ClientDisconnect,
        Exception,
    ):
        app.add_exception_handler(kind, _answer)


def problem_response(refused: Refused) -> Response:
    """The answer to a call that is refused."""
    # The rest of a body that nobody has read must not be taken for the next call.
    headers = {**HEADERS, "Connection": "close", **refused.headers}
    return JSONResponse(refused.problem.model_dump(), refused.status, headers=headers)


async def _answer(request: Request, error: Exception) -> Response:
    refused = _refusal(error)
    if refused.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        with about(device=getattr(request.state, "device", None), claim=request.path_params.get("claim_id")):
            # The kind only: a database's error quotes the statement and its values.
            log.warning("call_failed", method=request.method, path=request.url.path, error=type(error).__name__)
    return problem_response(refused)


def _refusal(error: Exception) -> Refused:
    match error:
        case Refused():
            return error
        case ClaimLost():
            return Refused(HTTPStatus.CONFLICT, "claim_lost", str(error), "Stop at once and publish nothing.")
        case RuleError():
            return Refused(HTTPStatus.FORBIDDEN, "not_allowed", str(error))
        case LostRace():
            return unavailable("somebody else was faster; the same call again will tell", LOST_RACE_SECONDS)
        case OperationalError() | InterfaceError() | PoolTimeout():
            return unavailable("the ledger does not answer", DATABASE_AWAY_SECONDS)
        case RequestValidationError():
            where = {str(problem["loc"][1]) for problem in error.errors()}
            return invalid(f"not what this call takes: {', '.join(sorted(where))}")
        case HTTPException(status_code=code):
            status = HTTPStatus(code)
            return Refused(status, status.phrase.lower().replace(" ", "_"), "no such call", headers=error.headers)
        case ClientDisconnect():
            return Refused(HTTPStatus.BAD_REQUEST, "cut_off", "the body ended too early")
        case _:
            return Refused(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "something is wrong with the bot")


def unavailable(message: str, after_seconds: int) -> Refused:
    """It may be done a little later."""
    headers = {"Retry-After": str(after_seconds)}
    return Refused(HTTPStatus.SERVICE_UNAVAILABLE, UNAVAILABLE, message, "Try again a little later.", headers)
