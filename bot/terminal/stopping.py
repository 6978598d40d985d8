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
    stop, over = threading.Event(), threading.Event()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    thread = threading.Thread(target=_take, args=(stop, over), name="signals", daemon=True)
    thread.start()
    try:
        yield stop
    finally:
        over.set()
        if thread.ident is not None:
            signal.pthread_kill(thread.ident, signal.SIGTERM)
        thread.join()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _take(stop: threading.Event, over: threading.Event) -> None:
    while True:
        taken = signal.sigwait(SIGNALS)
        if over.is_set():
            return
        if stop.is_set():
            os._exit(128 + taken)
        stop.set()
