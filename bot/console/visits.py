"""Who is at the console: a cookie becomes a visit, a form a change, or the call ends there."""

import base64
import hmac
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from http import HTTPStatus
from urllib.parse import urlsplit

from fastapi import Request, Response

from bot.api.problems import Refused
from bot.console.forms import Form
from bot.ledger.consoles import LONGEST, Consoles, ConsoleSession, Ended
from bot.operations.port import Operations
from guardrails.access import Caller, Role

CSRF, ACTION = "csrf", "action"
_SAID_SECONDS = 60
_MOST_SAID = 500
_LONGEST_ACTION = 64


class SignedOut(Exception):
    """Nobody is signed in; `why` the session that was there is over, None when there was none."""

    def __init__(self, why: Ended | None) -> None:
        super().__init__("nobody is signed in")
        self.why = why


@dataclass(frozen=True)
class Visit:
    """One call of somebody who is signed in, as of `at`, and what they may see and do."""

    session: ConsoleSession
    operations: Operations
    csrf: str
    said: str | None

    @property
    def at(self) -> datetime:
        """The moment of the call, by the ledger's clock."""
        return self.session.at

    @property
    def caller(self) -> Caller:
        """Who it is, as the access function knows them."""
        return self.session.caller

    @property
    def is_operator(self) -> bool:
        """Whether they may change anything."""
        return self.session.role is Role.OPERATOR


@dataclass(frozen=True)
class Change:
    """A form of somebody who is signed in; its operations are done under its action id, so pressed twice, once."""

    visit: Visit
    caller: Caller
    operations: Operations
    form: Form
    action_id: str


@dataclass(frozen=True)
class Cookies:
    """The console's cookies; `secure` where the console is reached by https."""

    secure: bool

    @property
    def session(self) -> str:
        """The name of the session's cookie. Browsers take one with this prefix from https and from this host only."""
        return "__Host-skywright" if self.secure else "skywright"

    @property
    def said(self) -> str:
        """The name of the cookie that carries one sentence to the next page."""
        return f"{self.session}-said"

    def keep(self, response: Response, name: str, value: str, lasts: timedelta) -> None:
        """Have the browser keep a cookie that no script can read."""
        age = int(lasts.total_seconds())
        response.set_cookie(name, value, max_age=age, path="/", secure=self.secure, httponly=True, samesite="lax")

    def drop(self, response: Response, name: str) -> None:
        """Have the browser forget a cookie."""
        response.delete_cookie(name, path="/", secure=self.secure, httponly=True, samesite="lax")

    def sign_in(self, response: Response, token: str) -> None:
        """Have the browser keep a session's token."""
        self.keep(response, self.session, token, LONGEST)

    def say(self, response: Response, token: str, text: str) -> None:
        """Have the next page of this session show a sentence, once."""
        sentence = base64.urlsafe_b64encode(text[:_MOST_SAID].encode()).decode()
        value = f"{sentence}.{keyed(token, sentence)}"
        self.keep(response, self.said, value, timedelta(seconds=_SAID_SECONDS))


class Door:
    """Lets calls in. Reading by itself, as a page does that is left open, keeps no session alive."""

    def __init__(
        self,
        consoles: Consoles,
        operations_for: Callable[[Caller], Operations],
        cookies: Cookies,
        own_origins: frozenset[str],
    ) -> None:
        self._consoles = consoles
        self._operations_for = operations_for
        self._own_origins = own_origins
        self.cookies = cookies

    def visit(self, request: Request) -> Visit:
        """Who calls; SignedOut when nobody who is signed in."""
        token = request.cookies.get(self.cookies.session, "")
        session = self._consoles.session_of(token) if token else None
        if session is None or session.ended is not None:
            raise SignedOut(session.ended if session is not None else None)
        if request.method == "POST" or not _by_itself(request):
            self._consoles.seen(session)
        said = _said(request.cookies.get(self.cookies.said, ""), token)
        visit = Visit(session, self._operations_for(session.caller), keyed(token, CSRF), said)
        request.state.visit = visit
        return visit

    def token_of(self, request: Request) -> str:
        """The secret of the session of a call that was let in."""
        return request.cookies[self.cookies.session]

    def still_in(self, visit: Visit) -> Ended | None:
        """Why a visit that goes on, as a live stream does, is over by now; None while it is not."""
        return self._consoles.how_it_ended(visit.session.id)

    def change(self, request: Request, form: Form) -> Change:
        """A form of ours, sent from a page of ours by somebody who is signed in; else it is refused."""
        self.check_origin(request)
        visit = self.visit(request)
        if not hmac.compare_digest(form.text(CSRF).encode(), visit.csrf.encode()):
            raise refused("this form is not one of your present session: load the page anew and press again")
        action_id = form.text(ACTION)[:_LONGEST_ACTION]
        caller = replace(visit.caller, action_id=action_id or None)
        return Change(visit, caller, self._operations_for(caller), form, action_id)

    def check_origin(self, request: Request) -> None:
        """Return when a form comes from a page of this very address, as its browser tells."""
        told = request.headers.get("Origin") or request.headers.get("Referer") or ""
        if _place(told) not in self._own_origins | {request.headers.get("Host", "").lower()} - {""}:
            raise refused("a change has to come from a page of the console itself")


def refused(message: str) -> Refused:
    """A call that somebody else's page may have made, or that a role may not make."""
    return Refused(HTTPStatus.FORBIDDEN, "refused", message)


def misused(message: str) -> Refused:
    """A form whose fields no page of ours would send, or that leaves out what is asked for."""
    return Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", message)


def _by_itself(request: Request) -> bool:
    """Whether an open page asks, for a part of it or for its stream, and nobody has done anything."""
    return "HX-Request" in request.headers or request.headers.get("Accept") == "text/event-stream"


def keyed(token: str, what: str) -> str:
    """A value that only this session's pages hold, made of its secret and never stored."""
    return hmac.new(token.encode(), what.encode(), sha256).hexdigest()


def _place(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return parts.netloc.lower() if parts.scheme in ("http", "https") else ""


def _said(cookie: str, token: str) -> str | None:
    sentence, _, proof = cookie.partition(".")
    if not proof or not hmac.compare_digest(proof.encode(), keyed(token, sentence).encode()):
        return None
    return base64.urlsafe_b64decode(sentence).decode()
