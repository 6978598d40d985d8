"""The page of what came in and could not be read, as it came; nothing in it is markup or leads anywhere."""

import json
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from bot.console.console import Console
from bot.console.visits import Visit

LISTED = 100


def parked_routes(console: Console) -> APIRouter:
    """GET /parked."""
    routes = APIRouter()

    @routes.get("/parked")
    def parked(request: Request, visit: Annotated[Visit, Depends(console.signed_in)]) -> Response:
        found = visit.operations.parked(LISTED + 1)
        raw = {each.digest: json.dumps(each.raw, indent=1) for each in found if each.raw}
        return console.show(request, visit, "parked.html", items=found[:LISTED], raw=raw, more=len(found) > LISTED)

    return routes
