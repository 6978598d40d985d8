"""The pages on our own host name: an app in its frame, its source, and what to say when there is none."""

from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import JSONResponse, RedirectResponse, Response

from bot.ledger.ledger import Ledger
from bot.pages.asks import ask_routes, front_alone
from bot.pages.drawing import READ, Drawing
from bot.pages.source import sources_of
from bot.pages.standing import Live, Nothing, standing_of


def site_routes(ledger: Ledger, drawing: Drawing, apps_url: str, *, asks: bool = True) -> APIRouter:
    """Front page, app pages, sources, styles and /health; where `asks`, how each ask stands, too."""
    routes = APIRouter()
    routes.include_router(ask_routes(ledger, drawing, apps_url) if asks else front_alone(ledger, drawing))

    @routes.api_route("/health", methods=READ)
    def health() -> Response:
        ledger.db.time()
        return JSONResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})

    @routes.api_route("/-/{name}", methods=READ)
    def static(name: str) -> Response:
        return drawing.static(name) or drawing.absent(Nothing())

    @routes.api_route("/{slug}", methods=READ)
    def page(slug: str) -> Response:
        standing = standing_of(ledger, slug)
        return drawing.page(standing) if isinstance(standing, Live) else drawing.absent(standing)

    @routes.api_route("/{slug}/", methods=READ)
    def page_with_slash(slug: str) -> Response:
        standing = standing_of(ledger, slug)
        if not isinstance(standing, Live):
            return drawing.absent(standing)
        return RedirectResponse(f"{apps_url}/{standing.app.slug}", HTTPStatus.PERMANENT_REDIRECT)

    @routes.api_route("/{slug}/source", methods=READ)
    def source(slug: str) -> Response:
        standing = standing_of(ledger, slug)
        if not isinstance(standing, Live):
            return drawing.absent(standing)
        return drawing.source(standing, sources_of(ledger, standing))

    @routes.api_route("/{rest:path}", methods=READ)
    def elsewhere() -> Response:
        return drawing.absent(Nothing())

    return routes
