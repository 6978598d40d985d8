"""An app's own host: the files of its live version, shut in: it reaches nothing, its page and the console frame it."""

import re
from http import HTTPStatus
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response

from bot.hosts import host_name
from bot.ledger.hosting import AppFile
from bot.ledger.ledger import Ledger
from bot.pages.standing import Gone, Live, standing_of
from guardrails.bundle import INDEX, content_type, name_problem
from guardrails.policy import DENIED_FEATURES, content_security_policy

# No name in a bundle begins with this sign.
_VERSIONED = re.compile(r"~(\d{1,9})/(.*)", re.DOTALL)
_ANEW_EACH_TIME = "no-cache"
_PORTS = {"http": 80, "https": 443}
NO_APP = "There is no app here."
_FOREVER = "public, max-age=31536000, immutable"


def file_routes(ledger: Ledger, apps_url: str, page_host: str, console_url: str = "") -> APIRouter:
    """Every path of every app's host. `/~3/…` is version 3 for as long as it is live, other paths the live one.

    The pages at `apps_url` frame an app, and the console at `console_url` does, which only a frame of its own is told.
    """
    routes = APIRouter()
    for_pages, for_console = _headers(apps_url), _headers(f"{apps_url} {console_url}")
    console = _origin(console_url)

    @routes.api_route("/{path:path}", methods=["GET", "HEAD"])
    def file(request: Request, path: str) -> Response:
        slug = host_name(request.headers.get("Host", "")).removesuffix(f".{page_host}")
        from_console = console is not None and _origin(request.headers.get("Referer", "")) == console
        headers = for_console if from_console else for_pages
        if request.headers.get("Service-Worker") is not None:
            return _plain(HTTPStatus.FORBIDDEN, "Apps have no service workers.", headers)
        if request.headers.get("Sec-Fetch-Dest") == "document":
            page = f"{apps_url}/{slug}"
            return RedirectResponse(page, HTTPStatus.FOUND, {**headers, "Cache-Control": _ANEW_EACH_TIME})
        standing = standing_of(ledger, slug)
        if isinstance(standing, Gone):
            return _plain(HTTPStatus.GONE, standing.why, headers)
        if not isinstance(standing, Live):
            return _plain(HTTPStatus.NOT_FOUND, NO_APP, headers)
        if standing.app.address is not None:
            # What was uploaded is there to be judged and read; what people open is what was published.
            return _plain(HTTPStatus.NOT_FOUND, "This app lives elsewhere; its page shows it.", headers)
        return _file_of(ledger, standing, path, request.headers.get("If-None-Match", ""), headers)

    return routes


def _file_of(ledger: Ledger, live: Live, path: str, known: str, headers: dict[str, str]) -> Response:
    versioned = _VERSIONED.fullmatch(path)
    name = (versioned[2] if versioned else path) or INDEX
    right_version = versioned is None or int(versioned[1]) == live.version
    found = ledger.hosting.file(live.app.slug, live.version, name) if right_version and not name_problem(name) else None
    if found is None:
        return _plain(HTTPStatus.NOT_FOUND, "The app has no such file.", headers)
    return _answer(found, known, immutable=versioned is not None, headers=headers)


def _answer(file: AppFile, known: str, *, immutable: bool, headers: dict[str, str]) -> Response:
    kind = content_type(file.path)
    # A page is asked for each time, so that a take-down holds at once; what only pages use may be kept.
    lasting = immutable and not kind.startswith(("text/html", "image/svg"))
    tag = f'"{file.sha256[:32]}"'
    told = {**headers, "ETag": tag, "Cache-Control": _FOREVER if lasting else _ANEW_EACH_TIME}
    if tag in {given.strip().removeprefix("W/") for given in known.split(",")}:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=told)
    return Response(file.content, headers={**told, "Content-Type": kind})


def _plain(status: HTTPStatus, text: str, headers: dict[str, str]) -> Response:
    return PlainTextResponse(f"{text}\n", status, {**headers, "Cache-Control": _ANEW_EACH_TIME})


def _origin(url: str) -> tuple[str, str, int | None] | None:
    """Scheme, host and port of an address, however it is written; None for what has none."""
    try:
        parts = urlsplit(url)
        return (parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)) if parts.hostname else None
    except ValueError:
        return None


def _headers(framed_by: str) -> dict[str, str]:
    return {
        "Content-Security-Policy": content_security_policy(framed_by),
        "Cross-Origin-Resource-Policy": "same-origin",
        "Origin-Agent-Cluster": "?1",
        "Permissions-Policy": DENIED_FEATURES,
        "Referrer-Policy": "no-referrer",
        # The answer depends on who asks: a document of its own is sent to the page, and the console may frame it.
        "Vary": "Referer, Sec-Fetch-Dest, Service-Worker",
        "X-Content-Type-Options": "nosniff",
        "X-DNS-Prefetch-Control": "off",
    }
