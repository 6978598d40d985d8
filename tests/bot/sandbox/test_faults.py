"""Scripted faults, over real connections."""

import logging
import socket
import threading
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx
import pytest

from bot.sandbox.faults import Fault, FaultKind
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import POST, SandboxAccount
from tests.bot.sandbox.api import GET, KEY, LIST, OTHER_KEY, PUT, Api, error
from tests.clock import Clock

RECORD = {"$type": POST, "text": "Built!", "createdAt": "2026-11-29T11:38:50.211Z"}
DESCRIBE = "com.atproto.server.describeServer"


def keys(network: SandboxNetwork, account: SandboxAccount) -> list[str]:
    """The keys of what is in the repository."""
    return [record["uri"].rsplit("/", 1)[1] for record in network.repo(account.did)]


@pytest.mark.parametrize(("kind", "done"), [("drop_request", False), ("drop_answer", True), ("close_mid_body", True)])
def test_a_cut_connection_leaves_the_client_in_doubt(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, kind: FaultKind, done: bool
) -> None:
    """The same error for the client, whether the record was written or not; the next call goes well."""
    network.faults.append(Fault(PUT, kind))

    with pytest.raises(httpx.RemoteProtocolError):
        as_bot.put(bot.did, RECORD)

    assert [KEY] * done == keys(network, bot)
    assert [] == network.faults
    assert 200 == as_bot.put(bot.did, RECORD, OTHER_KEY).status_code


def test_half_an_answer_arrives_before_the_cut(network: SandboxNetwork, api: Api) -> None:
    """The length promises more than comes."""
    network.faults.append(Fault(DESCRIBE, "close_mid_body"))

    with api.http.stream("GET", f"/xrpc/{DESCRIBE}") as answer:
        promised = int(answer.headers["content-length"])
        received: list[bytes] = []
        with pytest.raises(httpx.RemoteProtocolError):
            received.extend(answer.iter_bytes())

    assert 200 == answer.status_code
    assert 0 < len(b"".join(received)) < promised


def test_broken_json_is_an_answer_that_calls_itself_complete(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount
) -> None:
    """200, and no JSON; the record is there."""
    network.faults.append(Fault(PUT, "broken_json"))

    answer = as_bot.put(bot.did, RECORD)

    assert 200 == answer.status_code
    with pytest.raises(ValueError, match=r"."):
        answer.json()
    assert [KEY] == keys(network, bot)


def test_an_error_after_the_commit_looks_like_any_other(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount
) -> None:
    """500, and the record is there."""
    network.faults.append(Fault(PUT, "error_after_commit"))

    assert (500, "InternalServerError", "Internal Server Error") == error(as_bot.put(bot.did, RECORD))
    assert [KEY] == keys(network, bot)


def test_a_scripted_status_has_no_effect(network: SandboxNetwork, as_bot: Api, bot: SandboxAccount) -> None:
    """Any status with any body: JSON as scripted, or a proxy's page."""
    network.faults += [
        Fault(PUT, "status", status=400, body={"error": "InvalidRequest", "message": "no"}),
        Fault(PUT, "status", status=502, body="<h1>Bad gateway</h1>", html=True, headers={"retry-after": "3"}),
        Fault(PUT, "status"),
    ]

    assert (400, "InvalidRequest", "no") == error(as_bot.put(bot.did, RECORD))
    page = as_bot.put(bot.did, RECORD)
    assert (502, "text/html; charset=utf-8", "<h1>Bad gateway</h1>", "3") == (
        page.status_code,
        page.headers["content-type"],
        page.text,
        page.headers["retry-after"],
    )
    assert 503 == as_bot.put(bot.did, RECORD).status_code
    assert [] == keys(network, bot)


def test_a_rate_limit_says_when_to_come_back(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, clock: Clock
) -> None:
    """429 with the seconds to wait and the moment in epoch seconds."""
    network.faults.append(Fault(PUT, "rate_limit", seconds=290))

    refused = as_bot.put(bot.did, RECORD)

    assert (429, "RateLimitExceeded", "Rate Limit Exceeded") == error(refused)
    assert ("290", str(int(clock().timestamp()) + 290), "0") == (
        refused.headers["retry-after"],
        refused.headers["ratelimit-reset"],
        refused.headers["ratelimit-remaining"],
    )
    assert [] == keys(network, bot)


def test_a_delay_comes_after_the_commit(network: SandboxNetwork, as_bot: Api, bot: SandboxAccount) -> None:
    """A client that gives up first has written all the same; one that waits gets its answer."""
    network.faults += [Fault(PUT, "delay", seconds=50), Fault(PUT, "delay", seconds=0.05)]
    as_bot.http.timeout = httpx.Timeout(0.5)

    with pytest.raises(httpx.ReadTimeout):
        as_bot.put(bot.did, RECORD)

    assert [KEY] == keys(network, bot)
    assert 200 == as_bot.put(bot.did, RECORD).status_code


def test_faults_play_in_order_after_the_calls_that_they_skip(network: SandboxNetwork, api: Api) -> None:
    """Two good calls, two refused, one refused otherwise, then good again; other methods are not concerned."""
    network.faults += [
        Fault(DESCRIBE, "status", skip=2, times=2, status=500),
        Fault(DESCRIBE, "status", status=503),
    ]

    statuses = [api.query(DESCRIBE).status_code for _ in range(6)]

    assert [200, 200, 500, 500, 503, 200] == statuses


def test_a_fault_may_be_for_any_method_or_for_one_collection_only(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount
) -> None:
    """A star is every call; a collection is found in the body and in the parameters."""
    network.faults.append(Fault("*", "status", collection=POST, times=2))
    asked = {"repo": bot.did, "collection": "app.bsky.feed.like"}

    assert 200 == as_bot.query(DESCRIBE).status_code
    assert 200 == as_bot.query(LIST, **asked).status_code
    assert 503 == as_bot.put(bot.did, RECORD).status_code
    assert 503 == as_bot.query(GET, repo=bot.did, collection=POST, rkey=KEY).status_code
    assert [] == network.faults


def test_the_directory_can_fail_too(network: SandboxNetwork, http: httpx.Client, bot: SandboxAccount) -> None:
    """Its calls go by the name "plc"."""
    network.faults.append(Fault("plc", "status", status=500))

    assert [500, 200] == [http.get(f"/plc/{bot.did}").status_code for _ in range(2)]
    assert ["plc", "plc"] == [call.nsid for call in network.calls]


def test_every_call_is_recorded(network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, clock: Clock) -> None:
    """Who, what, when, with which body, what came of it; dropped ones have no status."""
    network.faults.append(Fault(PUT, "drop_request"))
    with pytest.raises(httpx.RemoteProtocolError):
        as_bot.put(bot.did, RECORD, swapRecord=None)
    as_bot.query(LIST, repo=bot.did, collection=POST, limit=2)

    dropped, listed = network.calls[-2:]
    assert (PUT, "POST", bot.did, clock()) == (dropped.nsid, dropped.method, dropped.did, dropped.at)
    assert ("drop_request", None) == (dropped.fault, dropped.status)
    assert {"repo", "collection", "rkey", "record", "swapRecord"} == dropped.body.keys()
    assert (None, 200, ["2"]) == (listed.fault, listed.status, listed.params["limit"])
    assert [dropped] == network.calls_to(PUT)


def test_the_server_ends_at_once_with_connections_open_and_answers_due(network: SandboxNetwork) -> None:
    """A kept connection, one that says nothing, and a call that is held back for a minute: all cut."""
    network.faults.append(Fault(LIST, "delay", seconds=60))
    ended: list[type[Exception]] = []
    server = SandboxServer(network)
    server.start()
    address = urlsplit(server.url)

    def wait_for_answer() -> None:
        try:
            httpx.get(f"{server.url}/xrpc/{LIST}", timeout=30)
        except httpx.TransportError as problem:
            ended.append(type(problem))

    with httpx.Client(base_url=server.url) as kept, socket.create_connection((address.hostname, address.port)):
        assert 200 == kept.get(f"/xrpc/{DESCRIBE}").status_code
        waiting = threading.Thread(target=wait_for_answer)
        waiting.start()
        until(lambda: bool(network.calls_to(LIST)) and network.calls_to(LIST)[0].status is not None)
        started = time.monotonic()
        server.stop()
        took = time.monotonic() - started
        waiting.join(10)

    assert [httpx.RemoteProtocolError] == ended
    assert took < 1


def test_nothing_is_logged_when_connections_are_cut(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither by uvicorn nor by asyncio."""
    kinds: list[FaultKind] = ["drop_request", "drop_answer", "close_mid_body"]
    with caplog.at_level(logging.WARNING):
        for kind in kinds:
            network.faults.append(Fault(PUT, kind))
            with pytest.raises(httpx.RemoteProtocolError):
                as_bot.put(bot.did, RECORD)
        assert 200 == as_bot.put(bot.did, RECORD).status_code

    assert [] == caplog.records


def test_a_port_can_be_chosen_and_taken_again(network: SandboxNetwork) -> None:
    """A server that is started anew on its port is the same network."""
    with SandboxServer(network) as first:
        port = urlsplit(first.url).port or 0
        assert 200 == httpx.get(f"{first.url}/xrpc/{DESCRIBE}").status_code
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{first.url}/xrpc/{DESCRIBE}")
    with SandboxServer(network, port) as second:
        assert first.url == second.url
        assert 200 == httpx.get(f"{second.url}/xrpc/{DESCRIBE}").status_code


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that is about to be so."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
