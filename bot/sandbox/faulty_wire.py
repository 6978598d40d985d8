"""The wire between client and sandbox: notes every call, and plays the scripted faults on it."""

import asyncio
import json
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.sandbox.faults import Call, Fault
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.sessions import rate_limited
from bot.sandbox.tokens import subject

PLC = "plc"
_LONGEST_DELAY = 60.0


class FaultyWire:
    """ASGI layer around the app; cutting a connection takes the server's help, so that works over real sockets only."""

    def __init__(self, app: ASGIApp, network: SandboxNetwork) -> None:
        self._app = app
        self._network = network

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, or not."""
        nsid = _nsid(scope)
        if nsid is None:
            await self._app(scope, receive, send)
            return
        content = await _read(receive)
        call = self._noted(scope, nsid, content)
        fault = self._network.arrive(call)
        answer = await self._before(scope, call, fault, content)
        if answer is not None:
            call.status = answer.status
            await answer.play(fault, scope, receive, send)

    def _noted(self, scope: Scope, nsid: str, content: bytes) -> Call:
        token = Headers(scope=scope).get("authorization", "").removeprefix("Bearer ")
        params = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        at = self._network.state.clock()
        return Call(nsid, scope["method"], subject(token), at, params, _parsed(content))

    async def _before(self, scope: Scope, call: Call, fault: Fault | None, content: bytes) -> "_Answer | None":
        if fault is not None and fault.kind == "drop_request":
            await _cut(scope)
            return None
        if fault is not None and fault.kind == "status":
            return _scripted(fault)
        if fault is not None and fault.kind == "rate_limit":
            return _come_back_later(fault, call)
        answer = _Answer()
        await self._app(scope, _replay(content), answer.take)
        return answer


class _Answer:
    """An answer held back until the fault has had its way with it."""

    def __init__(self, status: int = 200, headers: dict[str, str] | None = None, body: bytes = b"") -> None:
        self.status = status
        self.headers = [(key.encode(), value.encode()) for key, value in (headers or {}).items()]
        self.body = body

    async def take(self, message: Message) -> None:
        """Collect what the app sends."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [item for item in message["headers"] if item[0] != b"content-length"]
        else:
            self.body += message.get("body", b"")

    async def play(self, fault: Fault | None, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer, as much of it as the fault leaves."""
        match fault.kind if fault is not None else None:
            case "drop_answer":
                await _cut(scope)
            case "close_mid_body":
                await self._send(send, self.body[: len(self.body) // 2], length=len(self.body), more=True)
                await _cut(scope)
            case "broken_json":
                await self._send(send, self.body[: len(self.body) // 2])
            case "error_after_commit":
                await _Answer(500, _JSON, b'{"error":"InternalServerError","message":"Internal Server Error"}').play(
                    None, scope, receive, send
                )
            case "delay" if fault is not None and await _gone_within(receive, min(fault.seconds, _LONGEST_DELAY)):
                pass
            case _:
                await self._send(send, self.body)

    async def _send(self, send: Send, body: bytes, *, length: int | None = None, more: bool = False) -> None:
        size = str(len(body) if length is None else length).encode()
        headers = [*self.headers, (b"content-length", size)]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": more})


_JSON = {"content-type": "application/json"}


def _scripted(fault: Fault) -> _Answer:
    kind = {"content-type": "text/html; charset=utf-8"} if fault.html else _JSON
    body = fault.body if fault.body is not None else {"error": "InternalServerError", "message": "Scripted"}
    text = body if isinstance(body, str) else json.dumps(dict(body))
    return _Answer(fault.status, {**kind, **fault.headers}, text.encode())


def _come_back_later(fault: Fault, call: Call) -> _Answer:
    refusal = rate_limited(call.at, fault.seconds)
    return _Answer(refusal.status, {**_JSON, **refusal.headers}, json.dumps(refusal.body()).encode())


def _nsid(scope: Scope) -> str | None:
    if scope["type"] != "http":
        return None
    path: str = scope["path"]
    if path.startswith("/xrpc/"):
        return path.removeprefix("/xrpc/")
    return PLC if path.startswith("/plc/") else None


async def _read(receive: Receive) -> bytes:
    content, more = b"", True
    while more:
        message = await receive()
        content += message.get("body", b"")
        more = message.get("more_body", False)
    return content


def _replay(content: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": content, "more_body": False}

    return receive


def _parsed(content: bytes) -> object:
    try:
        return json.loads(content)
    except ValueError:
        return None


async def _cut(scope: Scope) -> None:
    """Close the client's connection with nothing more said; the server tells when it is gone."""
    scope["state"]["cut"]()
    await asyncio.sleep(0)


async def _gone_within(receive: Receive, seconds: float) -> bool:
    """Wait so long, or until the client or the server ends the connection; whether it was ended."""

    async def until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    try:
        await asyncio.wait_for(until_gone(), seconds)
    except TimeoutError:
        return False
    return True
