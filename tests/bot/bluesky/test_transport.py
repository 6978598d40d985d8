"""Every call ends at its deadline, however the server behaves."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from bot.bluesky import transport
from bot.bluesky.transport import DeadlineTransport
from tests.bot.bluesky.scripted import answered, raw_server, scripted_pds

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


@contextmanager
def client(made: DeadlineTransport) -> Iterator[httpx.Client]:
    with httpx.Client(transport=made, timeout=httpx.Timeout(None)) as opened:
        yield opened


def seconds_to_fail(url: str, deadline: float = 0.4, connect: float = 5.0) -> float:
    made = DeadlineTransport(connect_seconds=connect)
    started = time.monotonic()
    with client(made) as opened, made.within(deadline), pytest.raises(httpx.TimeoutException):
        opened.get(url)
    return time.monotonic() - started


def silent(connection: socket.socket, over: threading.Event) -> None:
    over.wait(5)


@contextmanager
def dripping(text: bytes, at_once: int) -> Iterator[str]:
    def talk(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(text[:at_once])
        for byte in text[at_once:]:
            if over.wait(0.05):
                return
            connection.sendall(bytes([byte]))

    with raw_server(talk) as url:
        yield url


@pytest.mark.parametrize("at_once", [0, len(HEAD)], ids=["in the head", "in the body"])
def test_a_dripping_answer_ends_at_the_deadline(at_once: int) -> None:
    """A byte now and then satisfies every read time-out, but not the deadline."""
    with dripping(HEAD + b"x" * 1000, at_once) as url:
        took = seconds_to_fail(url)

    assert 0.35 < took < 2


def test_a_silent_server_ends_at_the_deadline() -> None:
    """The connection stands, nothing is ever said."""
    with raw_server(silent) as url:
        took = seconds_to_fail(url)

    assert 0.35 < took < 2


def test_a_server_that_never_accepts_ends_at_the_time_for_connecting() -> None:
    """A full backlog leaves the connection half made."""
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())

        took = seconds_to_fail(f"http://127.0.0.1:{listener.getsockname()[1]}", deadline=30, connect=0.3)

    assert 0.25 < took < 2


def test_a_slow_name_look_up_ends_at_the_time_for_connecting() -> None:
    """The system's look-up knows no deadline."""
    over = threading.Event()

    def stuck(host: str, port: int) -> list[str]:
        over.wait(5)
        return []

    made = DeadlineTransport(connect_seconds=0.2, resolve=stuck)
    started = time.monotonic()
    with client(made) as opened, made.within(30), pytest.raises(httpx.ConnectTimeout):
        opened.get("http://pds.example")
    over.set()

    assert time.monotonic() - started < 2


def test_a_failed_name_look_up_is_no_connection() -> None:
    """No name, no connection."""

    def nowhere(host: str, port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    made = DeadlineTransport(resolve=nowhere)
    with client(made) as opened, made.within(5), pytest.raises(httpx.ConnectError):
        opened.get("http://pds.example")


def test_every_address_of_a_name_is_tried() -> None:
    """The first address refuses, the second answers."""
    with scripted_pds(lambda _: answered({"fine": True})) as pds:
        made = DeadlineTransport(resolve=lambda host, port: ["127.0.0.2", "127.0.0.1"])
        with client(made) as opened, made.within(5):
            answer = opened.get(pds.url.replace("127.0.0.1", "pds.example"))

    assert {"fine": True} == answer.json()


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server cannot fill the memory within the deadline."""
    monkeypatch.setattr(transport, "ANSWER_BYTES", 1000)
    made = DeadlineTransport()
    with (
        scripted_pds(lambda _: answered("x" * 1000)) as pds,
        client(made) as opened,
        made.within(5),
        pytest.raises(httpx.ReadError),
    ):
        opened.get(pds.url)


def test_an_inner_block_cannot_extend_the_deadline() -> None:
    """A retry inside a call shares the call's time."""
    made = DeadlineTransport()
    started = time.monotonic()
    with (
        raw_server(silent) as url,
        client(made) as opened,
        made.within(0.2),
        made.within(30),
        pytest.raises(httpx.ReadTimeout),
    ):
        opened.get(url)

    assert time.monotonic() - started < 2


def test_a_call_after_the_deadline_is_not_sent() -> None:
    """No time left, nothing leaves."""
    made = DeadlineTransport()
    with (
        scripted_pds(lambda _: answered({})) as pds,
        client(made) as opened,
        made.within(0),
        pytest.raises(httpx.ConnectTimeout),
    ):
        opened.get(pds.url)

    assert [] == pds.calls


def test_a_connection_is_used_again_under_a_new_deadline() -> None:
    """The deadline belongs to the call, not to the connection."""
    made = DeadlineTransport()
    with scripted_pds(lambda _: answered({"fine": True})) as pds, client(made) as opened:
        with made.within(5):
            first = opened.get(pds.url)
        with made.within(5):
            second = opened.get(pds.url)

    assert (200, 200) == (first.status_code, second.status_code)
    assert 1 == len({call.port for call in pds.calls})


def test_nothing_is_sent_without_a_deadline() -> None:
    """Forgetting the deadline is a bug, not a hang."""
    made = DeadlineTransport()
    with client(made) as opened, pytest.raises(RuntimeError):
        opened.get("http://127.0.0.1:9")
