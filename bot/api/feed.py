"""The history over HTTP, for those who may read it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from bot.api.asked import WhichMoves
from bot.api.bodies import parse_query
from bot.api.operators import OperationsOf, OperatorsRoute, given_to, in_our_version
from bot.ledger.ledger import Ledger
from bot.operations.moves import move_json
from bot.operations.port import Operations
from guardrails.access import Action
from guardrails.wire import API_VERSION


def feed_routes(ledger: Ledger, operations_of: OperationsOf) -> APIRouter:
    """GET /api/moves: the moves after a sequence number, and the number to go on from."""
    routes = APIRouter(route_class=OperatorsRoute, dependencies=[Depends(in_our_version)])
    Reader = Annotated[Operations, Depends(given_to(ledger, operations_of, Action.READ))]

    @routes.get("/api/moves")
    def moves(request: Request, reader: Reader) -> dict[str, object]:
        which = parse_query(WhichMoves, request.query_params)
        found = reader.moves(which.after, which.limit, which.wanted)
        return {
            "api_version": API_VERSION,
            "moves": [move_json(move) for move in found],
            # Lower than what was asked for where the ledger was restored, and numbers are given anew.
            "next": found[-1].seq if found else min(which.after, reader.last_move()),
        }

    return routes
