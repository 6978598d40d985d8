"""What went wrong, as a page that says so, or as a line for a part of a page that asked by itself."""

from contextlib import suppress
from http import HTTPStatus
from urllib.parse import urlencode, urlsplit

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, RedirectResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from bot.api.problems import Refused
from bot.console.drawing import Drawing, page_headers
from bot.console.visits import Cookies, Door, SignedOut
from bot.errors import AlreadyDone, BotError, LostRace, NoSuchDocument
from bot.ledger.consoles import Ended
from guardrails.errors import RuleError
from guardrails.text import visible

SIGN_IN = "/console/sign-in"
ENDED_HEADER = "X-Skywright-Signed-Out"
_WHY = {
    Ended.SIGNED_OUT: "You signed out.",
    Ended.REVOKED: "You were signed out: an operator ended this session.",
    Ended.DEVICE_REVOKED: "You were signed out: the device that you signed in with was revoked.",
    Ended.DEVICE_OVER: "You were signed out: the time of the device that you signed in with is over.",
    Ended.IDLE: "You were signed out: nothing was done here for a long time.",
    Ended.OVER: "You were signed out: a session lasts seven days at most.",
}
# The first that fits; what such an error says is for people.
_OURS = (
    (RuleError, HTTPStatus.FORBIDDEN),
    (NoSuchDocument, HTTPStatus.NOT_FOUND),
    (LostRace, HTTPStatus.CONFLICT),
    (BotError, HTTPStatus.UNPROCESSABLE_ENTITY),
)
_DONE = "That was done already."
log = structlog.get_logger()


def told_why(why: Ended | None) -> str:
    """Why nobody is signed in any more, in a sentence for people; empty when nobody was."""
    return _WHY[why] if why is not None else ""


def is_part(request: Request) -> bool:
    """Whether a part of a page asks, and not a person for a page."""
    return "HX-Request" in request.headers


def answer_with_pages(app: FastAPI, drawing: Drawing, door: Door) -> None:
    """Have an app answer every error with a page; who is signed in finds their way on from there."""
    cookies = door.cookies

    async def signed_out(request: Request, error: Exception) -> Response:
        why = error.why if isinstance(error, SignedOut) else None
        return _signed_out(request, why, cookies)

    async def problem(request: Request, error: Exception) -> Response:
        status, told = _problem(error)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            # The route and the kind only: an address may hold a code, and a database's error quotes values.
            route = getattr(request.scope.get("route"), "path", "")
            log.warning("page_failed", method=request.method, route=route, error=type(error).__name__)
        if isinstance(error, HTTPException) and not is_part(request):
            # No page was found, and nobody has looked who asks for it.
            await run_in_threadpool(_look_who_asks, door, request)
        response = _told(request, drawing, status, told)
        if isinstance(error, HTTPException | Refused):
            response.headers.update(error.headers or {})
        return response

    async def done_already(request: Request, error: Exception) -> Response:
        """Pressed twice: the first press did it, and both lead back to where the button is."""
        if is_part(request):
            return PlainTextResponse(_DONE, HTTPStatus.CONFLICT, page_headers())
        response = RedirectResponse(_came_from(request), HTTPStatus.SEE_OTHER)
        cookies.say(response, request.cookies.get(cookies.session, ""), _DONE)
        return response

    app.add_exception_handler(SignedOut, signed_out)
    app.add_exception_handler(AlreadyDone, done_already)
    for kind in (
        Refused,
        RuleError,
        BotError,
        SQLAlchemyError,
        RequestValidationError,
        HTTPException,
        ClientDisconnect,
        Exception,
    ):
        app.add_exception_handler(kind, problem)


def _signed_out(request: Request, why: Ended | None, cookies: Cookies) -> Response:
    """A page leads to the sign-in, which says why, once; a part of a page is told to stop asking."""
    if is_part(request):
        told = told_why(why) or "You are not signed in."
        headers = {**page_headers(), ENDED_HEADER: why.value if why is not None else "nobody"}
        return PlainTextResponse(told, HTTPStatus.UNAUTHORIZED, headers)
    facts = {"ended": why.value} if why is not None else {}
    if request.method == "GET":
        query = f"?{request.url.query}" if request.url.query else ""
        facts["next"] = f"{request.url.path}{query}"
    response = RedirectResponse(f"{SIGN_IN}?{urlencode(facts)}", HTTPStatus.SEE_OTHER)
    cookies.drop(response, cookies.session)
    return response


def _look_who_asks(door: Door, request: Request) -> None:
    with suppress(SignedOut, SQLAlchemyError):
        door.visit(request)


def _came_from(request: Request) -> str:
    """The page of the console on which a form was; its origin was compared before."""
    path = urlsplit(request.headers.get("Referer", "")).path
    return path if path.startswith("/console/") else "/console/"


def _told(request: Request, drawing: Drawing, status: HTTPStatus, told: str) -> Response:
    if is_part(request):
        return PlainTextResponse(visible(told, keep_newlines=True), status, page_headers())
    visit = getattr(request.state, "visit", None)
    facts = {"visit": visit, "here": request.url.path, "heading": status.phrase, "told": told}
    return drawing.page("problem.html", facts, status)


def _problem(error: Exception) -> tuple[HTTPStatus, str]:
    match error:
        case Refused():
            return error.status, error.problem.message
        case RuleError() | BotError():
            return next(status for kind, status in _OURS if isinstance(error, kind)), str(error)
        case SQLAlchemyError():
            return HTTPStatus.SERVICE_UNAVAILABLE, "The ledger does not answer. Try again in a few seconds."
        case RequestValidationError():
            where = {str(problem["loc"][-1]) for problem in error.errors()}
            return HTTPStatus.UNPROCESSABLE_ENTITY, f"This address makes no sense: {', '.join(sorted(where))}"
        case HTTPException(status_code=HTTPStatus.METHOD_NOT_ALLOWED):
            return HTTPStatus.METHOD_NOT_ALLOWED, "Changes are made by the forms of the console, not by links."
        case HTTPException(status_code=code):
            return HTTPStatus(code), "There is no such page."
        case ClientDisconnect():
            return HTTPStatus.BAD_REQUEST, "The form ended too early."
        case _:
            return HTTPStatus.INTERNAL_SERVER_ERROR, "Something is wrong with the bot; its log says more."
