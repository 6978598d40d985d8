"""SIGTERM and Ctrl-C as an event; the second one ends the process at once."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """An event that the first signal sets. Only for the main thread, before any other is started.

    A thread takes the signals: a handler would run inside whatever holds the event's lock, and could wait for itself.
    """
    stop = threading.Event()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    threading.Thread(target=_take, args=(stop,), name="signals", daemon=True).start()
    try:
        yield stop
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _take(stop: threading.Event) -> None:
    signal.sigwait(SIGNALS)
    stop.set()
    os._exit(128 + signal.sigwait(SIGNALS))
