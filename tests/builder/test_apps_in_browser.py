"""The four little apps in a real browser, under the policy that they are served with, in a sandboxed frame."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, FrameLocator, Page, Route, expect

from builder.generators.template import choose
from builder.generators.templates.page import render
from guardrails.policy import content_security_policy

pytestmark = pytest.mark.browser

FRAME = '<iframe sandbox="{allowed}" src="http://app.apps.example/" style="width:100%;height:900px;border:0"></iframe>'
# Without an origin of its own: the hardest case, in which even reading localStorage throws.
HARDEST = "allow-scripts"

Open = Callable[..., FrameLocator]


@pytest.fixture
def open_app(page: Page) -> Open:
    """Opens the app of an ask in a frame; nothing is fetched but the two pages themselves."""

    def open_app(ask: str, allowed: str = HARDEST) -> FrameLocator:
        built = choose(ask)
        assert built is not None

        def answer(route: Route) -> None:
            if route.request.url == "http://app.apps.example/":
                headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": content_security_policy("http://apps.example")}
                route.fulfill(body=render(built), headers=headers)
            elif route.request.url == "http://apps.example/":
                body = f"<!doctype html><body style=margin:0>{FRAME.format(allowed=allowed)}"
                route.fulfill(body=body, content_type="text/html")
            else:
                route.abort()
                pytest.fail(f"the app asked for {route.request.url}")

        page.route("**/*", answer)
        page.goto("http://apps.example/")
        return page.frame_locator("iframe")

    return open_app


def with_still_clock(page: Page, open_app: Open, ask: str) -> FrameLocator:
    """The app of an ask, in a browser whose time passes only when told to."""
    page.clock.install(time=0)
    app = open_app(ask)
    expect(app.locator("h1")).to_be_visible()
    page.clock.pause_at(3_600)
    return app


def test_a_pomodoro_counts_and_goes_on_to_the_break(page: Page, open_app: Open) -> None:
    """Start, pause by the space bar, run to the end, ring, break; after the last round the long one."""
    app = with_still_clock(page, open_app, "pomodoro 2/1/7 after 2 rounds")
    clock = app.locator("#clock")
    expect(clock).to_have_text("02:00")

    app.get_by_role("button", name="Start").click()
    page.clock.run_for(30_000)
    expect(clock).to_have_text("01:30")
    app.locator("h1").click()
    page.keyboard.press("Space")
    page.clock.run_for(30_000)
    expect(clock).to_have_text("01:30")

    page.keyboard.press("Space")
    page.clock.run_for(91_000)
    expect(app.locator("#phase")).to_have_text("Break")
    expect(clock).to_have_text("01:00")
    expect(app.get_by_role("status")).to_have_text("Focus is over. Break: 1 minute.")

    app.get_by_role("button", name="Skip").click()
    app.get_by_role("button", name="Skip").click()
    expect(app.locator("#phase")).to_have_text("Long break")
    expect(clock).to_have_text("07:00")


def test_a_pomodoro_takes_new_times(open_app: Open) -> None:
    """From its own form, brought into range."""
    app = open_app("pomodoro 25/5")

    app.get_by_text("Change the times").click()
    field = app.get_by_label("Focus, minutes")
    field.fill("999")
    field.press("Tab")

    expect(field).to_have_value("180")
    expect(app.locator("#clock")).to_have_text("180:00")


@pytest.mark.parametrize(
    ("bill", "each", "tip", "total"),
    [
        ("100", "$30.00", "$20.00", "$120.00"),
        ("86,40", "$25.92", "$17.28", "$103.68"),
        ("1,234.50", "$370.35", "$246.90", "$1,481.40"),
        ("0.10", "$0.03", "$0.02", "$0.12"),
        ("0.11", "$0.04", "$0.02", "$0.13"),
    ],
)
def test_a_tip_splitter_sums_right(open_app: Open, bill: str, each: str, tip: str, total: str) -> None:
    """To the cent, shares rounded up so that nobody falls short."""
    app = open_app("split the bill for 4 people with a 20% tip")

    app.get_by_label("Bill").fill(bill)

    shown = [app.locator(f"#{name}").inner_text() for name in ("each", "tip", "total")]
    assert [each, tip, total] == shown


def test_a_tip_splitter_is_worked_by_buttons_and_keys(page: Page, open_app: Open) -> None:
    """People up, tip by a usual one and by the arrow keys, whole amounts; nonsense is named."""
    app = open_app("tip splitter for 1 person in euros, 10%")
    app.get_by_label("Bill").fill("100")

    app.get_by_role("button", name="One person more").click()
    app.get_by_role("button", name="25%").click()
    assert "62.50" in app.locator("#each").inner_text()
    app.get_by_role("slider").press("ArrowRight")
    assert "62.75" in app.locator("#each").inner_text()
    app.get_by_label("Round each share up").check()
    assert "63.00" in app.locator("#each").inner_text()
    app.get_by_label("Bill").fill("lots")
    expect(app.get_by_text("That is not an amount")).to_be_visible()


def test_a_to_do_list_is_worked_by_keyboard_alone(page: Page, open_app: Open) -> None:
    """Add, tick, remove, undo, and the focus is never lost."""
    app = open_app("shopping list: milk, eggs")
    items = app.get_by_role("listitem")
    expect(items).to_have_text([re.compile("milk"), re.compile("eggs")])

    app.get_by_label("New item").focus()
    page.keyboard.type("bread & <b>butter</b>")
    page.keyboard.press("Enter")
    expect(items).to_have_count(3)
    expect(items.last).to_contain_text("bread & <b>butter</b>")

    app.get_by_label("milk", exact=True).focus()
    page.keyboard.press("Space")
    expect(app.get_by_text("1 of 3 done")).to_be_visible()
    page.keyboard.press("Delete")
    expect(items).to_have_count(2)
    expect(app.get_by_role("button", name="Remove eggs")).to_be_focused()
    page.keyboard.press("Enter")
    expect(items).to_have_count(1)
    app.get_by_role("button", name="Undo").press("Enter")
    expect(items).to_have_count(2)


def test_a_to_do_list_shows_what_is_open_and_clears_what_is_done(open_app: Open) -> None:
    """The three views and the broom."""
    app = open_app("to-do list: one, two, three")
    items = app.get_by_role("listitem")

    app.get_by_label("two", exact=True).check()
    app.get_by_role("button", name="Open", exact=True).click()
    expect(items).to_have_text([re.compile("one"), re.compile("three")])
    app.get_by_role("button", name="Clear what is done").click()
    app.get_by_role("button", name="All", exact=True).click()
    expect(items).to_have_text([re.compile("one"), re.compile("three")])


@pytest.mark.parametrize("ask", ["decision wheel: pizza, sushi or tacos", "decision wheel: a or b"])
def test_a_wheel_stops_where_it_says(page: Page, open_app: Open, ask: str) -> None:
    """What it announces is the slice under the pointer, several times in a row."""
    page.emulate_media(reduced_motion="reduce")
    app = open_app(ask)
    built = choose(ask)
    assert built is not None
    options = built.settings["options"]
    assert isinstance(options, list)

    for _ in range(8):
        app.locator("#spin").click()
        expect(app.locator("#spin")).to_have_text("Spin again")
        picked = app.locator("#result b").inner_text()
        turn = float(app.locator("#disc").evaluate("disc => parseFloat(disc.style.getPropertyValue('--turn'))"))
        assert options[int((-turn % 360) / (360 / len(options)))] == picked
        app.locator("#result").evaluate("result => result.replaceChildren()")


def test_a_wheel_spins_for_a_while(page: Page, open_app: Open) -> None:
    """With motion allowed it turns first and tells afterwards; a second press meanwhile does nothing."""
    app = with_still_clock(page, open_app, "decision wheel: pizza, sushi or tacos")

    app.locator("#spin").press("Enter")
    app.locator("#spin").press("Enter")
    expect(app.locator("#spin")).to_have_text("Spinning…")
    expect(app.locator("#result")).to_have_text("Spin the wheel to decide.")
    page.clock.run_for(4_400)

    expect(app.locator("#result b")).to_have_text(re.compile("pizza|sushi|tacos"))


def test_a_wheel_takes_new_options_by_keyboard(page: Page, open_app: Open) -> None:
    """Added with Enter, removed with a button, never to nothing."""
    app = open_app("decision wheel: a or b")
    app.get_by_text("Change the options").press("Enter")
    app.get_by_label("Another option").focus()
    page.keyboard.type("</script><img src=x onerror=alert(1)>")
    page.keyboard.press("Enter")

    expect(app.get_by_role("listitem")).to_have_count(3)
    app.get_by_role("button", name="Remove a").click()
    app.get_by_role("button", name="Remove b").click()
    expect(app.get_by_role("button", name="Remove </script>")).to_be_disabled()


def test_a_hostile_ask_is_inert(page: Page, open_app: Open) -> None:
    """Its script does not run: no dialog, no element of its own, only text."""
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)

    app = open_app("decision wheel </script><script>alert(1)</script>, <img src=x onerror=alert(2)>")

    expect(app.locator("#disc text").first).to_be_visible()
    assert ([], 0) == (dialogs, app.locator("img").count())


@pytest.mark.parametrize(
    "ask",
    [
        "pomodoro 120/30",
        "tip splitter for 4 people",
        "to-do list: a" + "very" * 25 + " long one, b",
        "decision wheel: " + ", ".join(f"the option number {number}" for number in range(24)),
    ],
    ids=["pomodoro", "tip", "todo", "wheel"],
)
def test_a_page_fits_every_screen(page: Page, open_app: Open, ask: str) -> None:
    """No sideways scrolling, with its details open too, and its ground follows the colour scheme."""
    app = open_app(ask)
    for summary in app.locator("summary").all():
        summary.click()

    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert 0 >= app.locator("html").evaluate("root => root.scrollWidth - root.clientWidth"), width
    body = app.locator("body")
    page.emulate_media(color_scheme="dark")
    expect(body).to_have_css("background-color", "rgb(19, 20, 25)")
    page.emulate_media(color_scheme="light")
    expect(body).to_have_css("background-color", "rgb(245, 243, 238)")


def test_a_list_is_kept_where_storage_works(page: Page, open_app: Open) -> None:
    """In a frame that keeps its own origin, what was added is there after a reload."""
    app = open_app("to-do list: one", allowed="allow-scripts allow-same-origin")
    app.get_by_label("New item").fill("two")
    app.get_by_label("New item").press("Enter")
    expect(app.get_by_role("listitem")).to_have_count(2)

    page.reload()

    expect(app.get_by_role("listitem")).to_have_text([re.compile("one"), re.compile("two")])
