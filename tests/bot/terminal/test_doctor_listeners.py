"""The doctor's look at the listeners: from the addresses that others come by, and what others are not to come by."""

import socket
import time
from http import HTTPStatus
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse

from bot.api.lane import lane_app
from bot.apphost import apps_app
from bot.hosts import host_name
from bot.ledger.ledger import Ledger
from bot.terminal.reaching import Away, looked_at
from tests.bot.serving import served
from tests.bot.terminal.prompt import Prompt, findings

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
NOBODY = "http://127.0.0.1:1"


@pytest.fixture
def silent(prompt: Prompt) -> Prompt:
    """No account, no bot."""
    return prompt.having(SKYWRIGHT_ADMIN_URL=NOBODY, SKYWRIGHT_LANE_URL=NOBODY, SKYWRIGHT_APPS_URL=NOBODY)


def well(ready: HTTPStatus = HTTPStatus.OK, **more: object) -> FastAPI:
    """An admin listener as far as the doctor looks."""
    app = FastAPI(openapi_url=None)

    @app.get("/health")
    def health() -> dict[str, object]:
        return {"database": "ok", "jobs": {"ingest": {"late": False}}} | more

    @app.get("/ready")
    def is_ready() -> JSONResponse:
        return JSONResponse({"reasons": ["the jobs have not begun"] if ready is not HTTPStatus.OK else []}, ready)

    return app


def test_an_admin_listener_that_is_not_ready(silent: Prompt) -> None:
    """Its reasons are passed on."""
    with served(lambda _: well()) as fine, served(lambda _: well(HTTPStatus.SERVICE_UNAVAILABLE)) as starting:
        told = [
            findings(silent.having(SKYWRIGHT_ADMIN_URL=f"http://127.0.0.1:{port}"))["admin listener"]
            for port in (fine, starting)
        ]

    assert ["ok", "fail"] == [each["state"] for each in told]
    assert "the jobs have not begun" in told[1]["told"]


def test_a_database_that_is_away_is_told(silent: Prompt) -> None:
    """As /health has it."""
    with served(lambda _: well(database="does not answer")) as port:
        told = findings(silent.having(SKYWRIGHT_ADMIN_URL=f"http://127.0.0.1:{port}"))["admin listener"]

    assert ("fail", True) == (told["state"], "the database does not answer" in told["told"])


def test_listeners_that_answer_while_the_database_is_away(silent: Prompt, ledger: Ledger, ledger_url: str) -> None:
    """They are the bot's, and none of somebody else's: what is wrong is behind them."""
    file = Path(ledger_url.removeprefix("sqlite:///"))
    away = file.with_name("away.db")
    with (
        served(lambda port: apps_app(ledger, f"http://localhost:{port}")) as apps,
        served(lambda _: lane_app(ledger, "http://localhost")) as lanes,
    ):
        assert 0 == ledger.feed.last()  # so that it has been opened
        file.rename(away)
        try:
            told = findings(
                silent.having(
                    SKYWRIGHT_APPS_URL=f"http://localhost:{apps}", SKYWRIGHT_LANE_URL=f"http://127.0.0.1:{lanes}"
                )
            )
        finally:
            away.rename(file)

    for name in ("apps listener", "lane listener"):
        assert ("fail", True) == (told[name]["state"], told[name]["told"].endswith("its database does not answer"))
        assert "`database`" in told[name]["mend"]
    assert "warn" == told["app hosts"]["state"]


@pytest.mark.parametrize("status", [HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE])
def test_a_proxy_that_finds_no_bot_behind_it(silent: Prompt, status: HTTPStatus) -> None:
    """It is no program that has taken the port."""
    proxy = FastAPI(openapi_url=None)

    @proxy.api_route("/{path:path}", methods=["GET", "POST"])
    def nobody() -> PlainTextResponse:
        return PlainTextResponse("", status)

    with served(lambda _: proxy) as port:
        public = f"http://localhost:{port}"
        told = findings(silent.having(SKYWRIGHT_APPS_URL=public, SKYWRIGHT_LANE_URL=public, SKYWRIGHT_ADMIN_URL=public))

    for name in ("apps listener", "lane listener", "admin listener"):
        assert f"answered {status.value}" in told[name]["told"]
        assert "does not reach the bot" in told[name]["mend"]


def test_an_admin_listener_that_others_may_reach(silent: Prompt) -> None:
    """It works, and somebody should look."""
    with served(lambda _: well()) as port:
        told = findings(
            silent.having(SKYWRIGHT_ADMIN_URL=f"http://127.0.0.1:{port}", SKYWRIGHT_ADMIN_LISTEN="0.0.0.0:8102")
        )["admin listener"]

    assert ("warn", True) == (told["state"], "other machines may reach it" in told["told"])


def test_a_public_address_that_leads_to_the_admin_listener(silent: Prompt) -> None:
    """As a proxy that knows only one of three ports would have it."""
    with served(lambda _: well()) as port:
        public = f"http://localhost:{port}"
        told = findings(silent.having(SKYWRIGHT_APPS_URL=public, SKYWRIGHT_LANE_URL=public))

    for name in ("apps listener", "lane listener"):
        assert ("fail", True) == (told[name]["state"], told[name]["told"].endswith("leads to the admin listener"))
        assert "at once" in told[name]["mend"]


def test_names_below_the_apps_lead_to_their_listener(silent: Prompt, ledger: Ledger) -> None:
    """As they do where all is well; or elsewhere, or the apps have an address that can have none."""
    elsewhere = FastAPI(openapi_url=None)

    @elsewhere.get("/health")
    def health() -> PlainTextResponse:
        return PlainTextResponse("fine")

    with served(lambda port: apps_app(ledger, f"http://localhost:{port}")) as port:
        right = findings(silent.having(SKYWRIGHT_APPS_URL=f"http://localhost:{port}"))["app hosts"]
    with served(lambda _: elsewhere) as port:
        wrong = findings(silent.having(SKYWRIGHT_APPS_URL=f"http://localhost:{port}"))["app hosts"]
        nameless = findings(silent.having(SKYWRIGHT_APPS_URL=f"http://127.0.0.1:{port}"))["app hosts"]
    away = findings(silent.having(SKYWRIGHT_APPS_URL="http://localhost:1"))["app hosts"]

    assert ["ok", "fail", "fail", "warn"] == [each["state"] for each in (right, wrong, nameless, away)]
    assert "Host header" in wrong["mend"]
    assert "host name" in nameless["mend"]


def test_names_below_the_apps_that_are_not_known(silent: Prompt) -> None:
    """A listener that cuts the connection of every app."""
    picky = FastAPI(openapi_url=None)

    @picky.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    with served(lambda _: picky) as port, socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        told = findings(silent.having(SKYWRIGHT_APPS_URL=f"http://localhost:{port}"))["app hosts"]

    assert "fail" == told["state"]


def test_a_look_ends_however_slowly_somebody_answers(ledger_url: str) -> None:
    """A port that takes the call and says nothing, an address that is none; a name below localhost is this machine."""
    began = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        hung = looked_at("GET", f"http://127.0.0.1:{port}/", seconds=0.2)
    with served(lambda _: well()) as port:
        found = looked_at("GET", f"http://x.y.localhost:{port}/health")

    assert Away("does not answer (ReadTimeout)") == hung
    assert not isinstance(found, Away)
    assert "x.y.localhost" == host_name(found.request.headers["Host"])
    assert Away("does not answer (UnsupportedProtocol)") == looked_at("GET", "nowhere")
    assert time.monotonic() - began < 5
