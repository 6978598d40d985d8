"""The live stream: what moves is told once, from wherever the browser was, for as long as its session stands."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request

from bot.console.stream import Over, stream_routes
from bot.follower import ROOM, Follower
from bot.ledger.consoles import Ended
from bot.ledger.ledger import Ledger
from bot.listeners import GRACE_SECONDS, Listener
from tests.bot.ledger.steps import now_of, pending, received
from tests.bot.serving import client, served
from tests.console.conftest import Served
from tests.console.visitors import Visitor
from tests.many import more_moves
from tests.scenarios.processes import free_ports
from tests.waiting import until

STREAM = "/stream"


@dataclass
class House:
    """A bot's follower and the routes of its stream; `open` says whether the session stands."""

    ledger: Ledger
    follower: Follower
    open: bool = True
    beat_seconds: float = 60.0

    def enter(self, _request: Request) -> Over | None:
        return self.over if self.open else None

    def over(self) -> Ended | None:
        return None if self.open else Ended.REVOKED

    def app(self) -> FastAPI:
        app = FastAPI()
        app.include_router(stream_routes(self.enter, self.follower, self.ledger.feed.last, self.beat_seconds))
        return app


@pytest.fixture
def house(ledger: Ledger) -> Iterator[House]:
    house = House(ledger, Follower(ledger.feed, 0.01))
    house.follower.start()
    yield house
    house.follower.stop()


@pytest.fixture
def http(house: House) -> Iterator[httpx.Client]:
    with served(lambda _: house.app()) as port, client(port) as http:
        yield http


@dataclass
class Reader:
    """What a browser makes of a stream: the events, and the number that it would resume from."""

    events: list[tuple[str, Any]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    last: str = ""

    def read(self, lines: Iterator[str], enough: Callable[["Reader"], bool]) -> None:
        """Read until it is enough, or until the stream ends."""
        name, number, data = "", "", ""
        for line in lines:
            key, _, value = line.partition(": ")
            match key:
                case "id":
                    number = value
                case "event":
                    name = value
                case "data":
                    data = value
                case "" if data:
                    self.last = number or self.last
                    self.events.append((name, json.loads(data)))
                    self.numbers.append(int(self.last or 0))
                    name, number, data = "", "", ""
                    if enough(self):
                        return

    @property
    def moves(self) -> list[dict[str, Any]]:
        return [move for name, data in self.events if name == "moved" for move in data]

    @property
    def seqs(self) -> list[int]:
        return [move["seq"] for move in self.moves]


def has(seq: int) -> Callable[[Reader], bool]:
    return lambda reader: int(reader.last or 0) >= seq


@contextmanager
def streaming(
    http: httpx.Client, after: int | None = None, last: str = "", path: str = STREAM
) -> Iterator[tuple[httpx.Response, Iterator[str]]]:
    query = {} if after is None else {"after": str(after)}
    with http.stream("GET", path, params=query, headers={"Last-Event-ID": last} if last else {}) as response:
        yield response, response.iter_lines()


def test_it_begins_where_the_page_ended_and_resumes_where_it_was_cut(house: House, http: httpx.Client) -> None:
    """What moved while it was cut comes first; the number of the last event counts, not that of the page."""
    ledger, reader = house.ledger, Reader()
    document = received(ledger, "3kone")
    with streaming(http, after=1) as (response, lines):
        pending(ledger, "3ktwo")
        reader.read(lines, has(3))

        assert "text/event-stream; charset=utf-8" == response.headers["content-type"]
        assert "no-cache, no-transform" == response.headers["cache-control"]
        assert "no" == response.headers["x-accel-buffering"]
    until(lambda: not house.follower.subscriptions)
    received(ledger, "3kthree")
    with streaming(http, after=1, last=reader.last) as (_, lines):
        received(ledger, "3kfour")
        reader.read(lines, has(5))

    assert [2, 3, 4, 5] == reader.seqs
    assert {"seq": 2, "id": document.id[:-3] + "two", "version": 1, "from": None, "to": "received"} == {
        key: value for key, value in reader.moves[0].items() if key != "reason"
    }


def test_a_number_from_another_ledger_misses_nothing(house: House, http: httpx.Client) -> None:
    """After a restore the history is shorter than what the browser has seen, which reads it all anew.

    What is no number counts as none.
    """
    received(house.ledger, "3kone")
    for last in ("900", "none", "9" * 40):
        reader, before = Reader(), house.ledger.feed.last()
        with streaming(http, after=before, last=last) as (_, lines):
            received(house.ledger, f"3k{last}")
            reader.read(lines, lambda reader: bool(reader.moves))

        assert [house.ledger.feed.last()] == reader.seqs
        anew = [number for (name, _), number in zip(reader.events, reader.numbers, strict=True) if name == "resync"]
        assert ([before] if last == "900" else []) == anew
    assert 422 == http.get(STREAM, params={"after": -1}).status_code


def test_who_is_too_far_behind_is_told_to_read_anew_once(house: House, http: httpx.Client) -> None:
    """And then gets what comes."""
    reader = Reader()
    more_moves(house.ledger, received(house.ledger), ROOM + 1)
    until(lambda: house.follower.position == ROOM + 2)
    with streaming(http, after=0) as (_, lines):
        reader.read(lines, has(ROOM + 2))
        received(house.ledger, "3ktwo")
        reader.read(lines, has(ROOM + 3))

    assert [("resync", {})] == [event for event in reader.events if event[0] != "moved"]
    assert [ROOM + 3] == reader.seqs


def test_a_stream_ends_with_its_session(house: House) -> None:
    """It is told so once; whoever asks then gets nothing that a browser would try again."""
    house.beat_seconds, reader = 0.01, Reader()
    with served(lambda _: house.app()) as port, client(port) as http, streaming(http) as (_, lines):
        reader.read(lines, lambda reader: len(reader.events) == 2)
        house.open = False
        reader.read(lines, lambda _: False)

    assert ["alive", "alive"] == [name for name, _ in reader.events[:2]]
    assert ["signed-out"] == [name for name, _ in reader.events if name != "alive"]
    told = {"told": "You were signed out: an operator ended this session.", "why": "revoked"}
    assert ("signed-out", told) == reader.events[-1]
    with served(lambda _: house.app()) as port, client(port) as http:
        assert 204 == http.get(STREAM).status_code


def test_twenty_streams_and_a_burst(house: House, http: httpx.Client) -> None:
    """Nothing is lost and nothing comes twice: a number that was not told lies before one to read anew from."""
    document, readers = received(house.ledger), [Reader() for _ in range(20)]

    def read(number: int) -> None:
        with streaming(http, after=1) as (_, lines):
            readers[number].read(lines, has(5001))

    with ThreadPoolExecutor(20) as pool:
        done = [pool.submit(read, number) for number in range(20)]
        until(lambda: len(house.follower.subscriptions) == 20)
        for _ in range(50):
            more_moves(house.ledger, document, 100)
            assert {True} == {each.held <= ROOM for each in house.follower.subscriptions}
        for each in done:
            each.result(30)

    for reader in readers:
        seen = 1
        for (name, data), number in zip(reader.events, reader.numbers, strict=True):
            told = [move["seq"] for move in data]
            assert name == "resync" or list(range(seen + 1, number + 1)) == told
            seen = number
        assert 5001 == seen
    assert 1 == now_of(house.ledger, document).version


def test_the_listener_stops_at_once_with_streams_open(house: House) -> None:
    """They end when the follower stops, which the bot does first."""
    [port] = free_ports(1)
    listener = Listener("admin", house.app(), f"127.0.0.1:{port}")
    listener.start()
    with client(port) as http, streaming(http) as (_, lines):
        assert "retry: 2000" == next(lines)
        until(lambda: house.follower.subscriptions)
        house.follower.stop()

        assert [] == [line for line in lines if line]
    began = time.monotonic()
    listener.stop()
    assert time.monotonic() - began < GRACE_SECONDS / 2


def test_the_stream_of_a_session(console: Served, operator: Visitor, nobody: Visitor) -> None:
    """A visitor who is signed in has one, for as long as the session stands; it keeps no session alive."""
    received(console.ledger)
    reader = Reader()
    with streaming(operator.http, path="/console/stream") as (_, lines):
        reader.read(lines, has(1))

    assert [1] == reader.seqs
    assert {"last": 1} == operator.part("/last").json()
    assert 204 == nobody.get("/stream").status_code
    assert 401 == nobody.part("/last").status_code
