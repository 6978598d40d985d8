"""The page of who is signed in."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from bot.console.console import Console
from bot.console.visits import Change, Visit


def sessions_routes(console: Console) -> APIRouter:
    """GET /sessions, and POST /sessions/revoke to end somebody's."""
    routes = APIRouter()

    @routes.get("/sessions")
    def sessions(request: Request, visit: Annotated[Visit, Depends(console.signed_in)]) -> Response:
        return console.show(request, visit, "sessions.html", sessions=console.ledger.consoles.sessions())

    @routes.post("/sessions/revoke")
    def revoke(request: Request, change: Annotated[Change, Depends(console.change)]) -> Response:
        name = change.form.text("session")
        ended = console.ledger.consoles.revoke(change.caller, name)
        said = f"Session {name} is over." if ended else f"Session {name} was over already."
        return console.back(request, "/sessions", said)

    return routes
