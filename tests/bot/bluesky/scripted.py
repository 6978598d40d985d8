"""A PDS that answers what a test tells it to, well formed or not."""

import http.server
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Call:
    """One request as it arrived."""

    path: str
    port: int
    params: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes

    @property
    def nsid(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def token(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """One answer; `cut_after` hangs up after so many bytes of the body, at -1 before the status line."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    cut_after: int | None = None


def answered(body: object, status: int = 200, **headers: str) -> Answer:
    """An answer in JSON."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, json.dumps(body).encode(), {"Content-Type": "application/json", **named})


def refused(status: int, error: str, message: str = "", **headers: str) -> Answer:
    """An XRPC error."""
    return answered({"error": error, "message": message}, status, **headers)


@dataclass
class ScriptedPds:
    """Answers each call by `answer`; `calls` are the requests so far."""

    url: str
    answer: Callable[[Call], Answer]
    calls: list[Call] = field(default_factory=list)

    def called(self, nsid: str) -> list[Call]:
        return [call for call in self.calls if call.nsid == nsid]


@contextmanager
def scripted_pds(answer: Callable[[Call], Answer]) -> Iterator[ScriptedPds]:
    """A server on loopback for the length of the block."""
    pds = ScriptedPds("", answer)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            address = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", "0")))
            call = Call(address.path, self.client_address[1], parse_qs(address.query), headers, body)
            pds.calls.append(call)
            self._send(pds.answer(call))

        def _send(self, answer: Answer) -> None:
            self.close_connection = answer.cut_after is not None
            if answer.cut_after == -1:
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: answer.cut_after])

        def log_message(self, format: str, *args: object) -> None:
            """A test's server says nothing."""

        do_GET = do_POST = handle_any

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    pds.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield pds
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def raw_server(talk: Callable[[socket.socket, threading.Event], None]) -> Iterator[str]:
    """The address of a server that hands each connection to `talk`, with the event that tells it to stop."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.02)
        thread = threading.Thread(target=_accept, args=(listener, talk, over))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            over.set()
            thread.join()


def _accept(
    listener: socket.socket, talk: Callable[[socket.socket, threading.Event], None], over: threading.Event
) -> None:
    while not over.is_set():
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        with connection:
            try:
                talk(connection, over)
            except OSError:
                continue
