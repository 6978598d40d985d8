"""Answers a browser's requests from an app's files, as they are served to the public; every other one is noted."""

from collections.abc import Mapping
from html import escape
from typing import Final
from urllib.parse import unquote, urlsplit

from playwright.async_api import Route, WebSocketRoute

from builder.checks.notes import Notes
from guardrails.bundle import INDEX, content_type, printable
from guardrails.policy import DENIED_FEATURES, SANDBOX, content_security_policy

OUTER: Final = "https://apps.example"
_ORIGIN: Final = "https://app.apps.invalid"
# Below a folder, where some publishers serve: a reference that starts at the host's root is found missing.
APP: Final = f"{_ORIGIN}/app/~1/"
_HTML = "text/html; charset=utf-8"
_PAGE = f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>App</title>
<style>
html, body, iframe {{ margin: 0; border: 0; width: 100%; height: 100%; display: block; overflow: hidden }}
</style>
<iframe src="{escape(APP)}" title="App" sandbox="{SANDBOX}" allow="autoplay; clipboard-write; gamepad; screen-wake-lock"
 referrerpolicy="no-referrer"></iframe>"""


class Site:
    """The page that holds the frame, and the app in it."""

    def __init__(self, files: Mapping[str, bytes], notes: Notes, device: str) -> None:
        self._files = files
        self._notes = notes
        self._device = device

    async def answer(self, route: Route) -> None:
        """Answer one request, whoever makes it."""
        url = route.request.url
        if url.startswith(("data:", "blob:")):
            await route.fallback()
        elif url.startswith(f"{OUTER}/"):
            body = _PAGE if url == f"{OUTER}/" else ""
            await route.fulfill(body=body, headers={"Content-Type": _HTML, "Referrer-Policy": "no-referrer"})
        elif url.startswith(f"{_ORIGIN}/"):
            await self._file(route, urlsplit(url).path)
        else:
            self.note_outside(url, "leaves for" if route.request.is_navigation_request() else "asks for")
            await route.abort("aborted")

    async def socket(self, socket: WebSocketRoute) -> None:
        """Note a WebSocket, and shut it."""
        self.note_outside(socket.url, "opens a connection to")
        await socket.close()

    def note_outside(self, url: str, how: str) -> None:
        """Note an attempt at the network."""
        self._notes.finding(f"the network: {how} {printable(url)}", self._device)

    async def _file(self, route: Route, path: str) -> None:
        prefix = urlsplit(APP).path
        name = unquote(path.removeprefix(prefix)) or INDEX if path.startswith(prefix) else None
        content = self._files.get(name) if name is not None else None
        headers = {
            "Content-Security-Policy": content_security_policy(OUTER),
            "Permissions-Policy": DENIED_FEATURES,
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-DNS-Prefetch-Control": "off",
        }
        if name is None or content is None:
            asked = name if name is not None else path
            self._notes.finding(f"a file that is not there: {printable(asked)}", self._device)
            await route.fulfill(status=404, body="", headers={**headers, "Content-Type": "text/plain"})
            return
        await route.fulfill(body=content, headers={**headers, "Content-Type": content_type(name)})
