"""Serves the web apps from threads: three listeners, each on its own address."""

import socket
import threading

import uvicorn
from starlette.types import ASGIApp

from bot.errors import BotError

GRACE_SECONDS = 5


class CannotListen(BotError):
    """An address that the bot is to listen on cannot be had."""


class Listener:
    """One web app on one address; the port is open before the first request can come."""

    def __init__(self, name: str, app: ASGIApp, listen: str) -> None:
        try:
            self._socket = _listening(listen)
        except OSError as problem:
            raise CannotListen(f"the {name} listener cannot have {listen}: {problem.strerror}") from problem
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name=name, daemon=True)

    def start(self) -> None:
        """Serve from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Take no new request, let what runs finish within the grace time, and end."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


def _listening(listen: str) -> socket.socket:
    host, _, port = listen.rpartition(":")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The event loop sends small answers at once only on a socket that says it is TCP; else each waits 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), int(port)))
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening
