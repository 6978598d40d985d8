"""An app with a limit, from the promise on its page to the day on which only its ask's id is left."""

from collections.abc import Iterator
from datetime import timedelta
from http import HTTPStatus

import httpx
import pytest

from bot.apphost import apps_app
from bot.clock import Clock
from bot.errors import NoSuchDocument
from bot.ledger.policy import LedgerPolicy
from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from tests.bot.serving import client, served
from tests.ledger_fixtures import OpenLedger
from tests.scenarios.stages import replied, watch
from tests.scenarios.world import World, settings_for


@pytest.fixture
def world(open_test_ledger: OpenLedger, clock: Clock, sandbox: SandboxServer) -> Iterator[World]:
    """A host that keeps apps for a month, and what was asked for a few days more."""
    ledger = open_test_ledger(LedgerPolicy(keep_apps=timedelta(days=30)))
    world = World(ledger, clock, sandbox, settings_for(sandbox, keep_history_days=40, keep_apps_days=30))
    world.start()
    yield world
    world.bot.close()


@pytest.fixture
def pages(world: World) -> Iterator[httpx.Client]:
    with (
        served(lambda _: apps_app(world.ledger, "https://apps.example")) as port,
        client(port, "apps.example") as http,
    ):
        yield http


def our_posts(world: World) -> list[StrongRef]:
    entries = world.network.repo(world.network.account("wright.test").did)
    return [StrongRef(uri=entry["uri"], cid=entry["cid"]) for entry in entries]


def test_an_app_is_kept_as_long_as_its_page_says(world: World, pages: httpx.Client) -> None:
    """Then its address says why it is gone, also once the history has gone; nothing is answered twice, and what was
    answered can still be taken back.
    """
    post = replied(world)
    document = world.document(post)
    until = f"{world.ledger.db.time() + timedelta(days=30):%Y-%m-%d}"
    page = pages.get(f"/{document.slug}")
    assert (HTTPStatus.OK, True) == (page.status_code, f"Kept until {until}" in page.text)

    world.clock.shift += timedelta(days=30, minutes=1)
    world.bot.prune()
    gone = pages.get(f"/{document.slug}")
    told = f"It was kept until {until}, as its page had said from its first day."
    assert (HTTPStatus.GONE, True) == (gone.status_code, told in gone.text)
    assert world.document(post).id == document.id

    world.bot.speak()
    world.clock.shift += timedelta(days=11)
    assert 1 == world.bot.prune().histories
    with pytest.raises(NoSuchDocument, match="its history was removed"):
        world.document(post)
    assert gone.text == pages.get(f"/{document.slug}").text
    assert HTTPStatus.NOT_FOUND == pages.get(f"/m/{document.page}").status_code

    world.restart(since=timedelta(days=60))
    assert 0 == world.bot.sweep().new
    assert 0 == world.bot.ingest().new
    world.bot.reply()
    (ours,) = our_posts(world)
    assert ours.uri == document.reply_uri

    world.says("alice.test", "delete", ours)
    world.bot.ingest()
    watch(world)
    assert ours not in our_posts(world)
