"""The far end of a webhook: a real server that keeps what it is told and answers as the test says."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool

from tests.bot.serving import served

TOKEN = "canary-hook-token"
WAITS = Response()
"""An answer that does not come before the test is over."""


@dataclass
class Hook:
    """What was told, in order; `answers` are given one by one, and then it takes everything."""

    url: str = ""
    told: list[dict[str, Any]] = field(default_factory=list)
    answers: deque[Response] = field(default_factory=deque)
    over: threading.Event = field(default_factory=threading.Event)

    def receive(self, body: dict[str, Any]) -> Response:
        self.told.append(body)
        answer = self.answers.popleft() if self.answers else Response("ok")
        if answer is WAITS:
            self.over.wait(20)
        return answer


@contextmanager
def hooked() -> Iterator[Hook]:
    """A webhook on a port of this machine."""
    hook, app = Hook(), FastAPI(openapi_url=None)

    @app.post("/{path:path}")
    async def tell(request: Request) -> Response:
        return await run_in_threadpool(hook.receive, await request.json())

    with served(lambda _: app) as port:
        hook.url = f"http://127.0.0.1:{port}/services/{TOKEN}"
        try:
            yield hook
        finally:
            hook.over.set()
