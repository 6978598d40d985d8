"""A small object store that speaks like S3, and shows what it holds to the public: state plain data, no signatures."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

KEPT = ("Content-Type", "Cache-Control", "Content-Disposition")
KEY_ID = "canary-access-key"


@dataclass
class Bucket:
    """Objects by key, with the headers that they are shown with, and the calls by method and key."""

    objects: dict[str, tuple[bytes, dict[str, str]]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    before: Callable[[str], None] = lambda call: None
    refuses: int | None = None
    url: str = ""
    lock: Lock = field(default_factory=Lock)


@contextmanager
def bucket() -> Iterator[Bucket]:
    """An empty bucket on a free port; `url` ends in its name."""
    held = Bucket()
    server = _Server(held)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    held.url = f"http://127.0.0.1:{server.server_port}/bucket"
    try:
        yield held
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, held: Bucket) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.held = held


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if not self._is_served():
            return
        with self.server.held.lock:
            if self.headers.get("If-None-Match") == "*" and self._key in self.server.held.objects:
                return self._answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
            kept = {name: self.headers[name] for name in KEPT if name in self.headers}
            self.server.held.objects[self._key] = (content, kept)
        return self._answer(200, b"", ETag=_etag(content))

    def do_GET(self) -> None:
        if not self._is_served():
            return None
        wanted = parse_qs(urlsplit(self.path).query)
        if "list-type" in wanted:
            return self._list(wanted.get("prefix", [""])[0])
        found = self.server.held.objects.get(self._key)
        if found is None:
            return self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        return self._answer(200, found[0], ETag=_etag(found[0]), **found[1])

    do_HEAD = do_GET

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if not self._is_served():
            return None
        keys = re.findall(r"<Key>(.*?)</Key>", asked)
        for key in keys:
            self.server.held.objects.pop(key, None)
        deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        return self._answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())

    def _list(self, prefix: str) -> None:
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>{_etag(content)}</ETag><Size>{len(content)}</Size></Contents>"
            for key, (content, _) in sorted(self.server.held.objects.items())
            if key.startswith(prefix)
        )
        said = f"<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>"
        return self._answer(200, said.encode())

    @property
    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix("/bucket").removeprefix("/")

    def _is_served(self) -> bool:
        held, call = self.server.held, f"{self.command} {self._key}"
        held.before(call)
        held.calls.append(call)
        if held.refuses is not None and "Authorization" in self.headers:
            self._answer(held.refuses, f"<Error><AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId></Error>".encode())
            return False
        return True

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing on the terminal of the tests."""


def _etag(content: bytes) -> str:
    return f'"{md5(content, usedforsecurity=False).hexdigest()}"'
