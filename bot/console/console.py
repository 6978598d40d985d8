"""What every page of the console is made with: who visits, what is drawn, and where a form leads back to."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import RedirectResponse, Response

from bot.console.drawing import Drawing
from bot.console.forms import Form, form_of
from bot.console.visits import Change, Door, Visit, refused
from bot.ledger.ledger import Ledger
from guardrails.rules import Rules


class Console:
    """Handed to each module of pages. Paths are those below /console.

    As dependencies: `signed_in` gives a Visit for reading, `change` a Change for operators, `own_change` one for
    whoever is signed in. Every POST depends on one of the latter two, which check form, origin and session.
    """

    def __init__(self, ledger: Ledger, rules: Callable[[], Rules], door: Door, drawing: Drawing) -> None:
        self.ledger = ledger
        self.rules = rules
        self.door = door
        self.drawing = drawing

    def signed_in(self, request: Request) -> Visit:
        """Whoever is signed in, operator or viewer."""
        return self.door.visit(request)

    def own_change(self, request: Request, form: Annotated[Form, Depends(form_of)]) -> Change:
        """A change to what belongs to whoever is signed in."""
        return self.door.change(request, form)

    def change(self, request: Request, form: Annotated[Form, Depends(form_of)]) -> Change:
        """A change that only operators make."""
        change = self.door.change(request, form)
        if not change.visit.is_operator:
            raise refused("you are signed in as a viewer, who sees everything and changes nothing")
        return change

    def show(
        self,
        request: Request,
        visit: Visit,
        template: str,
        *,
        status: HTTPStatus = HTTPStatus.OK,
        frame_src: str = "'none'",
        **facts: object,
    ) -> Response:
        """A page, or a part of one, for a visit; a template finds `visit`, `at` and `here` beside its facts."""
        here = request.url.path
        response = self.drawing.page(
            template, {"visit": visit, "at": visit.at, "here": here, **facts}, status, frame_src
        )
        if visit.said is not None:
            self.door.cookies.drop(response, self.door.cookies.said)
        return response

    def back(self, request: Request, path: str, said: str) -> Response:
        """Lead from a form to a page of ours, which says in a sentence what became of it."""
        response = RedirectResponse(f"/console{path}", HTTPStatus.SEE_OTHER)
        self.door.cookies.say(response, self.door.token_of(request), said)
        return response
