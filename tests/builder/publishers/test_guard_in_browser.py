"""What the guard and the policy do in a real browser, with apps that want to run before them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from playwright.sync_api import Frame, Page

from builder.publishers.shut_in import shut_in
from guardrails.policy import OPAQUE_SANDBOX
from tests.bot.serving import served
from tests.builder.publishers.sites import shown

RUNS = b"<script>localStorage.setItem('ran', '1'); document.documentElement.dataset.ran = 1</script>"


class Bot:
    """The page of an app, and a server that notes what reaches it."""

    def __init__(self) -> None:
        self.frame = ""
        self.calls: list[str] = []

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.api_route("/{path:path}", methods=["GET", "POST"])
        def answer(path: str, request: Request) -> Response:
            if path == "timer":
                return HTMLResponse(
                    f"<title>page</title><iframe src='{self.frame}' sandbox='{OPAQUE_SANDBOX}'></iframe>"
                )
            if path != "favicon.ico":
                self.calls.append(path)
            return Response("", headers={"Access-Control-Allow-Origin": "*"})

        return app


@pytest.fixture
def bot() -> Bot:
    return Bot()


@pytest.fixture
def bot_url(bot: Bot) -> Iterator[str]:
    with served(lambda _: bot.app()) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def pages_url(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "blank.html").write_text("<title>blank</title>")
    with shown(tmp_path) as url:
        yield url


def put(folder: Path, content: bytes, bot_url: str) -> None:
    (folder / "app.html").write_bytes(shut_in({"app.html": content}, f"{bot_url}/timer")["app.html"])


def framed(page: Page, bot: Bot, bot_url: str, pages_url: str) -> Frame:
    bot.frame = f"{pages_url}/app.html"
    page.goto(f"{bot_url}/timer")  # waits for its frames as well
    return page.frames[-1]


@pytest.mark.parametrize(
    "content",
    [
        RUNS,
        b"<!doctype html><html><head>" + RUNS,
        b"<!--><html><head>-->" + RUNS,
        b"</head></html>" + RUNS,
        b"<svg onload=\"localStorage.setItem('ran', '1')\"></svg>",
        b"--></script></title></style>" + RUNS,
    ],
)
def test_an_app_that_is_opened_by_itself_gives_way(
    page: Page, bot: Bot, bot_url: str, pages_url: str, tmp_path: Path, content: bytes
) -> None:
    """To its page, and before anything of it runs."""
    put(tmp_path, content, bot_url)
    page.goto(f"{pages_url}/app.html", wait_until="commit")
    page.wait_for_url(f"{bot_url}/timer")
    page.goto(f"{pages_url}/blank.html")

    assert page.evaluate("localStorage.getItem('ran')") is None


def test_in_its_frame_it_runs_and_keeps_what_it_keeps(
    page: Page, bot: Bot, bot_url: str, pages_url: str, tmp_path: Path
) -> None:
    """As long as it is open, in no storage that others share; its own `<html lang>` and doctype do no harm."""
    put(
        tmp_path,
        b"<!DOCTYPE html>\n<html lang=de data-x=1><head><title>T</title></head><body class=b><p>x<script>"
        b"localStorage.n = 1; localStorage.setItem('k', 'A'); sessionStorage.setItem('s', 2)</script>",
        bot_url,
    )
    frame = framed(page, bot, bot_url, pages_url)

    assert ["A", "1", 2, None, "2", "n"] == frame.evaluate(
        """() => [localStorage.getItem('k'), String(localStorage.n), localStorage.length, localStorage.getItem('none'),
        sessionStorage.s, localStorage.key(0)]"""
    )
    assert ["de", "1", "b", "CSS1Compat", "UTF-8", "T"] == frame.evaluate(
        """() => [document.documentElement.lang, document.documentElement.dataset.x, document.body.className,
        document.compatMode, document.characterSet, document.title]"""
    )
    assert [0, None] == frame.evaluate("(localStorage.clear(), [localStorage.length, localStorage.key(0)])")


@pytest.mark.parametrize(
    "content",
    [
        b"<script>fetch('{url}/a').catch(() => 0)</script>",
        b"<head><meta http-equiv=Content-Security-Policy content='default-src *'><img src='{url}/b'>",
        b"<base href='{url}/'><script src='c.js'></script>",
        b"<link rel=stylesheet href='{url}/d'>",
        b"<iframe src='{url}/e'></iframe>",
        b"<form action='{url}/f'><button></button></form><script>document.forms[0].submit()</script>",
    ],
    ids=["fetch", "second policy", "base", "link", "frame", "form"],
)
def test_in_its_frame_it_reaches_nothing(
    page: Page, bot: Bot, bot_url: str, pages_url: str, tmp_path: Path, content: bytes
) -> None:
    """The policy in the page holds before the first byte of the app's own."""
    put(tmp_path, content.replace(b"{url}", bot_url.encode()), bot_url)
    with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        framed(page, bot, bot_url, pages_url)

    assert [] == bot.calls
