"""Sign-in by a device's token or by a link that is good once, and sign-out."""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from bot.api.auth import LONGEST_TOKEN
from bot.console.console import Console
from bot.console.forms import Form, form_of
from bot.console.patience import Patience
from bot.console.problems import SIGN_IN, told_why
from bot.console.visits import Change
from bot.ledger.consoles import ConsoleSession, Ended
from bot.tokens import new_session

# A page of the console, and nowhere else: no second slash that a browser would read as a host.
_WITHIN = re.compile(r"/console/(?!/)[!-\[\]-~]*", re.ASCII)
_AWAIT_SECONDS = "10"
_WRONG = "This token opens nothing here."
_SLOW = "Too many wrong tokens. Wait a few seconds, or use a link from `skywright console link`."
_SPENT = "This link is used, over or cut off. `skywright console link` makes a new one."


def sign_in_routes(console: Console, patience: Patience) -> APIRouter:
    """The pages that need nobody to be signed in. Reading a link spends nothing; its button does, once."""
    routes = APIRouter()
    Given = Annotated[Form, Depends(form_of)]

    @routes.get("/sign-in")
    def sign_in_page(request: Request, ended: str = "", next: str = "") -> Response:
        why = Ended(ended) if ended in set(Ended) else None
        return _page(console, request, next, told_why(why))

    @routes.post("/sign-in")
    def sign_in(request: Request, form: Given) -> Response:
        console.door.check_origin(request)
        address, to = request.client.host if request.client else "", form.text("next")
        if not patience.left(address):
            slow = _page(console, request, to, _SLOW, HTTPStatus.TOO_MANY_REQUESTS)
            slow.headers["Retry-After"] = _AWAIT_SECONDS
            return slow
        entered = _begun(lambda session, secret: _by_token(console, form.text("token"), session, secret))
        if entered is None:
            patience.wronged(address)
            return _page(console, request, to, _WRONG, HTTPStatus.UNAUTHORIZED)
        return _let_in(console, entered[1], to)

    @routes.api_route("/enter/{code}", methods=["GET", "HEAD"])
    def enter_page(request: Request, code: str) -> Response:
        return console.drawing.page("enter.html", {"visit": None, "here": request.url.path, "code": code})

    @routes.post("/enter")
    def enter(request: Request, form: Given) -> Response:
        console.door.check_origin(request)
        code = form.text("code")[:LONGEST_TOKEN]
        entered = _begun(lambda session, secret: console.ledger.consoles.spend(code, session, secret))
        if entered is None:
            return _page(console, request, "", _SPENT, HTTPStatus.UNAUTHORIZED)
        return _let_in(console, entered[1], "")

    @routes.post("/sign-out")
    def sign_out(change: Annotated[Change, Depends(console.own_change)]) -> Response:
        console.ledger.consoles.sign_out(change.visit.session.id)
        response = RedirectResponse(f"{SIGN_IN}?ended={Ended.SIGNED_OUT.value}", HTTPStatus.SEE_OTHER)
        console.door.cookies.drop(response, console.door.cookies.session)
        return response

    return routes


def _by_token(console: Console, token: str, session: str, secret: str) -> ConsoleSession | None:
    device = console.ledger.desk.device_of_token(token) if len(token) <= LONGEST_TOKEN else None
    return console.ledger.consoles.sign_in(device, session, secret) if device is not None else None


def _begun(begin: Callable[[str, str], ConsoleSession | None]) -> tuple[ConsoleSession, str] | None:
    name, secret = new_session()
    session = begin(name, secret)
    return (session, secret) if session is not None else None


def _let_in(console: Console, secret: str, to: str) -> Response:
    response = RedirectResponse(to if _WITHIN.fullmatch(to) else "/console/", HTTPStatus.SEE_OTHER)
    console.door.cookies.sign_in(response, secret)
    return response


def _page(console: Console, request: Request, to: str, told: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    within = to if _WITHIN.fullmatch(to) else ""
    facts = {"visit": None, "here": request.url.path, "next": within, "told": told, "wrong": status != HTTPStatus.OK}
    return console.drawing.page("sign_in.html", facts, status)
