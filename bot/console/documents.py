"""The list of documents: filtered by its address, in pages that begin after a place, told anew as they move."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from bot.console.console import Console
from bot.console.deeds import SAID, TO_MANY
from bot.console.filters import address, filters_of, trail_of
from bot.console.links import document_path
from bot.console.visits import Visit
from bot.errors import NoSuchDocument
from bot.ledger.views import Document
from guardrails.access import Role
from guardrails.transitions import Reason, Status

PAGE = 50
# What is typed into the search and names one document leads to it.
_NAMES = ("at://", "http://", "https://", "mention:")


def documents_routes(console: Console) -> APIRouter:
    """GET /documents, and what has changed in a page of it since it was drawn."""
    routes = APIRouter()
    In = Annotated[Visit, Depends(console.signed_in)]

    @routes.get("/documents")
    def documents(request: Request, visit: In) -> Response:
        sent = sent_of(request)
        filters, trail = filters_of(sent), trail_of(sent)
        named = _named(visit, filters.text)
        if named is not None:
            return RedirectResponse(document_path(named.id), HTTPStatus.SEE_OTHER)
        selection = filters.selection(visit.at)
        # Before the page is read: what moves in between is told by the stream once more.
        last = visit.operations.last_move()
        page = visit.operations.page(selection, PAGE, trail.place)
        return console.show(
            request,
            visit,
            "documents.html",
            last=last,
            filters=filters,
            fields=filters.fields,
            documents=page.documents,
            counted=visit.operations.count(selection),
            trail=trail,
            back=address(filters, trail.back) if trail.places else None,
            first=address(filters),
            next=address(filters, trail.on(page.next)) if page.next else None,
            lanes=[device for device in visit.operations.devices() if device.role is Role.LANE],
            statuses=list(Status),
            reasons=list(Reason),
            deeds=[(deed.value, SAID[deed].button) for deed in TO_MANY],
            path=document_path,
        )

    @routes.get("/documents/changes")
    def changes(request: Request, visit: In, id: Annotated[list[str] | None, Query()] = None) -> Response:
        sent = sent_of(request)
        page = visit.operations.page(filters_of(sent).selection(visit.at), PAGE, trail_of(sent).place)
        found: dict[str, Document] = {document.id: document for document in page.documents}
        asked = [found.get(each) or _found(visit, each) for each in (id or [])[:PAGE]]
        facts = {"visit": visit, "at": visit.at, "here": request.url.path, "path": document_path}
        rows = console.drawing.text(
            "documents_rows.html", {**facts, "documents": [document for document in asked if document is not None]}
        )
        return JSONResponse({"rows": rows, "ids": list(found)}, headers={"Cache-Control": "no-store"})

    return routes


def sent_of(request: Request) -> Mapping[str, Sequence[str]]:
    """Every value of every field of an address."""
    query = request.query_params
    return {name: query.getlist(name) for name in query}


def _found(visit: Visit, document_id: str) -> Document | None:
    try:
        return visit.operations.find(document_id)
    except NoSuchDocument:
        return None


def _named(visit: Visit, text: str) -> Document | None:
    return _found(visit, text) if text.startswith(_NAMES) else None
