"""How asks stand, for anybody: a field on the front page that takes the link of a post, and a page for each ask."""

from http import HTTPStatus

from fastapi import APIRouter
from fastapi.responses import RedirectResponse, Response

from bot.ledger.ledger import Ledger
from bot.pages.drawing import READ, Drawing
from bot.pages.progress import page_for, progress_at
from bot.pages.standing import resting_since
from bot.public import FOLDER


def ask_routes(ledger: Ledger, drawing: Drawing, apps_url: str) -> APIRouter:
    """The front page, and the pages of asks."""
    routes = APIRouter()

    @routes.api_route("/", methods=READ)
    def front(post: str = "") -> Response:
        pasted = post.strip()
        page = page_for(ledger, pasted) if pasted else None
        if page is None:
            return drawing.front(resting_since(ledger), pasted=pasted)
        headers = {"Cache-Control": "no-store"}
        return RedirectResponse(f"{apps_url}/{FOLDER}/{page}", HTTPStatus.SEE_OTHER, headers)

    @routes.api_route(f"/{FOLDER}/{{page}}", methods=READ)
    def ask(page: str) -> Response:
        found = progress_at(ledger, page)
        return drawing.progress(found) if found is not None else drawing.no_page()

    return routes


def front_alone(ledger: Ledger, drawing: Drawing) -> APIRouter:
    """The front page where nobody is to see how asks stand."""
    routes = APIRouter()

    @routes.api_route("/", methods=READ)
    def front() -> Response:
        return drawing.front(resting_since(ledger), asks=False)

    return routes
