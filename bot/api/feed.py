"""The history over HTTP, for those who may read it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from bot.api.auth import device_of
from bot.ledger.feed import Filter
from bot.ledger.ledger import Ledger
from bot.ledger.views import Device, Moved
from guardrails.access import Action, check_access
from guardrails.documents import Kind
from guardrails.transitions import Status
from guardrails.wire import API_VERSION

MOST_MOVES = 500


def feed_routes(ledger: Ledger) -> APIRouter:
    """GET /api/moves: the moves after a sequence number, and the number to go on from."""
    routes = APIRouter()
    Caller = Annotated[Device, Depends(device_of(ledger))]

    @routes.get("/api/moves")
    def moves(
        caller: Caller,
        after: Annotated[int, Query(ge=0, lt=2**63)] = 0,
        limit: Annotated[int, Query(ge=1, le=MOST_MOVES)] = 100,
        status: Annotated[list[Status] | None, Query()] = None,
        kind: Kind | None = None,
    ) -> dict[str, object]:
        check_access(caller.caller, Action.READ)
        found = ledger.feed.after(after, limit, Filter(kind, tuple(status or ())))
        return {
            "api_version": API_VERSION,
            "moves": [move_json(move) for move in found],
            "next": found[-1].seq if found else after,
        }

    return routes


def move_json(move: Moved) -> dict[str, object]:
    """A move as JSON, the same wherever moves are told to programs."""
    return {
        "seq": move.seq,
        "at": move.at.isoformat(),
        "document": move.document_id,
        "kind": move.kind.value,
        "move": move.name,
        "from": move.from_status.value if move.from_status else None,
        "to": move.to_status.value,
        "version": move.version,
        "actor": move.actor.value,
        "device": move.device,
        "reason": move.reason.value,
        "detail": move.detail,
        "claim": move.claim_id,
    }
