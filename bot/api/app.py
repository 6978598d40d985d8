"""The admin listener: the API for operators, on the loopback, for known host names only."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from fastapi import FastAPI
from fastapi.responses import RedirectResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.api.feed import feed_routes
from bot.api.health import health_routes
from bot.api.metrics import metrics_routes
from bot.api.operate import operate_routes
from bot.api.operators import OperationsOf
from bot.api.problems import HEADERS, answer_problems, problem_response, wrong_host
from bot.api.ready import ready_routes
from bot.api.rules import rules_routes
from bot.hosts import host_name
from bot.jobs.board import JobBoard
from bot.keeper import ALONE, Turn
from bot.ledger.ledger import Ledger
from bot.metrics.counting import Metrics
from bot.rules import RulesFile

CONSOLE = "/console"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


def admin_app(
    ledger: Ledger,
    board: JobBoard,
    now: Callable[[], datetime],
    rules: RulesFile,
    hosts: Iterable[str] = (),
    *,
    operations_of: OperationsOf | None = None,
    lane_schedule: timedelta | None = None,
    console: FastAPI | None = None,
    metrics: Metrics | None = None,
    is_open: bool = False,
    turn: Turn = ALONE,
) -> FastAPI:
    """The admin API, and the console below /console. `hosts` are further names that it may be called by, portless.

    `operations_of` gives what a device can see and do; without it operators have no API, and without `metrics` nobody
    has any. `lane_schedule`: how often a lane is to come by, so that what is late can be told. `is_open`: other
    machines reach the listener, so that nothing is changed without a token. `turn`: whether the rounds are
    this process's.
    """
    app = FastAPI(title="Skywright admin API", openapi_url=None, redirect_slashes=False)
    answer_problems(app)
    app.include_router(health_routes(ledger, board, now, rules, lane_schedule, turn))
    app.include_router(ready_routes(ledger, board, now, turn))
    if metrics is not None:
        app.include_router(metrics_routes(metrics))
    app.include_router(rules_routes(ledger, rules, is_open=is_open))
    if operations_of is not None:
        app.include_router(feed_routes(ledger, operations_of))
        app.include_router(operate_routes(ledger, operations_of))
    if console is not None:
        _add_console(app, console)
    app.add_middleware(KnownHosts, hosts=LOOPBACK_NAMES | {host.lower() for host in hosts})
    return app


def _add_console(app: FastAPI, console: FastAPI) -> None:
    @app.get("/")
    @app.get(CONSOLE)
    def to_the_console() -> RedirectResponse:
        return RedirectResponse(f"{CONSOLE}/")

    app.mount(CONSOLE, console)


class KnownHosts:
    """Refuses a call under any other host name: a page whose name was rebound to the loopback gets nothing."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a call on, or end it; every answer carries the API's headers, or its own of that name."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        known = host_name(Headers(scope=scope).get("host", "")) in self._hosts
        app = self._app if known else problem_response(wrong_host())
        await app(scope, receive, send_with_headers)
