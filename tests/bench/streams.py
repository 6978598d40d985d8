"""What open consoles cost: python -m tests.bench.streams [streams] [moves].

Streams read over HTTP while moves are written as they come; the memory of the server's process before, and at its
highest after each fifth of them, as ratios, and how many reads of the history there were.
"""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
from fastapi import FastAPI

from bot.console.stream import stream_routes
from bot.follower import Follower
from bot.ledger.feed import EVERYTHING, Feed, Filter
from bot.ledger.views import Moved
from tests.bot.serving import client, served
from tests.bot.stage import Stage, staged
from tests.many import more_moves
from tests.waiting import until

STREAMS, MOVES = 20, 50_000
AT_ONCE = 500
PARTS = 5


class CountedFeed(Feed):
    """Counts how often the history is read."""

    reads = 0

    def after(self, seq: int, limit: int, wanted: Filter = EVERYTHING) -> list[Moved]:
        """The moves after a sequence number."""
        self.reads += 1
        return super().after(seq, limit, wanted)


def main(streams: int, moves: int) -> None:
    """Print memory and reads."""
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
    print(f"{streams} streams, {moves} moves: {feed.reads} reads of the history, {sum(told)} moves told live")
    print("memory: " + ", ".join(f"{each / memory[0]:.2f}" for each in memory) + " times that of the start")


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


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:3]]
    main(*(given + [STREAMS, MOVES][len(given) :]))
