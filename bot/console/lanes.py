"""The page of the lanes: who builds what, and what waits."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from bot.console.console import Console
from bot.console.problems import is_part
from bot.console.visits import Visit


def lanes_routes(console: Console) -> APIRouter:
    """GET /lanes whole, or its live part for who asks for a part."""
    routes = APIRouter()

    @routes.get("/lanes")
    def lanes(request: Request, visit: Annotated[Visit, Depends(console.signed_in)]) -> Response:
        template = "lanes_live.html" if is_part(request) else "lanes.html"
        return console.show(request, visit, template, overview=visit.operations.overview())

    return routes
