"""SIGTERM and SIGINT drain the lane."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from types import FrameType

from structlog.typing import FilteringBoundLogger

from builder.stopping import Drain


@contextmanager
def drained_by_signals(drain: Drain, log: FilteringBoundLogger) -> Iterator[None]:
    """While the block lasts, a first signal begins the drain and a second one ends its grace time; main thread only."""
    # A handler runs between two byte codes of the main thread, which may hold the very lock it wants:
    # it only puts into a SimpleQueue, which is re-entrant, and a thread does the rest.
    received: SimpleQueue[int | None] = SimpleQueue()

    def handle(number: int, _: FrameType | None) -> None:
        received.put(number)

    def listen() -> None:
        while (number := received.get()) is not None:
            log.info("draining", signal=signal.Signals(number).name)
            drain.begin()

    before = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    listener = Thread(target=listen, name="signals", daemon=True)
    listener.start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        received.put(None)
        listener.join()
        drain.close()
