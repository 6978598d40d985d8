"""SIGTERM and SIGINT drain the lane."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from structlog.typing import FilteringBoundLogger

from builder.stopping import Drain

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def drained_by_signals(drain: Drain, log: FilteringBoundLogger) -> Iterator[None]:
    """While the block lasts, a first signal begins the drain and a second one ends its grace time; main thread only."""
    # A handler in Python waits for the main thread, which may be about to wait for its workers. The interpreter's own
    # writes the signal's number here at once, and a thread does the rest.
    received, sent = socket.socketpair()
    sent.setblocking(False)

    def listen() -> None:
        while numbers := received.recv(16):
            for number in numbers:
                if number in _SIGNALS:
                    log.info("draining", signal=signal.Signals(number).name)
                    drain.begin()

    woken_before = signal.set_wakeup_fd(sent.fileno(), warn_on_full_buffer=False)
    before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    listener = Thread(target=listen, name="signals", daemon=True)
    listener.start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(woken_before)
        sent.close()
        listener.join()
        received.close()
        drain.close()
