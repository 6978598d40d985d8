"""A small bot for the lane's tests: /api/lane over real HTTP, its state plain data, its faults scripted."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "canary-token-of-the-lane"
LEASE_UNTIL = "2026-01-01T00:02:00Z"


@dataclass(frozen=True)
class Call:
    """A call that arrived, its body as JSON, or as bytes for an upload."""

    name: str
    claim_id: str
    body: Any
    headers: dict[str, str]


@dataclass
class Fault:
    """What goes wrong with the next calls of that name; kinds: drop_answer, broken_json, dribble, status."""

    call: str
    kind: str
    times: int = 1
    status: int = 503
    error: str = "unavailable"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class FakeBot:
    """One bot with asks that wait; everything is looked at and set under `changed`."""

    asks: list[str] = field(default_factory=list)
    heartbeat_seconds: float = 0.001
    limits: dict[str, int] = field(default_factory=dict)
    told: dict[str, Any] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    claims: dict[str, dict[str, Any]] = field(default_factory=dict)
    bundles: dict[str, bytes] = field(default_factory=dict)
    screenshots: dict[str, bytes] = field(default_factory=dict)
    reports: dict[str, dict[str, Any]] = field(default_factory=dict)
    voided: set[str] = field(default_factory=set)
    codes: dict[str, str] = field(default_factory=dict)
    stores_other_bytes: bool = False
    says: str = "built"
    url: str = ""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def named(self, name: str) -> list[Call]:
        """The calls of that name so far."""
        with self.changed:
            return [call for call in self.calls if call.name == name]

    def wait_for(self, condition: Callable[["FakeBot"], bool]) -> None:
        """Wait until something about the bot holds."""
        with self.changed:
            assert self.changed.wait_for(lambda: condition(self), 20), "it did not happen"

    def answer(self, call: Call) -> tuple[int, dict[str, Any] | None]:
        """Take a call as the real bot does: the same call again gets the same answer, but for a code."""
        if call.name == "enrol":
            return self._enrol(call.body["code"])
        if call.headers.get("authorization") != f"Bearer {TOKEN}":
            return 401, _problem("bad_token", "This token is not known.", "Ask for a new one.")
        if call.claim_id in self.voided:
            return 409, _problem("claim_lost", "The claim was voided.", "")
        match call.name:
            case "claim":
                return self._claim(call.body["claim_id"])
            case "heartbeat" if call.claim_id not in self.claims:
                return 404, _problem("no_such_claim", "There is no such claim.", "")
            case "heartbeat":
                return 200, {"api_version": 1, "lease_until": LEASE_UNTIL, "new_in_a_later_version": True}
            case "bundle":
                self.bundles[call.claim_id] = call.body
                return 200, {
                    "sha256": _sha256(call.body + b"!" * self.stores_other_bytes),
                    "address": self.claims[call.claim_id]["address"],
                }
            case "screenshot":
                self.screenshots[call.claim_id] = call.body
                return 200, {"api_version": 1, "sha256": _sha256(call.body)}
            case _:
                self.reports[call.claim_id] = call.body
                return 200, {"api_version": 1, "status": self.says}

    def _enrol(self, code: str) -> tuple[int, dict[str, Any]]:
        device = self.codes.pop(code, None)
        if device is None:
            return 401, _problem("bad_code", "This code is not known, or was used.", "Ask for another one.")
        return 201, {"api_version": 1, "device": device, "token": TOKEN, "expires_at": None}

    def _claim(self, claim_id: str) -> tuple[int, dict[str, Any] | None]:
        if claim_id in self.claims:
            return 201, self.claims[claim_id]
        if not self.asks:
            return 204, None
        number = len(self.claims) + 1
        self.claims[claim_id] = {
            "api_version": 1,
            "claim_id": claim_id,
            "document_id": f"mention:did:plc:alice:{number}",
            "attempt": 1,
            "ask": self.asks.pop(0),
            "langs": ["en"],
            "slug": f"app-{number}",
            "version": 1,
            "address": f"https://apps.example/app-{number}",
            "lease_seconds": 120,
            "heartbeat_seconds": self.heartbeat_seconds,
            "lease_until": LEASE_UNTIL,
            "build_by": "2026-01-01T01:00:00Z",
            "limits": self.limits,
            **self.told,
        }
        return 201, self.claims[claim_id]


@contextmanager
def running(bot: FakeBot) -> Iterator[FakeBot]:
    """The bot on a free port of the loopback interface."""
    over = threading.Event()
    server = _Server(bot, over)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    bot.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield bot
    finally:
        over.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    def __init__(self, bot: FakeBot, over: threading.Event) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bot = bot
        self.over = over


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        call = _read_call(self.path, dict(self.headers), body)
        bot = self.server.bot
        with bot.changed:
            bot.calls.append(call)
            fault = next((fault for fault in bot.faults if fault.call == call.name and fault.times > 0), None)
            if fault is not None:
                fault.times -= 1
            status, answer = _refusal(fault) if fault and fault.kind == "status" else bot.answer(call)
            bot.changed.notify_all()
        content = b"" if answer is None else json.dumps(answer).encode()
        match fault.kind if fault else "":
            case "drop_answer":
                return
            case "dribble":
                self._dribble()
            case "broken_json":
                self._send(status, content[:20], {})
            case _:
                self._send(status, content, fault.headers if fault else {})

    do_PUT = do_POST

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        # A client that has had enough may have hung up.
        with suppress(OSError):
            self.wfile.write(content)

    def _dribble(self) -> None:
        with suppress(OSError):
            self.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
            while not self.server.over.wait(0.02):
                self.wfile.write(b"a")

    def log_message(self, *_: object) -> None: ...


def _refusal(fault: Fault) -> tuple[int, dict[str, Any]]:
    return fault.status, _problem(fault.error, "It was refused.", "Mend it.")


def _read_call(path: str, headers: dict[str, str], body: bytes) -> Call:
    parts = path.removeprefix("/api/lane/").split("/")
    lowered = {name.lower(): value for name, value in headers.items()}
    content: Any = body if lowered["content-type"] != "application/json" else json.loads(body)
    return Call(parts[-1], parts[1] if len(parts) > 1 else content.get("claim_id", ""), content, lowered)


def _problem(error: str, message: str, mend: str) -> dict[str, Any]:
    return {"api_version": 1, "error": error, "message": message, "mend": mend}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
