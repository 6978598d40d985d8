"""SIGTERM and Ctrl-C as an event, the second one ends the process at once; SIGHUP as a call."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

STOPS = (signal.SIGTERM, signal.SIGINT)
_STREAMS = (0, 1, 2)


@contextmanager
def stop_on_signals(on_hang_up: Callable[[], None] | None = None) -> Iterator[threading.Event]:
    """An event that the first signal sets. Only for the main thread, before any other is started.

    SIGHUP calls `on_hang_up`, where one is given, in a thread; if the terminal that the program was started in is gone,
    it stops like the others. A thread takes the signals: a handler would run inside whatever holds the event's lock,
    and could wait for itself.
    """
    signals = STOPS if on_hang_up is None else (*STOPS, signal.SIGHUP)
    taker = _Taker(signals, on_hang_up or (lambda: None))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    taker.thread.start()
    try:
        yield taker.stop
    finally:
        taker.end()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Taker:
    """Waits for signals in a thread."""

    def __init__(self, signals: Sequence[signal.Signals], on_hang_up: Callable[[], None]) -> None:
        self.stop, self._over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._take, name="signals", daemon=True)
        self._signals = signals
        self._on_hang_up = on_hang_up
        self._terminals = [stream for stream in _STREAMS if os.isatty(stream)]

    def end(self) -> None:
        self._over.set()
        if self.thread.ident is not None:
            signal.pthread_kill(self.thread.ident, signal.SIGTERM)
        self.thread.join()

    def _take(self) -> None:
        while True:
            taken = signal.sigwait(self._signals)
            if self._over.is_set():
                return
            if taken == signal.SIGHUP and not self._is_terminal_lost():
                self._on_hang_up()
            elif self.stop.is_set():
                os._exit(128 + taken)
            else:
                self.stop.set()

    def _is_terminal_lost(self) -> bool:
        """Whether the terminal is gone; what is said to it goes nowhere then, since every word would fail."""
        lost = [stream for stream in self._terminals if not os.isatty(stream)]
        for stream in lost:
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        return bool(lost)
