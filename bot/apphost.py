"""The apps listener: the thin page of each app on our own host name, and each app on one of its own below it."""

from http import HTTPStatus
from urllib.parse import urlsplit

import structlog
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.hosts import host_name
from bot.ledger.ledger import Ledger
from bot.pages.certificates import PATH as CERTIFICATE
from bot.pages.certificates import certificate_routes
from bot.pages.drawing import Drawing
from bot.pages.files import file_routes
from bot.pages.site import site_routes

NOT_NOW = "This page is not to be had just now. Try again in a few seconds.\n"
_RETRY_SECONDS = "5"
log = structlog.get_logger()


def apps_app(
    ledger: Ledger,
    apps_url: str,
    *,
    web_url: str = "https://bsky.app",
    contact: str = "",
    status_pages: bool = True,
    console_url: str = "",
) -> FastAPI:
    """The apps listener for a public address like `https://apps.example`.

    `web_url` is where links to posts lead, `contact` a mail address or a link for reports. `status_pages`: whether
    anybody may see how an ask stands. `console_url`: where operators try an app in a frame, as its page shows it.
    """
    page_host = urlsplit(apps_url).hostname or ""
    site = _bare("Skywright apps")
    site.include_router(site_routes(ledger, Drawing(apps_url, web_url, contact), apps_url, asks=status_pages))
    files = _bare("Skywright app files")
    files.include_router(file_routes(ledger, apps_url, page_host, console_url))
    front = _bare("Skywright host names")
    front.include_router(certificate_routes(ledger, page_host))
    site.add_middleware(ByHost, files=files, front=front, page_host=page_host)
    return site


class ByHost:
    """Sends a call to the page's site or to an app, by the name that it was called by.

    Other names get nothing but what the machines in front ask for: health, and which names may have a certificate.
    """

    def __init__(self, app: ASGIApp, files: ASGIApp, front: ASGIApp, page_host: str) -> None:
        self._site = app
        self._files = files
        self._front = front
        self._page_host = page_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a call on. /health is answered under any name that is no app's, since load balancers call by address."""
        await self._receiver(scope)(scope, receive, send)

    def _receiver(self, scope: Scope) -> ASGIApp:
        if scope["type"] != "http":
            return self._site
        name = host_name(Headers(scope=scope).get("host", ""))
        if name.endswith(f".{self._page_host}"):
            return self._files
        if name == self._page_host or scope["path"] == "/health":
            return self._site
        if scope["path"] == CERTIFICATE:
            return self._front
        return PlainTextResponse("This listener does not answer to that name.\n", HTTPStatus.MISDIRECTED_REQUEST)


def _bare(title: str) -> FastAPI:
    app = FastAPI(title=title, openapi_url=None, redirect_slashes=False)
    app.add_exception_handler(SQLAlchemyError, _database_away)
    return app


async def _database_away(request: Request, error: Exception) -> Response:
    # The kind only: a database's error quotes the statement and its values.
    log.warning("page_failed", path=request.url.path, error=type(error).__name__)
    headers = {"Retry-After": _RETRY_SECONDS, "Cache-Control": "no-store"}
    return PlainTextResponse(NOT_NOW, HTTPStatus.SERVICE_UNAVAILABLE, headers)
