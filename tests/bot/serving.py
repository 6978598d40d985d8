"""Runs an app of ours under its real server, on a free loopback port, in a thread of the test."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import uvicorn
from starlette.types import ASGIApp


@contextmanager
def served(build: Callable[[int], ASGIApp]) -> Iterator[int]:
    """Serve what `build` makes for a port; the port. It listens before the thread starts, so no call is refused."""
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config = uvicorn.Config(build(port), lifespan="off", ws="none", log_config=None, access_log=False)
    server = _Server(config)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@contextmanager
def client(port: int, host: str = "127.0.0.1", **headers: str) -> Iterator[httpx.Client]:
    """A client that calls a port by any host name, which need not resolve."""
    named = {"Host": f"{host}:{port}", **headers}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=named, trust_env=False, timeout=20) as http:
        yield http


class _Server(uvicorn.Server):
    """Ends without waiting for a browser that keeps its connections."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        while self.server_state.connections or self.server_state.tasks:
            for connection in list(self.server_state.connections):
                connection.transport.abort()
            await asyncio.sleep(0.001)
