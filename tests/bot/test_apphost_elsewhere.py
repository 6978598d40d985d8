from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.apphost import apps_app
from guardrails.documents import Slug
from guardrails.transitions import Reason
from tests.bot.serving import client, served
from tests.bot.stage import BOT, Stage, staged
from tests.documents import newest

ELSEWHERE = "https://pages.example/lane/app-1/1/index.html"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as stage:
        yield stage


@pytest.fixture
def port(stage: Stage) -> Iterator[int]:
    with served(lambda _: apps_app(stage.ledger, "https://apps.example")) as port:
        yield port


@pytest.fixture
def slug(stage: Stage) -> Slug:
    return stage.app(elsewhere=ELSEWHERE)


def test_the_page_frames_the_app_where_it_lives(port: int, slug: Slug) -> None:
    """That origin and no other; out of the origin that it shares with other apps."""
    with client(port, "apps.example") as http:
        page = http.get(f"/{slug}")

    assert f'<iframe src="{ELSEWHERE}"' in page.text
    assert "; frame-src https://pages.example; " in page.headers["Content-Security-Policy"]
    assert "allow-same-origin" not in page.text
    assert "allow-scripts" in page.text


def test_its_source_is_shown_here(port: int, slug: Slug) -> None:
    """From the bundle that was uploaded and judged."""
    with client(port, "apps.example") as http:
        assert "tick" in http.get(f"/{slug}/source").text


def test_a_host_of_its_own_serves_none_of_it(port: int, slug: Slug) -> None:
    """There is one place where it runs; who opens that host is sent to the page all the same."""
    with client(port, f"{slug}.apps.example") as http:
        assert [404, 404] == [http.get(path).status_code for path in ("/", "/~1/index.html")]
        opened = http.get("/", headers={"Sec-Fetch-Dest": "document"})

    assert (302, f"https://apps.example/{slug}") == (opened.status_code, opened.headers["Location"])


def test_what_was_taken_down_is_framed_no_more(port: int, slug: Slug, stage: Stage) -> None:
    """At once, whatever is still to be had where it lived."""
    [document] = newest(stage.ledger, 1)
    stage.ledger.documents.withdraw(BOT, document, Reason.DELETED)

    with client(port, "apps.example") as http:
        page = http.get(f"/{slug}")

    assert 410 == page.status_code
    assert "pages.example" not in page.text + page.headers["Content-Security-Policy"]
