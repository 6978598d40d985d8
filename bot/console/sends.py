"""The page of the sends: what may be out or not, what stands in its place, and what a person decides about one."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from bot.api.operators import refusal_of
from bot.bluesky.errors import CallFailed, NotAPost
from bot.console.console import Console
from bot.console.links import document_path
from bot.console.problems import is_part
from bot.console.visits import Change, Visit, misused
from bot.errors import AlreadyDone, BotError, LostRace
from bot.follower import Follower
from bot.ledger.views import Send
from bot.operations.port import Settling
from bot.operations.sends import at_risk, can_be_decided, gist, state_of, why_of
from guardrails.documents import AtUri

# How many unsettled sends are shown, and how many of the newest.
LISTED = 100
BUTTONS = {
    Settling.AGAIN: "Try again",
    Settling.ABANDON: "Abandon",
    Settling.SENT: "It is out",
}
# What the templates tell of a send.
WORDS: Mapping[str, object] = MappingProxyType(
    {
        "state_of": state_of,
        "gist": gist,
        "why_of": why_of,
        "can_be_decided": can_be_decided,
        "buttons": BUTTONS,
        "path": document_path,
        "frozen": lambda send: json.dumps(send.record, indent=1),
    }
)


def sends_routes(console: Console, follower: Follower) -> APIRouter:
    """GET /sends; POST to it shows what a decision puts at risk, and POST /sends/decided makes it."""
    routes = APIRouter()
    Changing = Annotated[Change, Depends(console.change)]

    @routes.get("/sends")
    def sends(request: Request, visit: Annotated[Visit, Depends(console.signed_in)], all: str = "") -> Response:
        return _page(console, request, visit, everything=bool(all))

    @routes.post("/sends")
    def confirm(request: Request, change: Changing) -> Response:
        settling, visit = _settling(change), change.visit
        try:
            send = _open_send(change)
            uri = _record(change, send) if settling is Settling.SENT else None
        except (BotError, CallFailed, NotAPost) as problem:
            return _not_decided(console, request, visit, problem)
        told = at_risk(send, settling, uri).splitlines()
        return console.show(
            request,
            visit,
            "sends_confirm.html",
            send=send,
            settling=settling,
            button=BUTTONS[settling],
            told=told,
            uri=uri,
            words=WORDS,
        )

    @routes.post("/sends/decided")
    def decided(request: Request, change: Changing) -> Response:
        settling, key, tries = _settling(change), change.form.text("key"), change.form.text("tries")
        if not (tries.isdecimal() and len(tries) < 10):
            raise misused("this form does not say how the send was seen")
        uri = AtUri(change.form.text("uri")) if settling is Settling.SENT else None
        try:
            send = change.operations.settle(key, settling, int(tries), uri)
        except AlreadyDone:
            raise
        except (BotError, CallFailed, NotAPost) as problem:
            return _not_decided(console, request, change.visit, problem)
        follower.wake()
        return console.back(request, "/sends", f"{send.key}: {state_of(send)}, decided by you: {send.decision}")

    return routes


def _settling(change: Change) -> Settling:
    name = change.form.text("settling")
    if name not in set(Settling):
        raise misused("this form asks for nothing that can be decided")
    return Settling(name)


def _open_send(change: Change) -> Send:
    send = change.operations.send(change.form.text("key"))
    if not can_be_decided(send):
        raise LostRace(f"{send.key} is settled: {state_of(send)}{f' as {send.uri}' if send.uri else ''}")
    return send


def _record(change: Change, send: Send) -> AtUri:
    link = change.form.text("uri")
    if not link:
        raise misused("say which record is out, by its at-uri or link")
    return change.operations.record_of(send.key, link)


def _not_decided(console: Console, request: Request, visit: Visit, problem: Exception) -> Response:
    """The sends as they are now, and why nothing was decided."""
    refusal = refusal_of(problem)
    return _page(console, request, visit, problem=refusal.problem.message, status=refusal.status)


def _page(
    console: Console,
    request: Request,
    visit: Visit,
    *,
    everything: bool = False,
    problem: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    operations = visit.operations
    last, unsettled = operations.last_move(), operations.sends(everything=False, limit=LISTED + 1)
    return console.show(
        request,
        visit,
        "sends_live.html" if is_part(request) else "sends.html",
        status=status,
        last=last,
        sends=unsettled[:LISTED],
        more=len(unsettled) > LISTED,
        newest=operations.sends(everything=True, limit=LISTED) if everything else None,
        problem=problem,
        words=WORDS,
    )
