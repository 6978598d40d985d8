"""The console's pages in a real browser: live, held still, by keys, for everybody, and at an end when it is one."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bot.clock import Clock
from bot.ledger.consoles import IDLE
from bot.tokens import new_console_code
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.switches import Switch
from guardrails.transitions import Status
from tests.bot.ledger.steps import STARTS, held, pending, sending, travel
from tests.console.accessibility import serious
from tests.console.conftest import Served
from tests.mentions import OPERATOR

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
SENT = ("/sends?all=yes", "/parked")
PAGES = ("/", "/documents", *SENT, "/lanes", "/devices", "/rules", "/audit", "/sessions", "/nothing")
EVIL = "<img src=x onerror=alert(1)>" * 4
# A busy machine is slow, and no reason to fail.
expect.set_options(timeout=20_000)


def opened(console: Served, page: Page, path: str = "/", role: Role = Role.OPERATOR) -> Page:
    console.let_in(page, role).goto(f"{console.url}{path}")
    return page


def top_of(element: Locator) -> float:
    """How far below the window's edge it is, in pixels."""
    box = element.bounding_box()
    assert box is not None
    return box["y"]


def peopled(console: Served) -> None:
    """A ledger with something for every page to show."""
    ledger = console.ledger
    for number, start in enumerate(STARTS.values()):
        start(ledger, f"3kdoc{number}")
    for name in ("lane-1", "lane-old", "lane-evil"):
        ledger.desk.add_device(OPERATOR, DeviceId(name), EVIL, Role.LANE, "https://apps.example/", f"token of {name}")
    ledger.desk.revoke_device(OPERATOR, "lane-old")
    ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, EVIL)
    ledger.conditions.set("account", EVIL)
    ledger.sends.in_conflict(sending(ledger, "3kconflict"), EVIL)
    ledger.desk.park("notifications", {"uri": EVIL}, EVIL)


@SQLITE
def test_everybody_can_read_every_page(console: Served, page: Page) -> None:
    """axe finds nothing serious, in either colours; on a phone nothing runs out of the window."""
    peopled(console)
    page.set_viewport_size({"width": 360, "height": 740})
    console.let_in(page)
    for path in (*PAGES, "/sign-in?ended=revoked", "/enter/code"):
        page.goto(f"{console.url}{path}")
        for details in page.locator("summary").all():
            details.click()
        assert 360 == page.evaluate("document.documentElement.scrollWidth"), path
        assert [] == serious(page), path


def test_the_first_page_is_live_and_holds_still(console: Served, page: Page) -> None:
    """Counts are told anew; what the pointer is on neither changes nor moves, and says that it is held."""
    ledger = console.ledger
    held(ledger, "3kfirst")
    opened(console, page)
    expect(page.locator("#live")).to_have_text("Live")
    pile = page.locator("#pile-held_asks")
    pile.hover()
    place = top_of(pile)

    held(ledger, "3ksecond")
    pending(ledger, "3kthird")
    ledger.conditions.set("account", "the account is labelled spam")

    expect(page.locator("#count-pending-build .number")).to_have_text("1")
    expect(page.locator("#conditions")).to_contain_text("labelled spam")
    expect(page.locator("#held")).to_be_visible()
    expect(pile.locator(".number")).to_have_text("1")
    assert abs(place - top_of(pile)) < 1

    page.mouse.move(0, 0)
    page.keyboard.press("r")
    expect(pile.locator(".number")).to_have_text("2")
    expect(page.locator("#held")).to_be_hidden()


def test_work_is_paused_and_goes_on(console: Served, page: Page) -> None:
    """With a reason, by a form that a refresh does not shut or empty."""
    opened(console, page)
    page.get_by_text("Pause…").click()
    page.get_by_label("What", exact=True).select_option("pause_builds")
    page.get_by_label("Why, for whoever finds it paused").fill("an incident")
    with page.expect_response(lambda answer: answer.url == f"{console.url}/"):
        page.evaluate("document.body.dispatchEvent(new Event('again'))")
    page.get_by_role("button", name="Pause", exact=True).click()

    expect(page.get_by_role("status").filter(has_text="Paused")).to_have_text("Paused: builds.")
    expect(page.locator("#switch-pause_builds")).to_contain_text("an incident")
    page.get_by_role("button", name="Let go on: Builds").click()
    expect(page.get_by_role("status").filter(has_text="Goes on")).to_have_text("Goes on: builds.")
    page.reload()
    expect(page.get_by_role("status").filter(has_text="Goes on")).to_have_count(0)
    assert [] == console.ledger.desk.switches_on()


@SQLITE
def test_a_send_is_decided_about(console: Served, page: Page) -> None:
    """From the first page on; what is being typed outlasts a refresh, and nothing is done before the second page."""
    send = console.ledger.sends.in_conflict(sending(console.ledger), "another record is there")
    opened(console, page)
    page.get_by_role("link", name="sends in whose place stands something else").click()
    page.get_by_text("It is out…").click()
    page.get_by_label("At-uri or link of the record").fill("at://")
    with page.expect_response(lambda answer: answer.url == f"{console.url}/sends"):
        page.evaluate("document.body.dispatchEvent(new Event('again'))")
    expect(page.get_by_label("At-uri or link of the record")).to_have_value("at://")
    page.get_by_role("button", name="Abandon").click()
    expect(page.get_by_text("At risk:")).to_contain_text("says it a second time")
    assert send == console.ledger.queries.send(send.key)

    page.get_by_role("button", name="Abandon", exact=True).click()
    expect(page.get_by_role("status").filter(has_text=send.key)).to_contain_text("abandoned, decided by you")
    expect(page.get_by_text("Nothing is unsettled")).to_be_visible()


@SQLITE
def test_a_button_that_is_pressed_twice_does_it_once(console: Served, page: Page) -> None:
    """And the token of the one device is on the page."""
    opened(console, page, "/devices")
    page.get_by_text("Add a device…").click()
    page.locator("#add-name").fill("spare box")
    page.get_by_role("button", name="Add", exact=True).dblclick()

    token = page.locator(".secret").inner_text()
    assert console.ledger.desk.device_of_token(token)
    assert 1 == sum(device.name == "spare box" for device in console.ledger.desk.devices())


@SQLITE
def test_keys(console: Served, page: Page) -> None:
    """? tells them, / searches, g goes somewhere; none does anything where somebody writes."""
    opened(console, page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search all documents")).to_be_focused()
    page.keyboard.type("gl?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("l")
    page.wait_for_url(f"{console.url}/lanes")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    assert "page" == page.get_by_role("link", name="Lanes", exact=True).get_attribute("aria-current")


def test_a_link_lets_somebody_in_and_signing_out_lets_them_out(console: Served, page: Page) -> None:
    """Going back shows nothing any more; a viewer is offered no button but that one."""
    code = new_console_code()
    console.ledger.consoles.offer(OPERATOR, code, Role.VIEWER, timedelta(minutes=10))
    page.goto(f"{console.url}/enter/{code}")
    page.get_by_role("button", name="Enter").click()
    page.wait_for_url(f"{console.url}/")
    page.goto(f"{console.url}/devices")
    assert {"Keys ?", "Sign out"} == {button.inner_text() for button in page.get_by_role("button").all()}

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("status").filter(has_text="signed out")).to_have_text("You signed out.")
    page.go_back()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("how", ["revoked", "idle"])
def test_an_open_page_whose_session_ends_says_so_once_and_stops_asking(
    console: Served, page: Page, ledger_clock: Clock, how: str
) -> None:
    """At most two calls in the minute after that, and no secret in any of their addresses."""
    opened(console, page)
    expect(page.locator("#live")).to_have_text("Live")
    page.clock.install()
    page.goto(f"{console.url}/")
    expect(page.locator("#live")).to_have_text("Live")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    if how == "revoked":
        console.ledger.desk.revoke_device(OPERATOR, "operator-1")
    else:
        travel(ledger_clock, seconds=IDLE.total_seconds() + 1)
    page.evaluate("document.body.dispatchEvent(new Event('again'))")

    banner = page.locator("#ended")
    expect(banner).to_contain_text("You were signed out")
    asked.clear()
    for _ in range(6):
        page.clock.run_for(10_000)
    assert len(asked) <= 2
    assert not [url for url in asked if re.search(r"token|csrf|[\w-]{40}", url)]

    banner.get_by_role("link", name="Sign in again").click()
    expect(page.get_by_text("You were signed out")).to_have_count(1)
    page.get_by_label("Token of").fill(console.token(Role.OPERATOR))
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{console.url}/")


@pytest.fixture
def plain(browser: Browser) -> Iterator[Page]:
    """A browser that runs no scripts."""
    with browser.new_context(java_script_enabled=False) as context:
        yield context.new_page()


@SQLITE
def test_it_reads_and_writes_without_scripts(console: Served, plain: Page) -> None:
    """By plain links and forms."""
    peopled(console)
    console.ledger.desk.release(OPERATOR, Switch.PAUSE_REPLIES)
    plain.goto(f"{console.url}/audit")
    plain.get_by_label("Token of").fill(console.token(Role.OPERATOR))
    plain.get_by_role("button", name="Sign in").click()
    plain.wait_for_url(f"{console.url}/audit")
    for name in ("Lanes", "Devices", "Rules", "Sessions", "Now"):
        plain.get_by_role("link", name=name, exact=True).click()
        expect(plain.get_by_role("heading", level=1)).to_have_text(name)

    assert "1" == plain.locator(f"#count-{Status.REPLIED.value} .number").inner_text()
    plain.get_by_text("Pause…").click()
    plain.get_by_label("Why, for whoever finds it paused").fill("an incident")
    plain.get_by_role("button", name="Pause", exact=True).click()
    assert set(Switch) == {switch for switch, *_ in console.ledger.desk.switches_on()}
