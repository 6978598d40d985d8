"""No route answers with a secret that it was told, and no line of the log holds one, also when everything breaks."""

import io
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import httpx
import pytest
import structlog
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp

from bot.api.app import admin_app
from bot.api.lane import lane_app
from bot.apphost import apps_app
from bot.console.app import console_app
from bot.follower import Follower
from bot.jobs.board import JobBoard
from bot.logs import configure_logs
from bot.rules import RulesFile
from bot.settings import Settings
from bot.steering import operations_of_bot
from tests.bot.serving import client, served
from tests.bot.stage import Stage
from tests.bot.terminal.served import nobody
from tests.console.visitors import COOKIE

# As the bot makes its own tokens and codes: from these it must know them again.
CANARY = "sw_" + "canary" * 7
KEY = "x" * 43 + "="
# It does not end by itself; its own tests stand at its door.
ENDLESS = {"/stream"}
BROKEN = ("devices", "console_sessions", "console_links", "apps", "invites", "run_logins")
BODIES = ({"api_version": 1, "code": CANARY, "token": CANARY, "id_token": CANARY}, CANARY)


def listeners(stage: Stage) -> dict[str, ASGIApp]:
    """The three listeners' apps over one ledger, as the bot has them."""
    settings = Settings(identifier="wright.test", password=CANARY, session_key=KEY)  # type: ignore[arg-type]
    ledger, now, rules = stage.ledger, stage.ledger.db.time, RulesFile(None)
    operations_of = operations_of_bot(settings, ledger, rules, nobody)
    console = console_app(ledger, operations_of, rules, "http://127.0.0.1:8102", Follower(ledger.feed, 60))
    board = JobBoard(now)
    return {
        "admin": admin_app(ledger, board, now, rules, operations_of=operations_of, console=console),
        "lane": lane_app(ledger, settings.apps_url),
        "apps": apps_app(ledger, settings.apps_url),
    }


def routes_of(routes: list[BaseRoute], before: str = "") -> Iterator[tuple[str, str]]:
    """Method and path of every route, those of what is included and mounted among them; a canary for a code."""
    for route in routes:
        if isinstance(route, Mount):
            yield from routes_of(route.routes, before + route.path)
        elif (included := getattr(route, "original_router", None)) is not None:
            yield from routes_of(included.routes, before)
        elif isinstance(route, APIRoute) and route.path not in ENDLESS:
            path = re.sub(r"\{[^}]*\}", "x", route.path.replace("{code}", CANARY))
            yield from ((method, before + path) for method in sorted(route.methods or ()))


@contextmanager
def logged(form: Literal["console", "json"]) -> Iterator[io.StringIO]:
    """The log in one of its forms, and everything as it was afterwards."""
    root, before, told = logging.getLogger(), structlog.get_config(), io.StringIO()
    handlers, level = list(root.handlers), root.level
    configure_logs(form, told)
    structlog.configure(cache_logger_on_first_use=False)
    try:
        yield told
    finally:
        structlog.configure(**before)
        root.handlers[:] = handlers
        root.setLevel(level)


def call_each(http: httpx.Client, app: ASGIApp) -> dict[tuple[str, str], str]:
    """What each route answers to somebody who has a secret in every place where one may be."""
    assert isinstance(app, FastAPI)
    headers = {"Authorization": f"Bearer {CANARY}", "Cookie": f"{COOKIE}={CANARY}"}
    told = {}
    for method, path in routes_of(app.routes):
        for body in BODIES if method in ("POST", "PUT") else BODIES[:1]:
            answer = http.request(method, path, headers=headers, json=body)
            told[method, path] = f"{answer.status_code} {answer.text} {dict(answer.headers)}"
    return told


@pytest.mark.parametrize(("listener", "routes"), [("admin", 60), ("lane", 7), ("apps", 8)])
def test_no_route_says_a_secret_back(stage: Stage, listener: str, routes: int) -> None:
    """To nobody, while the ledger is well and while it is broken; nor does the log in either of its forms.

    But for a link into the console, whose page has the code that it is for.
    """
    stage.app()
    app = listeners(stage)[listener]
    with served(lambda _: app) as port, client(port, "localhost") as http:
        with logged("json") as well:
            told = call_each(http, app)
        with stage.ledger.db.write() as connection:
            for table in BROKEN:
                connection.exec_driver_sql(f"ALTER TABLE {table} RENAME TO {table}_elsewhere")
        with logged("console") as broken:
            told_broken = call_each(http, app)

    singing = {route for answers in (told, told_broken) for route, answer in answers.items() if CANARY in answer}
    assert {route for route in told if CANARY in route[1]} >= singing
    assert routes <= len(told) == len(told_broken)
    assert CANARY not in well.getvalue() + broken.getvalue()
    assert "failed" in broken.getvalue()
