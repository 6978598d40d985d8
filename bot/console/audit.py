"""The page of the audit log: what operators did, which nobody edits."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from bot.console.console import Console
from bot.console.visits import Visit

A_PAGE = 100


def audit_routes(console: Console) -> APIRouter:
    """GET /audit: a page, newest first, of those before a sequence number."""
    routes = APIRouter()

    @routes.get("/audit")
    def audit(
        request: Request,
        visit: Annotated[Visit, Depends(console.signed_in)],
        before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
    ) -> Response:
        found = visit.operations.audit(before, A_PAGE + 1)
        rows = found[:A_PAGE]
        older = rows[-1].seq if len(found) > A_PAGE else None
        return console.show(request, visit, "audit.html", rows=rows, older=older, first=before is None)

    return routes
