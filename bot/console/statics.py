"""Styles, scripts and what is vendored: read once, served below a digest of it all, so that a browser may keep it."""

import hashlib
from collections.abc import Iterator
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response

KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_FOREVER = "public, max-age=31536000, immutable"
_SHOWN = 12


class Statics:
    """The files of `static/` by their names, as `console.css` or `vendor/htmx.min.js`."""

    def __init__(self) -> None:
        self._files = dict(_read(files("bot.console") / "static", ""))
        digest = hashlib.sha256()
        for name, content in sorted(self._files.items()):
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
        self._version = digest.hexdigest()[:_SHOWN]

    def url(self, name: str) -> str:
        """Where a file is found; KeyError for one that is not there."""
        self._files[name]
        return f"/console/static/{self._version}/{name}"

    def routes(self) -> APIRouter:
        """GET of each file, for everybody: nothing in them is secret."""
        routes = APIRouter()

        @routes.api_route("/static/{version}/{name:path}", methods=["GET", "HEAD"])
        def static(version: str, name: str) -> Response:
            if version != self._version or name not in self._files:
                return PlainTextResponse("There is no such file.\n", HTTPStatus.NOT_FOUND)
            headers = {"Content-Type": KINDS[_suffix(name)], "Cache-Control": _FOREVER}
            return Response(self._files[name], headers=headers)

        return routes


def _read(folder: Traversable, below: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _read(entry, f"{below}{entry.name}/")
        elif _suffix(entry.name) in KINDS:
            yield f"{below}{entry.name}", entry.read_bytes()


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]
