"""Somebody at the console without a browser: calls as one would make them, and as somebody else's page would."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from bot.console.visits import CSRF, keyed
from bot.tokens import new_action
from tests.bot.serving import client

COOKIE = "skywright"


class Visitor:
    """Whoever holds a session's secret; nobody, where it is empty."""

    def __init__(self, http: httpx.Client, secret: str) -> None:
        self.http = http
        self.secret = secret

    def get(self, path: str, **more: Any) -> httpx.Response:
        """A page, as somebody opens it."""
        return self.http.get(f"/console{path}", **more)

    def status(self, path: str) -> tuple[int, str]:
        """How a page is answered, and where it leads; it is not read to its end, which a stream has not."""
        with self.http.stream("GET", f"/console{path}") as answer:
            return answer.status_code, answer.headers.get("Location", "")

    def part(self, path: str) -> httpx.Response:
        """What a part of an open page asks for by itself."""
        return self.http.get(f"/console{path}", headers={"HX-Request": "true", "Accept": "*/*"})

    def post(self, path: str, fields: dict[str, Any] | None = None, **headers: str) -> httpx.Response:
        """A form as a page of the console sends it, but for what is given otherwise; an empty field is left out."""
        sent = {"csrf": keyed(self.secret, CSRF), "action": new_action()} | (fields or {})
        sent = {name: value for name, value in sent.items() if value != ""}
        named = {"Origin": f"http://{self.http.headers['Host']}"} | headers
        return self.http.post(f"/console{path}", data=sent, headers=named)


@contextmanager
def visitor(port: int, secret: str = "") -> Iterator[Visitor]:
    """Somebody at the console at a port."""
    with client(port, Accept="text/html") as http:
        if secret:
            http.headers["Cookie"] = f"{COOKIE}={secret}"
        yield Visitor(http, secret)
