"""The operators' API: all that the port offers, as a table of calls; each answers `{"api_version", "result"}`.

What reads is a GET with a query, what does something is a POST with a body.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any, Generic, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import BaseModel

from bot.api import asked
from bot.api.bodies import JSON_BYTES, bounded, parse, parse_query
from bot.api.operators import OperationsOf, OperatorsRoute, given_to, in_our_version, told
from bot.ledger.alerts import Alert
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device, Document, Parked, Person, Send
from bot.operations.books import Audited, Cost, Exported
from bot.operations.doing import Outcome, Whole
from bot.operations.port import Asked, Me, Named, Operations, Page
from bot.operations.present import Counted, Overview, SwitchedOn
from bot.operations.stretches import Figures
from guardrails import wire
from guardrails.access import Action
from guardrails.documents import AtUri, Did, DocId

Q = TypeVar("Q", bound=BaseModel)
B = TypeVar("B", bound=wire.Request)


@dataclass(frozen=True)
class Reads(Generic[Q]):
    """A GET: what its query holds, what is looked up, and the type of that."""

    path: str
    query: type[Q]
    result: Any
    look_up: Callable[[Operations, Q], object]


@dataclass(frozen=True)
class Does(Generic[B]):
    """A POST: which action it takes, what its body holds, what is done, and the type of what comes of it."""

    path: str
    action: Action
    body: type[B]
    result: Any
    do: Callable[[Operations, B], object]
    status: HTTPStatus = HTTPStatus.OK


READS: tuple[Reads[Any], ...] = (
    Reads("/api/me", asked.Query, Me, lambda o, _: o.me()),
    Reads("/api/overview", asked.Query, Overview, lambda o, _: o.overview()),
    Reads("/api/documents", asked.WhichPage, Page, lambda o, q: o.page(q.selection, q.limit, q.place)),
    Reads("/api/documents/count", asked.Which, Counted, lambda o, q: o.count(q.selection)),
    Reads("/api/documents/find", asked.Called, Document, lambda o, q: o.find(q.name)),
    Reads("/api/documents/whole", asked.Called, Whole, lambda o, q: o.whole(DocId(q.name))),
    Reads("/api/moves/last", asked.Query, int, lambda o, _: o.last_move()),
    Reads("/api/moves/before", asked.Moment, int, lambda o, q: o.move_before(q.moment)),
    Reads("/api/export", asked.WhichExport, list[Exported], lambda o, q: o.export(q.after, q.limit)),
    Reads("/api/sends", asked.WhichSends, list[Send], lambda o, q: o.sends(everything=q.everything, limit=q.limit)),
    Reads("/api/sends/find", asked.Called, Send, lambda o, q: o.send(q.name)),
    Reads("/api/sends/record", asked.CalledRecord, AtUri, lambda o, q: o.record_of(q.key, q.link)),
    Reads("/api/parked", asked.WhichParked, list[Parked], lambda o, q: o.parked(q.limit)),
    Reads("/api/switches", asked.Query, list[SwitchedOn], lambda o, _: o.switches()),
    Reads("/api/people", asked.Query, list[Person], lambda o, _: o.people()),
    Reads("/api/people/handles", asked.WhichHandles, dict[Did, str], lambda o, q: o.handles(q.dids)),
    Reads("/api/people/who", asked.Called, Named, lambda o, q: o.who(q.name)),
    Reads("/api/devices", asked.Query, list[Device], lambda o, _: o.devices()),
    Reads("/api/costs", asked.WhichCosts, list[Cost], lambda o, q: o.costs(q.since, q.by)),
    Reads("/api/figures", asked.WhichFigures, Figures, lambda o, q: o.figures(q.since, q.until, q.every)),
    Reads("/api/alerts", asked.Query, list[Alert], lambda o, _: o.alerts()),
    Reads("/api/audit", asked.WhichAudit, list[Audited], lambda o, q: o.audit(q.before, q.limit)),
)
_OUTCOMES, _NEW = list[Outcome], HTTPStatus.CREATED
DOES: tuple[Does[Any], ...] = (
    Does("/api/acts", Action.DECIDE, asked.Acts, _OUTCOMES, lambda o, b: o.act(b.acts)),
    Does("/api/asks", Action.INGEST, asked.Ask, Asked, lambda o, b: o.ask(b.link)),
    Does(
        "/api/sends/settle",
        Action.DECIDE,
        asked.Settle,
        Send,
        lambda o, b: o.settle(b.key, b.settling, b.tries, b.uri),
    ),
    Does(
        "/api/switches/pause",
        Action.PAUSE,
        asked.Pause,
        list[DocId],
        lambda o, b: o.pause(b.switches, b.why, now=b.now),
    ),
    Does("/api/switches/resume", Action.RESUME, asked.Resume, None, lambda o, b: o.resume(b.switches)),
    Does(
        "/api/people/lay-down",
        Action.DECIDE,
        asked.LayDown,
        list[DocId],
        lambda o, b: o.lay_down(b.who, b.standing, b.why, b.until),
    ),
    Does("/api/people/lift", Action.DECIDE, asked.Lift, bool, lambda o, b: o.lift(b.who)),
    Does("/api/apps/unpublished", Action.DECIDE, asked.Unpublished, bool, lambda o, b: o.unpublished(b.slug)),
    Does(
        "/api/people/take-down",
        Action.DECIDE,
        asked.TakeDownAuthor,
        _OUTCOMES,
        lambda o, b: o.take_down_author(b.who, b.why, b.action_id, keep_replies=b.keep_replies),
    ),
    Does(
        "/api/devices",
        Action.MANAGE_DEVICES,
        asked.Enrol,
        tuple[Device, str],
        lambda o, b: o.add_device(b.device),
        _NEW,
    ),
    Does(
        "/api/devices/invite",
        Action.MANAGE_DEVICES,
        asked.Enrol,
        tuple[datetime, str],
        lambda o, b: o.invite(b.device),
        _NEW,
    ),
    Does("/api/alerts/try", Action.DECIDE, wire.Request, None, lambda o, _: o.try_alerts()),
    Does("/api/devices/revoke", Action.MANAGE_DEVICES, asked.Revoke, bool, lambda o, b: o.revoke_device(b.device)),
)


def operate_routes(ledger: Ledger, operations_of: OperationsOf) -> APIRouter:
    """Every call of the table, for devices whose role may make it."""
    routes = APIRouter(route_class=OperatorsRoute, dependencies=[Depends(in_our_version)])
    for reads in READS:
        _add_reads(routes, reads, given_to(ledger, operations_of, Action.READ))
    for does in DOES:
        _add_does(routes, does, given_to(ledger, operations_of, does.action))
    return routes


def _add_reads(routes: APIRouter, call: Reads[Any], given: Callable[[Request], Operations]) -> None:
    def answer(request: Request, reader: Annotated[Operations, Depends(given)]) -> Response:
        return told(call.result, call.look_up(reader, parse_query(call.query, request.query_params)))

    routes.add_api_route(call.path, answer, methods=["GET"])


def _add_does(routes: APIRouter, call: Does[Any], given: Callable[[Request], Operations]) -> None:
    def answer(
        operator: Annotated[Operations, Depends(given)], body: Annotated[bytes, Depends(bounded(JSON_BYTES))]
    ) -> Response:
        return told(call.result, call.do(operator, parse(call.body, body)), call.status)

    routes.add_api_route(call.path, answer, methods=["POST"])
