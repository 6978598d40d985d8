"""The documents, one document and the charts in a real browser: live, by keyboard, for everybody, and inert."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from bot.console.links import document_path
from bot.ledger.views import Document
from guardrails.access import Role
from guardrails.policy import SANDBOX, content_security_policy
from guardrails.transitions import Status
from tests.bot.ledger.steps import STARTS, build_failed, held, now_of, received, skipped
from tests.console.accessibility import serious
from tests.console.conftest import APPS_URL, Served
from tests.console.test_document import HOSTILE, built_with_everything
from tests.many import more_documents
from tests.mentions import OPERATOR

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
LIST = "/documents"
# A busy machine is slow, and no reason to fail.
expect.set_options(timeout=20_000)


def rows(page: Page) -> list[str]:
    """The ids of the documents that are listed."""
    ids: list[str] = page.locator("#rows > tr").evaluate_all("(rows) => rows.map((row) => row.dataset.id)")
    return ids


def row(page: Page, document: Document) -> str:
    return f'[id="row:{document.id}"]'


def status_of(page: Page, document: Document) -> str:
    return page.locator(f"{row(page, document)} .status").inner_text()


def opened(console: Served, page: Page, path: str, role: Role = Role.OPERATOR) -> Page:
    console.let_in(page, role).goto(f"{console.url}{path}")
    return page


def live(page: Page) -> Page:
    expect(page.locator("#live")).to_have_text("Live")
    return page


def page_of(document: Document) -> str:
    return document_path(document.id).removeprefix("/console")


@pytest.fixture
def other(browser: Browser) -> Iterator[Page]:
    """Somebody else's browser."""
    with browser.new_context() as context:
        yield context.new_page()


def test_the_list_is_live_and_holds_still(console: Served, page: Page) -> None:
    """A row is told anew in place, but not under the pointer; new ones wait until they are asked for."""
    ledger = console.ledger
    failed, waits = build_failed(ledger, "3kfailed"), held(ledger, "3kheld")
    live(opened(console, page, LIST))
    page.hover(row(page, waits))
    before = rows(page)

    ledger.documents.approve(OPERATOR, waits)
    ledger.documents.retry(OPERATOR, failed)
    new = received(ledger, "3knew", ask="a timer for tea")

    expect(page.locator(f"{row(page, failed)} .status")).to_have_text("pending-build")
    expect(page.locator("#new")).to_have_text("1 new")
    assert "changed" in str(page.locator(row(page, failed)).get_attribute("class"))
    assert "awaiting-approval" == status_of(page, waits)
    assert before == rows(page)
    page.hover("h1")
    expect(page.locator(f"{row(page, waits)} .status")).to_have_text("pending-build")
    page.click("#new")
    expect(page.locator(row(page, new))).to_contain_text("a timer for tea")
    assert [new.id, *before] == rows(page)


def test_a_list_is_filtered_turned_and_walked_by_keyboard(console: Served, page: Page) -> None:
    """All of it is in the address; j and k walk, x selects, Enter opens, a slash searches."""
    ledger = console.ledger
    more_documents(ledger, skipped(ledger, "3kskipped"), 70)
    asked = [received(ledger, f"3kask{number}", ask=f"a kitchen timer {number}") for number in range(2)]
    opened(console, page, LIST)
    first = rows(page)
    with page.expect_navigation():
        page.click("a[rel=next]")
    second = rows(page)
    assert (50, 23) == (len(first), len(second))
    assert not set(first) & set(second)
    with page.expect_navigation():
        page.click("a[rel=prev]")
    assert first == rows(page)

    page.click("label.chip:has-text('received')")
    with page.expect_navigation():
        page.click("#filters button")
    assert f"{console.url}/documents?status=received&text=&author=&since=&until=&reason=&lane=" == page.url
    assert [document.id for document in reversed(asked)] == rows(page)
    page.keyboard.press("/")
    page.keyboard.type("kitchen 1")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator(".count")).to_have_text(re.compile("1 document"))
    assert [asked[1].id] == rows(page)
    page.reload()
    assert [asked[1].id] == rows(page)

    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("#ticked")).to_have_text("1 selected")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("a kitchen timer 1")


@pytest.mark.timeout(180)
def test_five_hundred_are_retried_by_one_press(console: Served, page: Page) -> None:
    """Counted and confirmed before; a double click does it once."""
    failed = build_failed(console.ledger, "3kfailed")
    more_documents(console.ledger, failed, 500)
    opened(console, page, f"{LIST}?status=build-failed")
    page.check("[name=all]")
    page.select_option("[name=deed]", "retry")
    page.click("#bar button")
    expect(page.locator("h1")).to_have_text("Retry 501?")
    page.dblclick("button:has-text('Retry 501')")

    expect(page.locator(".ended")).to_contain_text("501 Done", timeout=150_000)
    assert 501 == console.ledger.pages.counts()[Status.PENDING_BUILD]
    assert failed.version + 1 == now_of(console.ledger, failed).version


def test_of_two_people_one_reads_what_it_is_now(console: Served, page: Page, other: Page) -> None:
    """One presses twice, and it is done once; the other, whose stream is cut, overwrites nothing."""
    document = held(console.ledger, "3kheld")
    other.route("**/console/stream*", lambda route: route.abort())
    for each in (page, other):
        opened(console, each, page_of(document))
    page.dblclick("button:has-text('Approve')")
    expect(page.locator("#stand .status")).to_have_text("pending-build")
    expect(page.locator("main > .banner")).to_contain_text("pending-build")
    other.click("summary:has-text('Skip')")
    other.fill("#why-skip", "too late")
    other.click("button:has-text('Skip')")

    expect(other.get_by_role("alert").filter(visible=True)).to_contain_text(
        "Changed meanwhile: it is pending-build now"
    )
    assert document.version + 1 == now_of(console.ledger, document).version


def test_a_document_is_told_anew_as_it_moves(console: Served, page: Page) -> None:
    """Its buttons too; what somebody is typing stays."""
    document = held(console.ledger, "3kheld")
    live(opened(console, page, page_of(document)))
    page.click("summary:has-text('Take down')")
    page.fill("#why-take_down", "because")
    page.hover("h1")
    page.locator("#why-take_down").blur()

    approved = console.ledger.documents.approve(OPERATOR, document)

    expect(page.locator("#stand .status")).to_have_text("pending-build")
    expect(page.locator("#history li").last).to_contain_text("approve")
    expect(page.locator("#deed-approve")).to_have_count(0)
    assert "because" == page.input_value("#why-take_down")
    assert str(approved.version) == page.input_value("#deed-take_down [name=version]")


@SQLITE
def test_what_others_wrote_runs_nowhere(console: Served, page: Page) -> None:
    """Nothing is asked of another host, nothing pops up, and no script of theirs runs."""
    document = built_with_everything(console.ledger)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
    live(opened(console, page, LIST))
    page.check("[name=on]")
    page.click("#bar button")
    expect(page.locator("[aria-labelledby=sample]")).to_contain_text("<img src=x")
    opened(console, page, page_of(document))
    for summary in page.locator("#attempts summary").all():
        summary.click()
    expect(page.locator("pre").first).to_contain_text("\\x1b[2J")
    received(console.ledger, "3kmore", ask=HOSTILE)

    assert [] == [each for each in asked if not each.startswith(console.url)]
    assert 0 == page.locator("main img:not(.screen), main script").count()


@SQLITE
def test_an_app_can_be_tried_in_its_frame(console: Served, page: Page) -> None:
    """It is asked for only then, and shut in as on its own page."""
    document = built_with_everything(console.ledger)
    asked: list[str] = []
    policy = content_security_policy(f"{APPS_URL} {console.url.removesuffix('/console')}")

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        assert f"{console.url.removesuffix('/console')}/" == route.request.header_value("Referer")
        route.fulfill(body="<!doctype html><h1>25:00</h1>", headers={"Content-Security-Policy": policy})

    page.route("http://*.apps.localhost:8100/**", answer)
    opened(console, page, page_of(document))
    assert [] == asked
    page.click("#try summary")

    expect(page.frame_locator("#try iframe").locator("h1")).to_have_text("25:00")
    assert SANDBOX == page.get_attribute("#try iframe", "sandbox")
    assert [f"http://{document.slug}.apps.localhost:8100/~1/"] == asked


@SQLITE
def test_everybody_can_use_it(console: Served, page: Page) -> None:
    """axe-core finds nothing serious, in either colours, and nothing runs out of a window or of a phone's."""
    everything = [make(console.ledger, f"3k{status.value}") for status, make in STARTS.items()]
    document = built_with_everything(console.ledger)
    for path in (LIST, page_of(document), page_of(everything[4]), "/charts?range=24h"):
        opened(console, page, path)
        for details in page.locator("main details:not(#try) > summary").all():
            details.click()
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert (path, width) == (path, page.evaluate("document.documentElement.scrollWidth"))
        assert (path, []) == (path, serious(page))


@SQLITE
def test_charts_are_drawn_and_told(console: Served, page: Page) -> None:
    """Each is drawn, and its table says the same; light turns to dark without another look at the ledger."""
    for status, make in STARTS.items():
        make(console.ledger, f"3k{status.value}")
    opened(console, page, "/charts?range=24h", Role.VIEWER)

    expect(page.locator(".plot canvas")).to_have_count(7)
    page.emulate_media(color_scheme="dark")
    expect(page.locator(".plot canvas")).to_have_count(7)
    page.click("#flow summary")
    assert ["From", "mentions", "apps built", "replies"] == page.locator("#flow thead th").all_inner_texts()
    cells = page.locator("#flow tbody tr").last.locator("td").all_inner_texts()
    assert [str(len(STARTS)), "3", "1"] == cells
    expect(page.locator("#skips")).to_contain_text("nothing to build")


@SQLITE
def test_it_reads_without_scripts(console: Served, browser: Browser) -> None:
    """Filters, pages, tables and forms are plain; a viewer finds no button that changes anything."""
    document = build_failed(console.ledger, "3kfailed")
    with browser.new_context(java_script_enabled=False) as context:
        page = opened(console, context.new_page(), f"{LIST}?status=build-failed", Role.VIEWER)
        assert [0, 0, 0] == [
            page.locator(each).count() for each in ("[name=on]", "#bar", "main form[method=post] button")
        ]
        page.click("#rows a")
        assert 0 == page.locator("main form[method=post]").count()
        page.goto(f"{console.url}/charts")
        assert 0 < page.locator("#flow tbody tr").count()
    with browser.new_context(java_script_enabled=False) as context:
        page = opened(console, context.new_page(), LIST)
        page.check("[name=on]")
        page.click("#bar button")
        page.click("button:has-text('Retry 1')")

    assert Status.PENDING_BUILD is now_of(console.ledger, document).status
