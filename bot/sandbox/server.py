"""The sandbox on a port: XRPC, PLC, handles and pages, served from a thread."""

import asyncio
import socket
import threading
from email.utils import format_datetime
from types import TracebackType
from typing import Any, Self

import uvicorn
from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as AsgiScope
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.sandbox.faulty_wire import FaultyWire
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.pages import pages
from bot.sandbox.plc import plc
from bot.sandbox.xrpc_app import xrpc

_START_WITHIN = 10


def build_app(network: SandboxNetwork, url: str | None = None) -> FastAPI:
    """The sandbox as an ASGI app; DID documents name `url`, or else the address that a client came by."""
    app = FastAPI(title="Skywright sandbox", openapi_url=None)
    for router in (xrpc(network, url), plc(network, url), pages(network)):
        app.include_router(router)
    app.add_middleware(FaultyWire, network=network)
    app.add_middleware(Dated, network=network)
    return app


class Dated:
    """ASGI layer around the app that dates every answer, by the network's clock."""

    def __init__(self, app: ASGIApp, network: SandboxNetwork) -> None:
        self._app = app
        self._clock = network.state.clock

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Pass one request on."""

        async def dated(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Date"] = format_datetime(self._clock(), usegmt=True)
            await send(message)

        await self._app(scope, receive, dated)


class SandboxServer:
    """The sandbox on 127.0.0.1 for the length of a `with` block; port 0 takes a free one."""

    def __init__(self, network: SandboxNetwork, port: int = 0) -> None:
        self.network = network
        self._socket = _listen(port)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            build_app(network, self.url),
            http=_CuttableProtocol,
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            proxy_headers=False,
            server_header=False,
            date_header=False,
        )
        self._server = _Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="sandbox", daemon=True)

    def start(self) -> None:
        """Serve from now on; the port is open already, so that no early call is refused."""
        self._thread.start()

    def stop(self) -> None:
        """Cut every connection, waiting ones included, and end."""
        self._server.end()
        self._thread.join()
        self._socket.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _listen(port: int) -> socket.socket:
    # The protocol is named, or asyncio would leave Nagle's algorithm on: 40 ms per answer.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen()
    return listening


class _Server(uvicorn.Server):
    """Ends when told, and at once: who still waits for an answer is cut off."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._serving = threading.Event()

    def end(self) -> None:
        """Tell the server's thread to end."""
        if not self._serving.wait(_START_WITHIN):
            raise RuntimeError("the sandbox never came up")
        self._loop.call_soon_threadsafe(self._told_to_end.set)

    async def main_loop(self) -> None:
        self._loop, self._told_to_end = asyncio.get_running_loop(), asyncio.Event()
        self._serving.set()
        await self._told_to_end.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        await asyncio.sleep(0)
        while self.server_state.connections or self.server_state.tasks:
            for connection in list(self.server_state.connections):
                connection.transport.abort()
            await asyncio.sleep(0.001)


class _CuttableProtocol(H11Protocol):
    """Lets the app cut the connection that a request came by; writes no access log."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.access_log = False
        app = self.app

        async def with_cut(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
            scope["state"]["cut"] = self.transport.abort
            await app(scope, receive, send)

        self.app = with_cut
