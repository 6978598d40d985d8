"""What stands between a lane and the bot: passes calls on, and can hold those of one kind for ever."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_CHUNK = 65_536


class Relay(socketserver.ThreadingTCPServer):
    """Passes every connection on to a port, but for calls that begin with `holds`: those it takes and never answers."""

    def __init__(self, port: int, holds: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Call)
        self.port = port
        self.holds = holds
        self.held = threading.Event()
        self.over = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def relay(port: int, holds: bytes) -> Iterator[Relay]:
    """A relay to a port here, for as long as the block lasts."""
    with Relay(port, holds) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield made
        finally:
            made.over.set()
            made.shutdown()
            thread.join()


class _Call(socketserver.BaseRequestHandler):
    server: Relay
    request: socket.socket

    def handle(self) -> None:
        first = self.request.recv(_CHUNK)
        if first.startswith(self.server.holds):
            self.server.held.set()
            self.server.over.wait()
            return
        with socket.create_connection(("127.0.0.1", self.server.port)) as bot:
            bot.sendall(first)
            there = threading.Thread(target=_pump, args=(self.request, bot))
            there.start()
            _pump(bot, self.request)
            there.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
