"""The first page: how the bot is now, what wants a person, and the switches."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from bot.console.console import Console
from bot.console.problems import is_part
from bot.console.visits import Change, Visit, misused
from bot.errors import NotDone
from bot.ledger import piles
from guardrails.switches import Switch

ALL = "all"
WORK = {Switch.PAUSE_INGEST: "Reading mentions", Switch.PAUSE_BUILDS: "Builds", Switch.PAUSE_REPLIES: "Replies"}
"""What each switch pauses, as people call it."""

LISTS = {
    piles.UNKNOWN_SENDS: "/console/sends",
    piles.CONFLICTS: "/console/sends",
    piles.HELD_ASKS: "/console/documents?status=awaiting-approval",
    piles.HELD_REPLIES: "/console/documents?status=built",
    piles.STUCK_BUILDS: "/console/documents?status=building",
    piles.ERRORS: "/console/documents?status=error&status=build-failed",
    piles.NO_LANE: "/console/lanes",
    piles.PARKED: "/console/parked",
}
"""Where what lies on a pile is listed."""

BUDGETS = {
    "points_hour": "Write points, this hour",
    "points_day": "Write points, this day",
    "logins_hour": "Logins, this hour",
    "logins_day": "Logins, this day",
    "money_day": "Money, this day",
}


def now_routes(console: Console) -> APIRouter:
    """GET / whole, or its live part for who asks for a part; POST /pause, /resume and /alerts/test."""
    routes = APIRouter()

    @routes.get("/")
    def now(request: Request, visit: Annotated[Visit, Depends(console.signed_in)]) -> Response:
        return _page(console, request, visit)

    @routes.post("/pause")
    def pause(request: Request, change: Annotated[Change, Depends(console.change)]) -> Response:
        switches, why = _switches(change), change.form.text("why")
        if not why:
            raise misused("say why, for whoever finds it paused")
        # Several switches are several actions, and a switch that is on or off already stays so.
        taken = change.visit.operations.pause(switches, why, now=change.form.ticked("now"))
        back = f" {len(taken)} builds were taken from their lanes." if change.form.ticked("now") else ""
        return console.back(request, "/", f"Paused: {_told(switches)}.{back}")

    @routes.post("/resume")
    def resume(request: Request, change: Annotated[Change, Depends(console.change)]) -> Response:
        switches = _switches(change)
        change.visit.operations.resume(switches)
        return console.back(request, "/", f"Goes on: {_told(switches)}.")

    @routes.post("/alerts/test")
    def test(request: Request, change: Annotated[Change, Depends(console.change)]) -> Response:
        try:
            change.operations.try_alerts()
        except NotDone as problem:
            return _page(console, request, change.visit, f"{problem}", HTTPStatus.UNPROCESSABLE_ENTITY)
        return console.back(request, "/", "The alert channel took the test.")

    return routes


def _page(
    console: Console, request: Request, visit: Visit, problem: str = "", status: HTTPStatus = HTTPStatus.OK
) -> Response:
    return console.show(
        request,
        visit,
        "now_live.html" if is_part(request) else "now.html",
        status=status,
        overview=visit.operations.overview(),
        work=WORK,
        lists=LISTS,
        budgets=BUDGETS,
        problem=problem,
    )


def _switches(change: Change) -> list[Switch]:
    name = change.form.text("switch")
    if name == ALL:
        return list(Switch)
    if name not in set(Switch):
        raise misused("there is no such switch")
    return [Switch(name)]


def _told(switches: list[Switch]) -> str:
    return ", ".join(WORK[switch].lower() for switch in switches)
