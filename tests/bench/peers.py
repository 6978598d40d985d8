"""The peers of the ledger: two queues on PostgreSQL, each used as its own documentation has it."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import psycopg
from pgqueuer.adapters.drivers.psycopg import PsycopgDriver
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.models import Job
from pgqueuer.domain.types import QueueExecutionMode
from procrastinate import App, PsycopgConnector, SyncPsycopgConnector
from procrastinate.connector import BaseConnector
from procrastinate.types import JSONDict

Enqueue = Callable[[Sequence[str]], object]
"""Takes a lot of texts, and makes a job of each; a transaction for the lot."""
Worker = Callable[[int], float]
"""Does so many jobs; in jobs a second."""


@contextmanager
def procrastinate(conninfo: str) -> Iterator[Enqueue]:
    """Its batch of jobs, by its synchronous connector."""
    app = _app(SyncPsycopgConnector(conninfo=conninfo))
    with app.open():
        app.schema_manager.apply_schema()

        def enqueue(texts: Sequence[str]) -> None:
            jobs: list[JSONDict] = [{"text": text} for text in texts]
            app.tasks["nothing"].batch_defer(*jobs)

        yield enqueue


def _app(connector: BaseConnector, heard: Callable[[], None] = lambda: None) -> App:
    app = App(connector=connector)

    @app.task(name="nothing")
    def nothing(text: str) -> None:
        heard()

    return app


@contextmanager
def pgqueuer(conninfo: str) -> Iterator[Enqueue]:
    """Its batch of jobs, by psycopg as ours."""
    with asyncio.Runner() as runner:
        connection = runner.run(psycopg.AsyncConnection.connect(conninfo, autocommit=True))
        driver = PsycopgDriver(connection)
        queries = Queries(driver)
        runner.run(queries.install())

        def enqueue(texts: Sequence[str]) -> None:
            lot = len(texts)
            runner.run(queries.enqueue(["nothing"] * lot, [text.encode() for text in texts], [0] * lot))

        yield enqueue
        runner.run(connection.close())


@contextmanager
def procrastinate_worker(conninfo: str) -> Iterator[Worker]:
    """Its worker, by its own defaults; it ends once there is nothing to do."""
    done: list[float] = []
    with procrastinate(conninfo) as enqueue, asyncio.Runner() as runner:
        app = _app(PsycopgConnector(conninfo=conninfo), lambda: done.append(time.perf_counter()))

        async def drain() -> None:
            async with app.open_async():
                await app.run_worker_async(wait=False, install_signal_handlers=False)

        yield partial(_rate, enqueue, lambda: runner.run(drain()), done)


@contextmanager
def pgqueuer_worker(conninfo: str) -> Iterator[Worker]:
    """Its worker, by its own defaults; it ends once there is nothing to do."""
    done: list[float] = []
    with pgqueuer(conninfo) as enqueue, asyncio.Runner() as runner:

        async def drain() -> None:
            async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as connection:
                manager = QueueManager(Queries(PsycopgDriver(connection)))

                @manager.entrypoint("nothing")
                async def nothing(job: Job) -> None:
                    done.append(time.perf_counter())

                await manager.run(mode=QueueExecutionMode.drain)

        yield partial(_rate, enqueue, lambda: runner.run(drain()), done)


def _rate(enqueue: Enqueue, work: Callable[[], object], done: list[float], many: int) -> float:
    """Jobs a second from the first to the last: how long a worker takes to begin and to end is not looked at."""
    enqueue(["nothing"] * many)
    done.clear()
    work()
    assert many == len(done)
    return (many - 1) / (done[-1] - done[0])
