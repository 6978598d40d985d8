"""A proxy in front of a PDS: passes calls on as they are, and spoils some of them on a schedule."""

import http.client
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.soak.faults import CallKind, Fault, Schedule, kind_of

PUT = "com.atproto.repo.putRecord"
RESET_SECONDS = 2
PDS_SECONDS = 60
_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}
_NOT_DONE = {Fault.DROP_REQUEST, Fault.BAD_GATEWAY, Fault.RATE_LIMIT}
_HTML = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


@dataclass(frozen=True)
class Answer:
    """What the PDS said, or what is said in its place."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class FaultyProxy(ThreadingHTTPServer):
    """Listens on the loopback. `unclear` holds the record keys whose put ended at least once without a clear answer."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, pds: str, schedule: Schedule, delay_seconds: float) -> None:
        super().__init__(("127.0.0.1", 0), _Call)
        self.pds = urlsplit(pds)
        self.schedule = schedule
        self.delay_seconds = delay_seconds
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.unclear: dict[str, list[str]] = defaultdict(list)
        self.over = threading.Event()
        self._lock = threading.Lock()
        self._at_commit: Callable[[], None] | None = None

    def at_next_commit(self, act: Callable[[], None] | None) -> None:
        """Once the PDS has stored the next put that nothing spoils, act, and let its answer reach nobody; None: no."""
        with self._lock:
            self._at_commit = act

    def committed(self, rkey: str) -> bool:
        """Act if somebody waits for a commit; True when that was so."""
        with self._lock:
            act, self._at_commit = self._at_commit, None
        if act is None:
            return False
        self.note(rkey, "killed")
        act()
        return True

    def note(self, rkey: str, cause: str) -> None:
        """Remember that the sender of a put was left without a clear answer."""
        with self._lock:
            self.unclear[rkey].append(cause)

    def handle_error(self, request: object, client_address: object) -> None:
        """A caller that is gone is what this is about; a PDS that is gone shows at the callers."""


@contextmanager
def faulty_proxy(pds: str, schedule: Schedule, delay_seconds: float) -> Iterator[FaultyProxy]:
    """A proxy for as long as the block lasts; `delay_seconds`: what is longer than every caller's patience."""
    with FaultyProxy(pds, schedule, delay_seconds) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield proxy
        finally:
            proxy.over.set()
            proxy.shutdown()
            thread.join()


class _Call(BaseHTTPRequestHandler):
    server: FaultyProxy
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = PDS_SECONDS

    def do_GET(self) -> None:
        self._pass()

    def do_POST(self) -> None:
        self._pass()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the schedule keeps count."""

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        nsid = urlsplit(self.path).path.removeprefix("/xrpc/")
        rkey = _rkey(body) if nsid == PUT else ""
        kind = kind_of(nsid)
        fault = self.server.schedule.deal(kind, (nsid, rkey))
        if rkey and fault and fault is not Fault.RATE_LIMIT:
            self.server.note(rkey, fault)
        answer = _instead(fault) if fault in _NOT_DONE else self._asked(body)
        if fault is None and kind is CallKind.WRITE and answer is not None and rkey:
            fault = Fault.DROP_ANSWER if answer.status == 200 and self.server.committed(rkey) else None
        with suppress(OSError):
            self._answer(answer, fault)

    def _asked(self, body: bytes) -> Answer:
        """The PDS's own answer, its body byte for byte."""
        pds = http.client.HTTPConnection(self.server.pds.hostname or "", self.server.pds.port, timeout=PDS_SECONDS)
        try:
            pds.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in _BY_HOP:
                    pds.putheader(name, value)
            if self.command == "POST":
                pds.putheader("Content-Length", str(len(body)))
            pds.endheaders(body)
            said = pds.getresponse()
            headers = [(name, value) for name, value in said.getheaders() if name.lower() not in _BY_HOP]
            return Answer(said.status, headers, said.read())
        finally:
            pds.close()

    def _answer(self, answer: Answer | None, fault: Fault | None) -> None:
        if answer is None or fault is Fault.DROP_ANSWER:
            self.close_connection = True
            return
        if fault is Fault.DELAY:
            self.server.over.wait(self.server.delay_seconds)
        if fault is Fault.ERROR_AFTER_COMMIT:
            answer = _error(500, "InternalServerError", "Internal Server Error")
        self.send_response_only(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if fault is Fault.CLOSE_MID_BODY:
            self.wfile.write(answer.body[: len(answer.body) // 2])
            self.close_connection = True
            return
        self.wfile.write(answer.body)


def _instead(fault: Fault | None) -> Answer | None:
    """What is said without asking the PDS; None for not a word."""
    if fault is Fault.BAD_GATEWAY:
        return Answer(502, [("Content-Type", "text/html")], _HTML)
    if fault is Fault.RATE_LIMIT:
        limits = {"limit": "3000", "remaining": "0", "reset": str(int(time.time()) + RESET_SECONDS)}
        refusal = _error(429, "RateLimitExceeded", "Rate Limit Exceeded")
        return Answer(
            429, refusal.headers + [(f"RateLimit-{name}", value) for name, value in limits.items()], refusal.body
        )
    return None


def _error(status: int, name: str, message: str) -> Answer:
    body = json.dumps({"error": name, "message": message}).encode()
    return Answer(status, [("Content-Type", "application/json; charset=utf-8")], body)


def _rkey(body: bytes) -> str:
    return str(json.loads(body)["rkey"])
