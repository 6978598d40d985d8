"""The web server in front asks which host names may have a certificate."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.apphost import apps_app
from bot.pages.certificates import NO_SLUG
from tests.bot.serving import client, served
from tests.bot.stage import Stage, staged


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as stage:
        yield stage


@pytest.fixture
def port(stage: Stage) -> Iterator[int]:
    with served(lambda _: apps_app(stage.ledger, "https://apps.example")) as port:
        yield port


def asked(port: int, domain: str, host: str = "127.0.0.1") -> int:
    with client(port, host) as http:
        return http.get("/certificate", params={"domain": domain}).status_code


@pytest.mark.parametrize("host", ["127.0.0.1", "bot"])
def test_hosts_of_live_apps_may_have_one(port: int, stage: Stage, host: str) -> None:
    """And the host of the pages may, by whichever address of the listener it is asked."""
    slug = stage.app()

    assert [200, 200, 200] == [
        asked(port, name, host) for name in ("apps.example", f"{slug}.apps.example", f"{slug.upper()}.APPS.example")
    ]


def test_the_doctors_name_may_have_one(port: int) -> None:
    """By it the doctor looks whether names below the pages' lead here: one name, and nothing below it."""
    doctor = f"{NO_SLUG}.apps.example"

    assert [200, 404, 404] == [asked(port, name) for name in (doctor, f"x.{doctor}", f"{NO_SLUG}.other.example")]


@pytest.mark.parametrize(
    "domain",
    [
        "",
        "app-9.apps.example",
        "x.app-1.apps.example",
        "app-1.other.example",
        "app-1apps.example",
        "*.apps.example",
        "é",
    ],
)
def test_made_up_names_may_not(port: int, stage: Stage, domain: str) -> None:
    """Of which there is no end."""
    stage.app()

    assert 404 == asked(port, domain)


def test_an_app_that_is_not_shown_there_may_not(port: int, stage: Stage) -> None:
    """It is being built, was taken down, or lives elsewhere."""
    waiting = stage.ask()
    lane = stage.device("lane")
    stage.claim(lane)
    slug = stage.ledger.queries.document(waiting.id).slug
    gone, elsewhere = stage.app(), stage.app(elsewhere="https://store.example/app-3/")
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql(
            f"UPDATE apps SET gone_at = '2026-03-02 12:00:00.000000', gone_reason = 'taken_down' WHERE slug = '{gone}'"
        )

    assert slug is not None
    assert [404, 404, 404] == [asked(port, f"{each}.apps.example") for each in (slug, gone, elsewhere)]


def test_nobody_outside_can_ask(port: int, stage: Stage) -> None:
    """By the names that lead here from outside this is an address like any other."""
    slug = stage.app()
    for host in ("apps.example", f"{slug}.apps.example"):
        assert 404 == asked(port, f"{slug}.apps.example", host)


def test_an_absent_database_is_told(port: int, stage: Stage) -> None:
    """It is no answer for good."""
    slug = stage.app()
    with stage.ledger.db.write() as connection:
        connection.exec_driver_sql("ALTER TABLE apps RENAME TO elsewhere")

    assert 503 == asked(port, f"{slug}.apps.example")
