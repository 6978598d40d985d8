"""What it takes to be there: memory of an idle bot and lane, the bot's start, and the size of a ledger.

Memory is what would be free if the process ended, after so many idle rounds; the floors are an empty Python and an idle
server of the same framework. The size is that of answered asks with their history, without their apps, against the bare
values in the rows.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import psutil
from sqlalchemy import inspect, text

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.transitions import Status
from tests.bench.places import POSTGRESQL, SQLITE, Places, places
from tests.bench.table import Line, compared, interleaved
from tests.lifeline import end, spawn
from tests.scenarios.processes import Machine, free_ports, machine
from tests.scenarios.world import World, settings_for
from tests.waiting import until

BOT = "wright.test"
IDLE_ROUNDS, QUICK_IDLE_ROUNDS = 100, 10
STARTS, QUICK_STARTS = 5, 2
ASKS, QUICK_ASKS = 300, 20
MEGABYTE, KILOBYTE = 1e6, 1e3
NOTHING = "import signal; print(flush=True); signal.pause()"
SERVER = """
import sys, uvicorn, fastapi
app = fastapi.FastAPI()
app.get("/")(lambda: {})
uvicorn.run(app, port=int(sys.argv[1]), log_config=None)
"""


def lines(quick: bool) -> Iterator[Line]:
    """Memory, starts and sizes."""
    rounds, starts = (QUICK_IDLE_ROUNDS, QUICK_STARTS) if quick else (IDLE_ROUNDS, STARTS)
    with SandboxServer(small_network()) as sandbox:
        yield from memory(sandbox, rounds)
        found = interleaved(starts, partial(bot_start, sandbox), server_start)
        yield compared("start of the bot, against a bare server", SQLITE, "s, processor", found)
    with places() as there:
        for backend in (SQLITE, POSTGRESQL):
            yield size(there, backend, QUICK_ASKS if quick else ASKS)


def memory(sandbox: SandboxServer, rounds: int) -> Iterator[Line]:
    """An idle bot and an idle lane, each against an empty Python and an idle server."""
    with TemporaryDirectory() as folder, machine(Path(folder), **on(sandbox)) as here:
        bot = here.bot()
        here.enrol()
        lane = here.lane()
        until(lambda: counted(here, r'job_runs_total{name="judge"}') >= rounds, 600)
        until(lambda: counted(here, r"http_requests_total{.*?/api/lane/claim.*?}") >= rounds, 600)
        of_bot, of_lane = taken(bot.itself), taken(lane.itself)
    with running(NOTHING) as nothing, server() as bare:
        for name, ours in (("bot", of_bot), ("lane", of_lane)):
            yield compared(f"memory of an idle {name}, against python", "-", "MB", [(ours, taken(nothing))])
            yield compared(f"memory of an idle {name}, against a server", "-", "MB", [(ours, taken(bare))])


def bot_start(sandbox: SandboxServer) -> float:
    """The processor time of a bot until it is ready, on a ledger that is there."""
    with TemporaryDirectory() as folder, machine(Path(folder), **on(sandbox)) as here:
        here.bot().stop()
        return used(here.bot().itself)


def server_start() -> float:
    """The same for a server that does nothing, until it answers."""
    with server() as process:
        return used(process)


def size(there: Places, backend: str, asks: int) -> Line:
    """Kilobytes for an answered ask, in the database and as bare values."""
    with there.ledger(backend, "size") as ledger:
        empty, clock = stored(ledger), Clock()
        with SandboxServer(small_network()) as sandbox:
            world = World(ledger, clock, sandbox, settings_for(sandbox, replies_per_hour=1600))
            world.start()
            for number in range(asks):
                world.says("alice.test", f"@{BOT} make me a timer for {number} minutes, please, with a bell")
            world.bot.ingest()
            until(lambda: to_build(world) == asks, 600)
            for _ in range(asks):
                world.lane_builds()
            until(lambda: replied(world) == asks, 600)
            world.bot.speak()
            world.bot.close()
        ours, bare = (stored(ledger) - empty) / asks / KILOBYTE, values(ledger) / asks / KILOBYTE
    return compared("size of an answered ask, against its bare values", backend, "kB", [(ours, bare)])


def to_build(world: World) -> int:
    """How many asks wait for a lane after another round: in one, only so many are judged."""
    world.bot.judge()
    return world.ledger.pages.counts()[Status.PENDING_BUILD]


def replied(world: World) -> int:
    """How many asks are answered after another round."""
    world.bot.reply()
    return world.ledger.pages.counts()[Status.REPLIED]


def stored(ledger: Ledger) -> int:
    """The bytes that the database takes."""
    if ledger.db.is_sqlite:
        with ledger.db.engine.connect() as connection:
            connection.exec_driver_sql("COMMIT")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.exec_driver_sql("BEGIN")
        return Path(str(ledger.db.engine.url.database)).stat().st_size
    with ledger.db.read() as connection:
        found: int = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
        return found


def values(ledger: Ledger) -> int:
    """The bytes of every value in every row, as JSON."""
    total = 0
    with ledger.db.read() as connection:
        for table in inspect(ledger.db.engine).get_table_names():
            rows = connection.execute(text(f"SELECT * FROM {table}"))
            total += sum(
                len(json.dumps(value, default=str).encode()) for row in rows for value in row if value is not None
            )
    return total


def small_network() -> SandboxNetwork:
    """The bot's account and somebody who asks."""
    network = SandboxNetwork(Clock())
    network.create_account(BOT, self_labels=["bot"])
    network.create_account("alice.test")
    return network


def on(sandbox: SandboxServer) -> dict[str, str]:
    """The settings of its bot."""
    return {
        "identifier": BOT,
        "password": f"{BOT}-pw",
        "pds_url": sandbox.url,
        "plc_url": f"{sandbox.url}/plc",
        "tick_seconds": "0.1",
    }


def counted(here: Machine, pattern: str) -> float:
    """What the bot's metrics say of something, added up."""
    told = here.get("127.0.0.1", here.admin_port, "/metrics").text
    return sum(float(each) for each in re.findall(rf"^skywright_{pattern} (\S+)$", told, re.MULTILINE))


def taken(process: psutil.Process) -> float:
    """Its memory, in megabytes, without what it shares."""
    found: float = process.memory_full_info().uss
    return found / MEGABYTE


def used(process: psutil.Process) -> float:
    """The seconds of processor that it has used."""
    times = process.cpu_times()
    return times.user + times.system


@contextmanager
def server() -> Iterator[psutil.Process]:
    """A server of the same framework that does nothing, once it answers."""
    (port,) = free_ports(1)

    def answers() -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{port}/", trust_env=False).is_success
        except httpx.TransportError:
            return False

    with running(SERVER, str(port), ready=answers) as process:
        yield process


@contextmanager
def running(program: str, *arguments: str, ready: Callable[[], bool] | None = None) -> Iterator[psutil.Process]:
    """A Python program, once it is ready: says something, if nothing else is said."""
    watcher = spawn([sys.executable, "-c", program, *arguments], cwd=Path("/"), stdout=subprocess.PIPE)
    try:
        if ready is not None:
            until(ready)
        elif watcher.stdout is not None:
            watcher.stdout.readline()
        (itself,) = psutil.Process(watcher.pid).children()
        yield itself
    finally:
        end(watcher)
