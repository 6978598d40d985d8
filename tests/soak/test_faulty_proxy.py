"""What the proxy does to a call, and what it leaves alone."""

import json
import threading
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from tests.soak.faults import CallKind, Fault, Schedule
from tests.soak.faulty_proxy import PUT, FaultyProxy, faulty_proxy

PATIENCE = 2.0
SAID = b'{"uri":"at://did:plc:wright/app.bsky.feed.post/3k","cid":"bafy"}'
BODY = b'{"repo":"did:plc:wright", "rkey":"3k","swapRecord":null}'


class Pds(ThreadingHTTPServer):
    """A server that takes down what it was asked and always says the same."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.asked: list[tuple[str, str, str | None, bytes]] = []


class _Asked(BaseHTTPRequestHandler):
    server: Pds

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.asked.append((self.command, self.path, self.headers.get("authorization"), body))
        self.send_response_only(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Said", "by the PDS")
        self.end_headers()
        self.wfile.write(SAID)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Once(Schedule):
    """Deals one fault to the first call."""

    def __init__(self, fault: Fault | None) -> None:
        super().__init__(seed=0, in_a_row=1)
        self._fault = fault

    def deal(self, kind: CallKind, key: Hashable) -> Fault | None:
        fault, self._fault = self._fault, None
        return fault


@pytest.fixture
def pds() -> Iterator[Pds]:
    with Pds() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@contextmanager
def spoiled(pds: Pds, fault: Fault | None) -> Iterator[tuple[FaultyProxy, httpx.Client]]:
    """The proxy, and a caller with a session and little patience."""
    with (
        faulty_proxy(f"http://127.0.0.1:{pds.server_port}", Once(fault), delay_seconds=PATIENCE * 10) as proxy,
        httpx.Client(
            base_url=proxy.url, headers={"Authorization": "Bearer token"}, timeout=PATIENCE, trust_env=False
        ) as client,
    ):
        yield proxy, client


def put(client: httpx.Client) -> httpx.Response:
    return client.post(f"/xrpc/{PUT}", content=BODY, headers={"Content-Type": "application/json"})


def test_a_call_passes_byte_for_byte(pds: Pds) -> None:
    """Path, parameters, session and body on the way in; status, headers and body on the way out."""
    with spoiled(pds, None) as (proxy, client):
        answer = put(client)
        listed = client.get("/xrpc/com.atproto.repo.listRecords?repo=did%3Aplc%3Awright&limit=2")

    assert (200, "by the PDS", SAID, SAID) == (
        answer.status_code,
        answer.headers["x-said"],
        answer.content,
        listed.content,
    )
    assert [
        ("POST", f"/xrpc/{PUT}", "Bearer token", BODY),
        ("GET", "/xrpc/com.atproto.repo.listRecords?repo=did%3Aplc%3Awright&limit=2", "Bearer token", b""),
    ] == pds.asked
    assert not proxy.unclear


@pytest.mark.parametrize(
    ("fault", "asked"), [(Fault.DROP_REQUEST, 0), (Fault.DROP_ANSWER, 1), (Fault.DELAY, 1), (Fault.CLOSE_MID_BODY, 1)]
)
def test_an_answer_is_lost(pds: Pds, fault: Fault, asked: int) -> None:
    """The caller cannot tell whether the PDS was asked; the next call goes through."""
    with spoiled(pds, fault) as (proxy, client):
        with pytest.raises(httpx.TransportError):
            put(client)
        assert asked == len(pds.asked)
        assert 200 == put(client).status_code

    assert {"3k": [fault.value]} == proxy.unclear


@pytest.mark.parametrize(
    ("fault", "asked", "status", "kind"),
    [(Fault.BAD_GATEWAY, 0, 502, "text/html"), (Fault.ERROR_AFTER_COMMIT, 1, 500, "application/json; charset=utf-8")],
)
def test_an_error_takes_the_answers_place(pds: Pds, fault: Fault, asked: int, status: int, kind: str) -> None:
    """A gateway's for a call that never came through, the PDS's own for one that was done."""
    with spoiled(pds, fault) as (proxy, client):
        answer = put(client)

    assert (status, kind, asked) == (answer.status_code, answer.headers["content-type"], len(pds.asked))
    assert {"3k": [fault.value]} == proxy.unclear


def test_a_rate_limit_names_its_end(pds: Pds) -> None:
    """As an epoch, a moment ahead; that nothing was done is clear."""
    with spoiled(pds, Fault.RATE_LIMIT) as (proxy, client):
        answer = put(client)

    assert (429, "RateLimitExceeded") == (answer.status_code, json.loads(answer.content)["error"])
    assert 0 < int(answer.headers["ratelimit-reset"]) - time.time() <= 2
    assert ([], {}) == (pds.asked, proxy.unclear)


def test_whoever_waits_for_a_commit_acts_before_its_answer(pds: Pds) -> None:
    """Once: the record is stored, nobody hears of it, and the next put is answered."""
    stored: list[int] = []
    with spoiled(pds, None) as (proxy, client):
        proxy.at_next_commit(lambda: stored.append(len(pds.asked)))
        with pytest.raises(httpx.TransportError):
            put(client)
        assert 200 == put(client).status_code

    assert [1] == stored
    assert {"3k": ["killed"]} == proxy.unclear
