"""What lanes get from a running bot: 1, 4 and 8 of them, each with the lane's own client, in cycles per second.

A cycle is claim, upload and report. Against a bare endpoint that runs the same statements on the same ledger.
"""

import itertools
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

import httpx
import psutil
from pydantic import SecretStr

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from builder.client import BotClient
from tests.bench.lane_cycle import APPS_URL, TOKEN, one_cycle
from tests.bench.places import POSTGRESQL, SQLITE, Places, places
from tests.bench.table import Line, compared, interleaved
from tests.bot.stage import Stage
from tests.lifeline import end, last_words, spawn
from tests.many import more_documents
from tests.scenarios.processes import free_ports
from tests.waiting import until

LANES = (1, 4, 8)
CYCLES, QUICK_CYCLES = 120, 24
ROUNDS, QUICK_ROUNDS = 5, 3
TICK = 1 / os.sysconf("SC_CLK_TCK")
WARM_UP = 8
HERE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Taken:
    """What some lanes got: cycles per second, seconds for one of them, the server's processor time for one."""

    rate: float
    p50: float
    p99: float
    processor: float


class Server:
    """A lane listener in a process of its own."""

    def __init__(self, kind: str, url: str) -> None:
        (self.port,) = free_ports(1)
        self._log = TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._process = spawn(
            [sys.executable, "-m", "tests.bench.lane_server", kind, str(self.port), url],
            cwd=HERE,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
        )
        self._itself: psutil.Process | None = None

    def wait(self) -> None:
        """Return once it serves."""

        def serves() -> bool:
            assert self._process.poll() is None, last_words(self._log)
            try:
                httpx.get(f"http://127.0.0.1:{self.port}/", trust_env=False)
            except httpx.TransportError:
                return False
            return True

        until(serves)
        (self._itself,) = psutil.Process(self._process.pid).children()

    def processor(self) -> float:
        """The seconds of processor that it has used."""
        assert self._itself is not None
        used = self._itself.cpu_times()
        return used.user + used.system

    def end(self) -> None:
        """Be rid of it."""
        end(self._process)
        self._log.close()


class Fleet:
    """Lanes that call one server."""

    _numbers = itertools.count()

    def __init__(self, server: Server) -> None:
        self._server = server

    def work(self, lanes: int, cycles: int) -> Taken:
        """So many cycles of so many lanes at once."""
        before, began = self._server.processor(), time.perf_counter()
        with ThreadPoolExecutor(lanes) as pool:
            times = [each for lane in pool.map(self._lane, [cycles // lanes] * lanes) for each in lane]
        took = time.perf_counter() - began
        # The system counts in ticks: less than one is not told from none.
        used = max(self._server.processor() - before, TICK)
        parts = statistics.quantiles(times, n=100, method="inclusive")
        return Taken(len(times) / took, parts[49], parts[98], used / len(times))

    def _lane(self, cycles: int) -> list[float]:
        # As the lane makes it: a connection for each call.
        limits = httpx.Limits(max_keepalive_connections=0)
        with httpx.Client(base_url=f"http://127.0.0.1:{self._server.port}", trust_env=False, limits=limits) as http:
            bot = BotClient(http, SecretStr(TOKEN), 60, time.monotonic)
            return [one_cycle(bot, f"{next(self._numbers):026}") for _ in range(cycles)]


def lines(quick: bool) -> Iterator[Line]:
    """Rate, half and worst time, and the processor time of the server."""
    with places() as there:
        for backend in (SQLITE, POSTGRESQL):
            yield from on_backend(there, backend, quick=quick)


def on_backend(there: Places, backend: str, *, quick: bool) -> Iterator[Line]:
    """The lines of one database."""
    cycles, rounds = (QUICK_CYCLES, QUICK_ROUNDS) if quick else (CYCLES, ROUNDS)
    with there.ledger(backend, "lanes") as ledger, fleets(ledger, cycles * rounds) as (ours, floor):
        for lanes in LANES:
            taken = interleaved(rounds, partial(ours.work, lanes, cycles), partial(floor.work, lanes, cycles))
            name = f"lane over HTTP, {lanes} lane{'s' if lanes > 1 else ''}"
            yield compared(f"{name}: rate", backend, "cycles/s", [(a.rate, b.rate) for a, b in taken])
            yield compared(f"{name}: p50", backend, "ms", [(a.p50 * 1e3, b.p50 * 1e3) for a, b in taken])
            yield compared(f"{name}: p99", backend, "ms", [(a.p99 * 1e3, b.p99 * 1e3) for a, b in taken])
            used = [(a.processor * 1e3, b.processor * 1e3) for a, b in taken]
            yield compared(f"{name}: processor", backend, "ms/cycle", used)


@contextmanager
def fleets(ledger: Ledger, cycles: int) -> Iterator[tuple[Fleet, Fleet]]:
    """Lanes at our listener and at the floor, with enough asks for all that they will do."""
    stage = Stage(ledger, Clock())
    stage.device(TOKEN, prefix=APPS_URL)
    more_documents(ledger, stage.ask(), 2 * (len(LANES) * cycles + WARM_UP) + 2)
    url = ledger.db.engine.url.render_as_string(hide_password=False)
    servers = [Server(kind, url) for kind in ("ours", "floor")]
    try:
        for server in servers:
            server.wait()
        ours, floor = (Fleet(server) for server in servers)
        for fleet in (ours, floor):
            fleet.work(1, WARM_UP)
        yield ours, floor
    finally:
        for server in servers:
            server.end()
