"""What open consoles cost: streams read over HTTP while moves are written as they come.

The memory of the server's process after each part of the moves against what it was before them; and how often the
history is read for all streams together, against once for each move.
"""

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
from fastapi import FastAPI

from bot.console.stream import stream_routes
from bot.follower import Follower
from bot.ledger.feed import EVERYTHING, Feed, Filter
from bot.ledger.views import Moved
from tests.bench.places import SQLITE
from tests.bench.table import Line, compared
from tests.bot.serving import client, served
from tests.bot.stage import Stage, staged
from tests.many import more_moves
from tests.waiting import until

STREAMS, MOVES = 20, 50_000
QUICK_STREAMS, QUICK_MOVES = 4, 5_000
AT_ONCE = 500
PARTS = 5


class CountedFeed(Feed):
    """Counts how often the history is read."""

    reads = 0

    def after(self, seq: int, limit: int, wanted: Filter = EVERYTHING) -> list[Moved]:
        """The moves after a sequence number."""
        self.reads += 1
        return super().after(seq, limit, wanted)


def lines(quick: bool) -> Iterator[Line]:
    """Memory, and reads."""
    streams, moves = (QUICK_STREAMS, QUICK_MOVES) if quick else (STREAMS, MOVES)
    with tempfile.TemporaryDirectory(prefix="skywright-bench-") as folder, staged(Path(folder)) as stage:
        feed = CountedFeed(stage.ledger.db)
        follower = Follower(feed, 0.05)
        app = FastAPI()
        app.include_router(stream_routes(lambda _: lambda: None, follower, feed.last))
        follower.start()
        with served(lambda _: app) as port, ThreadPoolExecutor(streams) as pool:
            readers = [pool.submit(read_to, port, moves) for _ in range(streams)]
            until(lambda: len(follower.subscriptions) == streams)
            memory = burst(stage, follower, moves)
            told = [reader.result(300) for reader in readers]
        follower.stop()
    assert all(told)
    rounds = [(each / 2**20, memory[0] / 2**20) for each in memory[1:]]
    yield compared(f"memory with {streams} streams, against before", SQLITE, "MiB", rounds)
    yield compared(f"reads for {streams} streams, against the moves", SQLITE, "reads", [(feed.reads, moves)])


def burst(stage: Stage, follower: Follower, moves: int) -> list[int]:
    """Write so many moves, lot by lot as they are handed on; the memory before them and after each part."""
    document = stage.ask()
    process, memory = psutil.Process(), []
    for part in range(PARTS + 1):
        memory.append(process.memory_info().rss)
        for _ in range(moves // PARTS // AT_ONCE if part < PARTS else 0):
            more_moves(stage.ledger, document, AT_ONCE)
            until(lambda: follower.position == stage.ledger.feed.last())
    return memory


def read_to(port: int, moves: int) -> int:
    """How many moves a stream tells, until it has told the last or is told to read anew from there."""
    told = 0
    with client(port) as http, http.stream("GET", "/stream", params={"after": 0}, timeout=httpx.Timeout(60)) as answer:
        for line in answer.iter_lines():
            told += line.count('"seq"')
            if line.startswith("id: ") and int(line[4:]) >= moves:
                return told
    return told
