"""Lists and documents in a real browser as their stream is cut, ends or is late: nothing that moved is missed."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from bot.console.links import document_path
from bot.follower import Follower
from guardrails.transitions import Reason
from tests.bot.ledger.steps import held, received
from tests.console.conftest import Served
from tests.console.test_documents_browser import LIST, SQLITE, live, opened, page_of, rows
from tests.mentions import OPERATOR
from tests.waiting import until


@SQLITE
def test_a_stream_that_was_cut_catches_up(console: Served, follower: Follower, page: Page) -> None:
    """Meanwhile the page says since when it is stale; then it equals the ledger, with nothing twice."""
    documents = [held(console.ledger, f"3kheld{number}") for number in range(5)]
    live(opened(console, page, LIST))
    page.route("**/console/stream*", lambda route: route.abort())
    for subscription in follower.subscriptions:
        subscription.close()
    expect(page.locator("#live")).to_have_text(re.compile(r"Stale since \d\d:\d\d:\d\d"))
    for document in documents:
        console.ledger.documents.approve(OPERATOR, document)
    received(console.ledger, "3knew")
    page.unroute("**/console/stream*")

    expect(page.locator("#live")).to_have_text("Live", timeout=20_000)
    expect(page.locator("#rows .status").filter(has_text="pending-build")).to_have_count(5)
    expect(page.locator("#new")).to_have_text("1 new")
    assert sorted(document.id for document in documents) == sorted(rows(page))


def hide(page: Page, *, hidden: bool = True) -> None:
    """What a browser tells a page that it puts behind others, or back before them."""
    page.evaluate(
        "(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )


@SQLITE
def test_a_page_that_nobody_sees_holds_no_stream(console: Served, follower: Follower, page: Page) -> None:
    """Six would be all that a browser has for one place; what has moved meanwhile is there once it is seen again."""
    for path, document in ((lambda _: LIST, held(console.ledger)), (page_of, held(console.ledger, "3kother"))):
        live(opened(console, page, path(document)))
        hide(page)
        until(lambda: not follower.subscriptions)
        approved = console.ledger.documents.approve(OPERATOR, document)
        hide(page, hidden=False)
        until(lambda: len(follower.subscriptions) == 1)

        expect(page.locator(f"[data-id='{document.id}'][data-version='{approved.version}']")).to_have_count(1)
        expect(page.locator("#live")).to_have_text("Live")


@SQLITE
@pytest.mark.parametrize("where", ["list", "document"])
def test_what_moves_while_a_page_looks_is_looked_for_next(console: Served, page: Page, where: str) -> None:
    """An answer that comes late is not the last, and one of a bot whose ledger is away is asked for again."""
    document = held(console.ledger, "3kheld")
    path = LIST if where == "list" else page_of(document)
    asked = "**/documents/changes*" if where == "list" else f"**{document_path(document.id)}"
    live(opened(console, page, path))
    looks: list[Route] = []
    late: list[APIResponse] = []

    def answer(route: Route) -> None:
        looks.append(route)
        if len(looks) == 1:
            late.append(route.fetch())
        elif len(looks) == 2:
            route.fulfill(status=503)
        else:
            route.continue_()

    def after(milliseconds: int, met: Callable[[], object]) -> object:
        page.clock.run_for(milliseconds)
        return met()

    page.clock.install()
    page.route(asked, answer)
    approved = console.ledger.documents.approve(OPERATOR, document)
    until(lambda: after(1500, lambda: late))
    stopped = console.ledger.documents.stop(OPERATOR, approved, Reason.STOPPED, "why")
    page.wait_for_timeout(200)
    page.clock.run_for(3000)
    assert 1 == len(looks)
    looks[0].fulfill(response=late[0])
    until(lambda: after(5000, page.locator(f"[data-version='{stopped.version}']").count))
    assert 3 == len(looks)


@SQLITE
def test_an_open_page_is_told_once_that_its_session_is_over(console: Served, follower: Follower, page: Page) -> None:
    """Then it asks for nothing any more."""
    live(opened(console, page, LIST))
    [session] = [each for each in console.ledger.consoles.sessions() if each.ended is None]
    console.ledger.consoles.revoke(OPERATOR, session.id)

    expect(page.locator("#ended")).to_contain_text("an operator ended this session")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    received(console.ledger, "3kmore")
    hide(page, hidden=False)
    page.wait_for_timeout(1000)
    assert [] == asked
    until(lambda: not follower.subscriptions)
