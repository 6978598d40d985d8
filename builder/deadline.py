"""A total deadline for one HTTP exchange: a server that dribbles bytes never trips a read time-out."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, Timer
from typing import Any


class Exchange:
    """One request's connection, shut down when its time is over."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stream: Any = None
        self.over = False

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """An httpcore trace function: remembers the connection that the request travels on."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            with self._lock:
                self._stream = info["return_value"]
                over = self.over
            if over:
                self.end()

    def end(self) -> None:
        """End the exchange: whoever waits for its bytes gets an error now."""
        with self._lock:
            self.over = True
            stream = self._stream
        if stream is not None:
            # shutdown, not close: only it wakes a thread that already waits in recv.
            with suppress(OSError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


@contextmanager
def exchange_within(seconds: float) -> Iterator[Exchange]:
    """An exchange that is ended after so many seconds unless the block is left before."""
    exchange = Exchange()
    timer = Timer(seconds, exchange.end)
    timer.daemon = True
    timer.start()
    try:
        yield exchange
    finally:
        timer.cancel()
