"""A server of models over real HTTP: OpenAI's Chat Completions and Anthropic's Messages; it keeps all that it saw."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PAGE = "<!doctype html><html lang=en><title>Dice</title><h1>Dice</h1></html>"


@dataclass(frozen=True)
class Says:
    """An answer that comes: text or a call of a tool, why it ends, and what it is said to have cost.

    `thinks`: the text is what the model thinks (Chat Completions only).
    """

    text: str = ""
    tool: str = ""
    arguments: str = ""
    finish: str = ""
    read: int | None = 100
    written: int = 50
    model: str = ""
    refusal: str = ""
    thinks: bool = False


@dataclass(frozen=True)
class Fails:
    """An answer of another status."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stalls:
    """No byte comes."""


@dataclass(frozen=True)
class Drips:
    """One word after another comes, without an end; so many at once."""

    gap_seconds: float = 0.02
    word: str = "la "
    thinks: bool = False


@dataclass(frozen=True)
class BreaksOff:
    """The connection ends in the middle of an answer."""


@dataclass(frozen=True)
class FailsLate:
    """An error comes in the stream of an answer that has begun."""

    kind: str


@dataclass(frozen=True)
class Streams:
    """An answer whose events are these, word for word, whoever could read them."""

    events: str


Reply = Says | Fails | FailsLate | Stalls | Drips | BreaksOff | Streams


@dataclass(frozen=True)
class Request:
    """A request that arrived, with every byte of it that could say something."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        """The instructions."""
        if isinstance(self.body.get("system"), str | list):
            given = self.body["system"]
            return given if isinstance(given, str) else "".join(block["text"] for block in given)
        return "".join(m["content"] for m in self.body["messages"] if m["role"] in ("system", "developer"))

    @property
    def message(self) -> str:
        """What stands under the instructions."""
        (content,) = [m["content"] for m in self.body["messages"] if m["role"] == "user"]
        return content if isinstance(content, str) else "".join(block["text"] for block in content)

    @property
    def everything(self) -> str:
        """All of it as one text."""
        return json.dumps([self.path, self.headers, self.body], ensure_ascii=False)


@dataclass
class FakeModels:
    """Answers with what was scripted, the last reply again and again."""

    replies: list[Reply] = field(default_factory=list)
    by_model: dict[str, list[Reply]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    hung_up: int = 0
    url: str = ""
    over: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def models(self) -> list[str]:
        """The models that were called, in order."""
        return [request.body["model"] for request in self.requests]

    def next_reply(self, request: Request) -> Reply:
        """The reply to a request that arrived just now."""
        with self.lock:
            self.requests.append(request)
            replies = self.by_model.get(request.body["model"], self.replies)
            return replies.pop(0) if len(replies) > 1 else replies[0]


@contextmanager
def serving(models: FakeModels) -> Iterator[FakeModels]:
    """The server on a free port of this machine."""

    class Handler(_Handler):
        fake = models

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        models.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield models
        finally:
            models.over.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    fake: FakeModels
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, json.loads(self.rfile.read(length)))
        reply = self.fake.next_reply(request)
        self.close_connection = True
        with suppress(ConnectionError):
            self._reply(reply, _anthropic if self.path.endswith("/messages") else _openai, request.body["model"])

    def _reply(self, reply: Reply, events: Callable[[Says, str], Iterator[tuple[str, Any]]], model: str) -> None:
        match reply:
            case Fails(status, headers, body):
                self._fail(status, headers, json.dumps(body).encode())
            case Stalls():
                self.fake.over.wait(30)
            case Says():
                self._begin(events(reply, model))
            case Drips(gap, word, thinks):
                begun = list(events(Says(word, thinks=thinks), model))[: self._text_at + 1]
                self._begin(begun)
                while not self.fake.over.wait(gap):
                    self._send_or_note(*begun[-1])
            case Streams(given):
                self._begin([])
                self.wfile.write(given.encode())
            case BreaksOff() | FailsLate():
                self._begin(list(events(Says("<!doctype html>"), model))[: self._text_at + 1])
                if isinstance(reply, FailsLate):
                    error = {"type": reply.kind, "code": reply.kind, "message": "not now"}
                    self._send("error" if self._text_at else "", {"type": "error", "error": error})

    @property
    def _text_at(self) -> int:
        """Which event of an answer carries its text."""
        return 2 if self.path.endswith("/messages") else 0

    def _fail(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _begin(self, events: Iterable[tuple[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event, data in events:
            self._send(event, data)

    def _send(self, event: str, data: Any) -> None:
        name = f"event: {event}\n" if event else ""
        text = data if isinstance(data, str) else json.dumps(data)
        self.wfile.write(f"{name}data: {text}\n\n".encode())
        self.wfile.flush()

    def _send_or_note(self, event: str, data: Any) -> None:
        try:
            self._send(event, data)
        except ConnectionError:
            with self.fake.lock:
                self.fake.hung_up += 1
            raise


def _openai(says: Says, model: str) -> Iterator[tuple[str, Any]]:
    base = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": says.model or model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> tuple[str, Any]:
        return "", {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    if says.text:
        for at in range(0, len(says.text), 400):
            kind = "reasoning_content" if says.thinks else "content"
            yield chunk({"role": "assistant", kind: says.text[at : at + 400]})
    if says.refusal:
        yield chunk({"refusal": says.refusal})
    if says.tool:
        function = {"name": says.tool, "arguments": says.arguments}
        yield chunk({"tool_calls": [{"index": 0, "id": "call-1", "type": "function", "function": function}]})
    yield chunk({}, says.finish or ("tool_calls" if says.tool else "stop"))
    if says.read is not None:
        usage = {
            "prompt_tokens": says.read,
            "completion_tokens": says.written,
            "total_tokens": says.read + says.written,
        }
        yield "", {**base, "choices": [], "usage": usage}
    yield "", "[DONE]"


def _anthropic(says: Says, model: str) -> Iterator[tuple[str, Any]]:
    usage = {"input_tokens": says.read or 0, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg-1",
        "type": "message",
        "role": "assistant",
        "model": says.model or model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield "message_start", {"type": "message_start", "message": message}
    if says.tool:
        block: dict[str, Any] = {"type": "tool_use", "id": "tool-1", "name": says.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": says.arguments}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": says.text}
    if says.text or says.tool:
        yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}
        yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    finish = says.finish or ("tool_use" if says.tool else "end_turn")
    end = {"stop_reason": finish, "stop_sequence": None}
    yield (
        "message_delta",
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": says.written}},
    )
    yield "message_stop", {"type": "message_stop"}


def app(title: str = "Dice", page: str = PAGE, **others: str) -> Says:
    """A whole app through the tool."""
    files = [{"name": "index.html", "content": page}, *({"name": n, "content": c} for n, c in others.items())]
    arguments = {"title": title, "description": "Rolls a die.", "files": files}
    return Says(tool="build_app", arguments=json.dumps(arguments, ensure_ascii=False))


def named_app(name: str) -> Says:
    """An app with one more file of that name."""
    return app(**{name: "x"})


def declines(reason: str) -> Says:
    """A refusal through the tool."""
    return Says(tool="decline", arguments=json.dumps({"reason": reason}, ensure_ascii=False))
