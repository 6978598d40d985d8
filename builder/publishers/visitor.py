"""Looks at a published app as the public does: whether each file answers with the very bytes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

import httpx
import stamina

from builder.deadline import exchange_within
from builder.workspace import sha256_of
from guardrails.bundle import content_type, printable

_HOPS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# What browsers insist on; other files may go under any type that is no page's and no drawing's.
_STRICT = frozenset(
    {"text/html", "text/css", "text/javascript", "image/svg+xml", "application/wasm", "application/json"}
)
_ACTIVE = frozenset({"text/html", "application/xhtml+xml", "text/xml", "application/xml", "image/svg+xml"})
_SCRIPT = frozenset({"application/javascript", "application/x-javascript"})


@dataclass(frozen=True)
class Patience:
    """How long one file may take, and how long a place may take to show what was stored there."""

    file_seconds: float = 20.0
    place_seconds: float = 60.0


class Visitor:
    """A client without any token. `new_token` gives what no cache has seen before."""

    def __init__(self, http: httpx.Client, patience: Patience, new_token: Callable[[], str]) -> None:
        self._http = http
        self._patience = patience
        self._new_token = new_token

    def problem(self, folder: str, files: Mapping[str, bytes]) -> str | None:
        """What is not to be had below an address that ends in a slash, once patience is over; None when all is."""
        left = sorted(files)
        try:
            for attempt in stamina.retry_context(
                on=_NotRight, attempts=None, timeout=self._patience.place_seconds, wait_max=10.0
            ):
                with attempt:
                    while left:
                        self._see(folder, left[0], files[left[0]])
                        del left[0]
        except _NotRight as problem:
            return str(problem)
        return None

    def _see(self, folder: str, name: str, content: bytes) -> None:
        url = httpx.URL(folder + name).copy_set_param("fresh", self._new_token())
        status, headers, found = self._get(url, name, len(content))
        for _ in range(_HOPS):
            if status not in _REDIRECTS:
                break
            # Some places answer for index.html at its folder.
            url = _within(url, headers.get("Location", ""), name)
            status, headers, found = self._get(url, name, len(content))
        if status != httpx.codes.OK:
            raise _NotRight(f"{printable(name)}: the public address answers {status}")
        if sha256_of(found) != sha256_of(content):
            raise _NotRight(f"{printable(name)}: the public address answers with other bytes")
        served, _, parameters = headers.get("Content-Type", "").lower().partition(";")
        if not _fits(served.strip(), content_type(name)) or _is_of_another_charset(parameters):
            raise _NotRight(f"{printable(name)}: served as {served[:40]!a}, not as {content_type(name)}")

    def _get(self, url: httpx.URL, name: str, size: int) -> tuple[int, httpx.Headers, bytes]:
        seconds = self._patience.file_seconds
        found = bytearray()
        with exchange_within(seconds) as exchange:
            try:
                with self._http.stream(
                    "GET",
                    url,
                    # One connection a file: the end of its time ends its connection, and no other.
                    headers={"Connection": "close"},
                    timeout=seconds,
                    follow_redirects=False,
                    extensions={"trace": exchange.trace},
                ) as response:
                    for chunk in response.iter_bytes():
                        found += chunk
                        if len(found) > size:
                            break
                    return response.status_code, response.headers, bytes(found)
            except (httpx.TransportError, httpx.DecodingError) as problem:
                raise _NotRight(f"{printable(name)}: cannot be had ({type(problem).__name__})") from problem


class _NotRight(Exception):
    """A file is not there, or is not what it should be: not yet, perhaps."""


def _within(url: httpx.URL, location: str, name: str) -> httpx.URL:
    try:
        there = httpx.URL(urljoin(str(url), location))
    except (httpx.InvalidURL, ValueError):
        there = httpx.URL("")
    if (there.scheme, there.host, there.port) != (url.scheme, url.host, url.port):
        raise _NotRight(f"{printable(name)}: the public address leads to another place")
    return there


def _fits(served: str, expected: str) -> bool:
    expected = expected.partition(";")[0]
    if expected in _STRICT:
        return served == expected or (expected == "text/javascript" and served in _SCRIPT)
    return served != "" and served not in _ACTIVE


def _is_of_another_charset(parameters: str) -> bool:
    charset = parameters.partition("charset=")[2].partition(";")[0].strip().strip('"')
    return charset not in ("", "utf-8", "utf8", "us-ascii")
