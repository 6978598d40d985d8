"""Counts the calls of a listener, by the template of their route: as many series as there are routes, and no more."""

import time
from collections.abc import Callable
from http import HTTPMethod

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.metrics.counting import Metrics

NONE = "none"
_METHODS = frozenset(method.value for method in HTTPMethod)


class CountedCalls:
    """A listener's app with its calls counted. What nobody answered, since the app broke or the caller left, has
    the status of an error of ours or none.
    """

    def __init__(
        self, app: ASGIApp, listener: str, metrics: Metrics, steady: Callable[[], float] = time.perf_counter
    ) -> None:
        self._app = app
        self._listener = listener
        self._metrics = metrics
        self._steady = steady

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a call on, and count it once its answer begins: a stream goes on for hours."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, counted = self._steady(), False

        def count(status: str) -> None:
            nonlocal counted
            if not counted:
                counted = True
                method = scope["method"] if scope["method"] in _METHODS else "OTHER"
                self._metrics.called(self._listener, _route(scope), method, status, self._steady() - began)

        async def counting_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                count(f"{message['status'] // 100}xx")
            await send(message)

        try:
            await self._app(scope, receive, counting_send)
        except Exception:
            count("5xx")
            raise
        finally:
            count(NONE)


def _route(scope: Scope) -> str:
    """The template of the route that took the call, below where its app is mounted."""
    path = getattr(scope.get("route"), "path", None)
    return f"{scope.get('root_path', '')}{path}" if isinstance(path, str) else NONE
