"""The dozen little apps in a real browser, under the policy that they are served with, in a sandboxed frame."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Dialog, FrameLocator, Page, Route, expect

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
                headers = {
                    "content-type": "text/html; charset=utf-8",
                    "content-security-policy": content_security_policy("http://apps.example"),
                }
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


def test_a_countdown_counts_and_says_when_it_is_over(page: Page, open_app: Open) -> None:
    """Down to the second; a day that comes each year is the next one; another day can be chosen."""
    page.clock.install(time="2030-12-23T22:30:00")
    app = open_app("countdown to 24 December")
    expect(app.locator("#target")).to_have_text("Tuesday, 24 December 2030")

    page.clock.pause_at("2030-12-23T23:59:50")
    page.clock.run_for(1_000)
    shown = [app.locator(f"#{part}").inner_text() for part in ("days", "hours", "minutes", "seconds")]
    assert ["0", "00", "00", "09"] == shown

    page.clock.run_for(10_000)
    expect(app.locator("#over")).to_have_text("24 December: it is here!")
    expect(app.get_by_role("status")).to_have_text("24 December: it is here!")

    app.get_by_text("Change the day").click()
    app.get_by_label("Day and time").fill("2031-01-01T00:00")
    app.get_by_label("What is then?").fill("New Year")
    app.get_by_label("What is then?").press("Tab")
    expect(app.locator("h1")).to_have_text("Countdown to New Year")
    expect(app.locator("#days")).to_have_text("7")


def test_a_countdown_of_so_many_days_goes_on(page: Page, open_app: Open) -> None:
    """Whoever comes back on the third day does not begin anew, and what was changed stays, where storage works."""
    page.clock.set_fixed_time("2030-11-01T09:00:00")
    app = open_app("a 30 day countdown", allowed="allow-scripts allow-same-origin")
    expect(app.locator("#target")).to_have_text("Sunday, 1 December 2030")

    page.clock.set_fixed_time("2030-11-03T09:00:00")
    page.reload()
    expect(app.locator("#target")).to_have_text("Sunday, 1 December 2030")

    app.get_by_text("Change the day").click()
    app.get_by_label("Day and time").fill("2031-01-01T00:00")
    app.get_by_label("What is then?").fill("New Year")
    app.get_by_label("What is then?").press("Tab")
    page.reload()
    expect(app.locator("#target")).to_have_text("Wednesday, 1 January 2031")
    expect(app.locator("h1")).to_have_text("Countdown to New Year")


def test_a_countdown_to_a_time_in_a_zone_is_the_same_for_all(browser: Browser) -> None:
    """It is told in the reader's own time; a day without a zone begins where the reader is."""
    shown = []
    for zone in ("UTC", "America/New_York"):
        with browser.new_context(timezone_id=zone) as context:
            for ask in (
                "countdown to 1 January 2031, 8pm UTC",
                "countdown to friday at noon CET",
                "days until 1 January",
            ):
                built = choose(ask)
                assert built is not None
                page = context.new_page()
                page.clock.set_fixed_time("2030-11-29T09:00:00Z")
                page.set_content(render(built))
                shown.append((page.locator("#target").inner_text(), page.locator("#days").inner_text()))

    assert [
        ("Wednesday, 1 January 2031 at 20:00", "33"),
        ("Friday, 29 November 2030 at 11:00", "0"),
        ("Wednesday, 1 January 2031", "32"),
        ("Wednesday, 1 January 2031 at 15:00", "33"),
        ("Friday, 29 November 2030 at 06:00", "0"),
        ("Wednesday, 1 January 2031", "32"),
    ] == shown


@pytest.mark.parametrize(
    ("ask", "today", "day"),
    [
        ("countdown to friday at 17:00", "2030-11-29T09:00:00", "Friday, 29 November 2030 at 17:00"),
        ("countdown to easter", "2030-05-01T00:00:00", "Sunday, 13 April 2031"),
        ("days until Thanksgiving", "2030-01-01T00:00:00", "Thursday, 28 November 2030"),
        ("countdown to friday", "2030-11-29T09:00:00", "Friday, 6 December 2030"),
        ("countdown to Christmas", "2030-12-25T09:00:00", "Wednesday, 25 December 2030"),
        ("countdown to Christmas", "2030-12-26T09:00:00", "Thursday, 25 December 2031"),
    ],
)
def test_a_countdown_finds_the_next_such_day(page: Page, open_app: Open, ask: str, today: str, day: str) -> None:
    """A feast that moves, a weekday, and a day that is today."""
    page.clock.set_fixed_time(today)

    expect(open_app(ask).locator("#target")).to_have_text(day)


def test_a_timer_counts_down_and_is_paused(page: Page, open_app: Open) -> None:
    """Start, a minute more, pause by the space bar, the end."""
    app = with_still_clock(page, open_app, "egg timer for 6 minutes")
    clock = app.locator("#clock")
    expect(clock).to_have_text("06:00")

    app.get_by_role("button", name="Start").click()
    page.clock.run_for(10_000)
    expect(clock).to_have_text("05:50")
    app.get_by_role("button", name="+ 1 minute").click()
    expect(clock).to_have_text("06:50")
    app.locator("h1").click()
    page.keyboard.press("Space")
    page.clock.run_for(60_000)
    expect(clock).to_have_text("06:50")

    app.get_by_role("button", name="Go on").click()
    page.clock.run_for(411_000)
    expect(app.get_by_role("status")).to_have_text("Time is up!")
    expect(clock).to_have_text("00:00")


def test_a_converter_converts_both_ways(open_app: Open) -> None:
    """By its factor, with an offset, by the table of all units; nonsense is named."""
    app = open_app("convert 5 km to miles")
    answer = app.locator("#answer")
    expect(answer).to_have_text("3.106856 mi")

    app.get_by_role("button", name="Swap").click()
    expect(answer).to_have_text("8.04672 km")
    for typed, kilometres in (
        ("1,5", "2.414016"),
        ("10,000", "16,093.44"),
        ("1.500", "2.414016"),
        ("1.234,5", "1,986.735"),
    ):
        app.get_by_label("From", exact=True).fill(typed)
        expect(answer).to_have_text(f"{kilometres} km")

    app.get_by_label("What").select_option("Temperature")
    app.get_by_label("From", exact=True).fill("-40")
    expect(answer).to_have_text("-40 °F")
    app.get_by_label("From", exact=True).fill("100")
    expect(answer).to_have_text("212 °F")
    expect(app.locator("#table dd").last).to_have_text("373.15 K")
    app.get_by_label("From", exact=True).fill("hot")
    expect(app.get_by_text("Type a number like 12.5.")).to_be_visible()


def test_dice_fall_within_their_range_and_are_fair(page: Page, open_app: Open) -> None:
    """The total is what lies there and what is added; other dice can be taken; each side comes up."""
    page.emulate_media(reduced_motion="reduce")
    app = open_app("dice roller 2d20 + 3")
    for _ in range(8):
        app.get_by_role("button", name="Roll 2d20 + 3").click()
        fallen = [int(text) for text in app.locator("#tray text").all_text_contents()]
        assert 2 == len(fallen)
        assert {1 <= each <= 20 for each in fallen} == {True}
        assert sum(fallen) + 3 == int(app.locator("#total").inner_text())
    expect(app.get_by_role("listitem")).to_have_count(7)

    app.get_by_text("Other dice").click()
    app.get_by_label("How many").fill("20")
    app.get_by_label("Sides").select_option("6")
    app.get_by_label("Added").fill("0")
    app.get_by_label("Added").press("Tab")
    app.get_by_role("button", name="Roll 20d6").click()
    assert int(app.locator("#total").inner_text()) == app.locator("#tray circle").count()
    drawn = app.locator("body").evaluate(
        "() => { const seen = []; for (let i = 0; i < 600; i++) seen.push(chance(6)); return seen; }"
    )
    assert set(range(6)) == set(drawn)


def test_a_palette_has_five_valid_colours(page: Page, open_app: Open) -> None:
    """By every rule, from a typed code, with text that can be read on each; a code can be copied by hand."""
    app = open_app("palette from #ff8800")
    codes = app.locator("#swatches b")
    for rule in ("analogous", "complementary", "split", "triadic", "shades", "pastel"):
        app.get_by_label("Rule").select_option(rule)
        shown = codes.all_text_contents()
        assert 5 == len(shown), rule
        assert {bool(re.fullmatch("#[0-9a-f]{6}", code)) for code in shown} == {True}
        assert ("#ff8800" in shown) == (rule != "pastel")
        ratios = [
            float(text.split()[2].removesuffix(":1")) for text in app.locator("#swatches small").all_text_contents()
        ]
        assert min(ratios) >= 4.5

    app.get_by_label("Rule").select_option("complementary")
    app.get_by_label("Base", exact=True).fill("00f")
    app.get_by_label("Base", exact=True).press("Enter")
    expect(codes.nth(4)).to_have_text("#e0e000")
    app.get_by_label("Base", exact=True).fill("sky")
    app.get_by_label("Base", exact=True).press("Enter")
    expect(app.get_by_text("A colour code looks like #ff8800.")).to_be_visible()
    app.get_by_role("button", name="Copy all").click()
    expect(app.locator("#copied")).to_have_text(re.compile("by hand: #|Copied all five"))


def test_flashcards_turn_and_come_again_when_missed(page: Page, open_app: Open) -> None:
    """Turn, know one, miss one, repeat the missed one, add another; all by keyboard too."""
    app = open_app("Spanish flashcards: hola=hello, adiós=goodbye")
    words = app.locator("#words")
    expect(words).to_have_text("hola")

    app.locator("#card").click()
    expect(words).to_have_text("hello")
    app.locator("#card").press("Enter")
    expect(words).to_have_text("hola")
    app.get_by_role("button", name="Again").click()
    expect(words).to_have_text("adiós")
    page.keyboard.press("ArrowRight")
    expect(words).to_have_text("1 of 2 known")
    app.get_by_role("button", name="Repeat 1 missed").click()
    expect(words).to_have_text("hola")
    app.get_by_role("button", name="I knew it").click()
    expect(words).to_have_text("All known. Well done!")

    app.get_by_text("Change the cards").click()
    app.get_by_label("Front").fill("<b>sí</b>")
    app.get_by_label("Back", exact=True).fill("yes")
    app.get_by_label("Back", exact=True).press("Enter")
    expect(app.get_by_role("listitem")).to_have_count(3)
    expect(app.get_by_text("Card 1 of 3")).to_be_visible()


def test_a_habit_is_ticked_and_its_days_in_a_row_are_counted(page: Page, open_app: Open) -> None:
    """Today and before, never the days to come; over the turn of the week."""
    page.clock.set_fixed_time("2030-12-04T12:00:00")
    app = open_app("habit tracker: run, read")
    wednesday = app.get_by_role("button", name="Run, Wednesday 4 December")
    expect(wednesday).to_have_attribute("aria-pressed", "false")

    wednesday.click()
    expect(wednesday).to_have_attribute("aria-pressed", "true")
    expect(wednesday).to_be_focused()
    expect(app.get_by_text("Today: 1 of 2 done")).to_be_visible()
    expect(app.get_by_role("button", name="Run, Thursday 5 December")).to_be_disabled()
    for day in ("Tuesday 3", "Monday 2"):
        app.get_by_role("button", name=f"Run, {day} December").click()
    app.get_by_role("button", name="Week before").click()
    app.get_by_role("button", name="Run, Sunday 1 December").click()
    expect(app.get_by_text("4 days in a row")).to_be_visible()
    app.get_by_role("button", name="Run, Sunday 1 December").click()
    expect(app.get_by_text("3 days in a row")).to_be_visible()

    app.get_by_text("Change the habits").click()
    app.get_by_label("Another habit").fill("Sleep")
    app.get_by_label("Another habit").press("Enter")
    app.get_by_role("button", name="Remove Read").click()
    expect(app.get_by_role("listitem")).to_have_text([re.compile("Run"), re.compile("Sleep")])


def test_a_drawing_leaves_pixels_and_is_undone(page: Page, open_app: Open) -> None:
    """A line in the chosen colour, the eraser, undo, clear; saving gives a picture."""
    app = open_app("drawing pad with red and blue")
    paper = app.locator("#paper")
    box = paper.bounding_box()
    assert box is not None
    count = """paper => {
      const { data } = paper.getContext("2d").getImageData(0, 0, paper.width, paper.height);
      let blue = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at + 2] > 200 && data[at] < 90) blue += 1;
      return blue;
    }"""
    assert 0 == paper.evaluate(count)

    def stroke() -> None:
        page.mouse.move(box["x"] + 30, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + 180, box["y"] + 120, steps=6)
        page.mouse.up()

    app.get_by_role("button", name="Colour 2").click()
    stroke()
    drawn = paper.evaluate(count)
    assert drawn > 300
    app.get_by_role("button", name="Eraser").click()
    stroke()
    assert 0 == paper.evaluate(count)
    app.get_by_role("button", name="Undo").click()
    assert drawn == paper.evaluate(count)
    app.get_by_role("button", name="Clear").click()
    assert 0 == paper.evaluate(count)
    expect(app.get_by_role("button", name="Undo")).to_be_disabled()


def test_a_calculator_works_out_its_formula(open_app: Open) -> None:
    """The one of the ask, with either decimal mark; another one can be typed, and a wrong one is named."""
    app = open_app("calculate area = width * height")
    expect(app.get_by_text("Fill in every field")).to_be_visible()
    app.get_by_label("Width").fill("4")
    app.get_by_label("Height").fill("2,5")
    expect(app.locator("#results dd").first).to_have_text("10")
    app.get_by_label("Width").fill("10,000")
    expect(app.locator("#results dd").first).to_have_text("25,000")

    app.get_by_text("Change the formula").click()
    lines = app.get_by_label("Formulas, one a line")
    lines.fill("side = sqrt(a^2 + b²)\nhalf = side / 2")
    app.get_by_role("button", name="Use it").click()
    app.get_by_label("A", exact=True).fill("3")
    app.get_by_label("B", exact=True).fill("4")
    expect(app.locator("#results dd")).to_have_text(["5", "2.5"])
    lines.fill("side = alert(1")
    app.get_by_role("button", name="Use it").click()
    expect(app.get_by_text("“)” is missing.")).to_be_visible()


SUMS = [
    ("2 + 3 * 4", 14),
    ("(2 + 3) × 4", 20),
    ("2 ^ 3 ^ 2", 512),
    ("-2 ^ 2", -4),
    ("2 ^ -1", 0.5),
    ("10 / 4 - 1", 1.5),
    ("7 - 2 - 1", 4),
    ("50% * 80", 40),
    ("2 pi", 6.283185307179586),
    ("2(3 + 4)", 14),
    ("√(16) + 1", 5),
    ("√16", 4),
    ("max(1; 2, 3)", 3),
    ("1,5 + 1.5", 3),
    ("10,000 + 0,125", 10000.125),
    ("ln e", 1),
    ("2 +", None),
    ("(1", None),
    ("1)", None),
    ("2 ! 3", None),
    ("constructor", None),
    ("(" * 400, None),
    ("-" * 400 + "1", None),
]


def test_a_calculator_reads_sums_as_people_write_them(open_app: Open) -> None:
    """Strength, signs, powers from the right, brackets; what is none is an error and nothing is ever run."""
    app = open_app("calculator")
    worked_out = app.locator("body").evaluate(
        """(_, sums) => sums.map((sum) => {
          try {
            const { value, names } = compile(sum);
            return names.length ? null : value(new Map());
          } catch (problem) {
            return problem instanceof RangeError ? "the stack is full" : null;
          }
        })""",
        [text for text, _ in SUMS],
    )
    assert SUMS == [(text, value) for (text, _), value in zip(SUMS, worked_out, strict=True)]


def test_a_calculator_has_keys(page: Page, open_app: Open) -> None:
    """Tap a sum, equals, delete; what was worked out before stays."""
    app = open_app("a simple calculator")
    for key in ["7", "times", "(", "8", "plus", "9", ")"]:
        app.get_by_role("button", name=key, exact=True).click()
    expect(app.locator("#answer")).to_have_text("119")
    app.get_by_role("button", name="equals").click()
    expect(app.get_by_label("Sum")).to_have_value("119")
    expect(app.get_by_role("listitem")).to_have_text("7×(8+9)= 119")

    app.get_by_label("Sum").fill("1 / 0")
    app.get_by_label("Sum").press("Enter")
    expect(app.locator("#answer")).to_have_text("Not a sum yet")


@pytest.mark.parametrize(
    ("ask", "results"),
    [
        ("compound interest calculator", ["1,647.01", "647.01"]),
        ("running pace calculator", ["5 min/km", "8.05 min/mi", "12 km/h", "6.21 mi"]),
    ],
)
def test_a_known_formula_works_out_right(open_app: Open, ask: str, results: list[str]) -> None:
    """With the figures that its page begins with."""
    expect(open_app(ask).locator("#results dd")).to_have_text(results)


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
        "countdown to the day of our very long wedding anniversary on 12 June 4321",
        "a 99 hour timer",
        "convert 123456789 mg to tonnes",
        "roll 20d1000",
        "palette from #ff8800",
        "flashcards: " + "a" * 100 + "=" + "b" * 100,
        "habit tracker: " + "very" * 10,
        "drawing pad",
        "calculate " + "a" * 40 + " = " + "b" * 40 + " * c",
        "calculator",
    ],
    ids=lambda ask: ask[:9],
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


@pytest.mark.parametrize(
    ("ask", "seen"),
    [
        ("pomodoro timer", "#toggle"),
        ("tip splitter for 4 people", ".result"),
        ("to-do list: milk, eggs and bread", "#list li:last-child"),
        ("decision wheel: pizza, sushi or tacos", "#spin"),
    ],
    ids=lambda given: given[:5],
)
def test_what_matters_is_seen_at_the_size_of_a_link_card(page: Page, open_app: Open, ask: str, seen: str) -> None:
    """A picture of that size is what people see of an app before they open it."""
    page.set_viewport_size({"width": 1200, "height": 630})
    app = open_app(ask)
    page.locator("iframe").evaluate("frame => { frame.style.height = '630px'; }")

    expect(app.locator(seen)).to_be_visible()
    assert 630 >= app.locator(seen).evaluate("part => part.getBoundingClientRect().bottom")


def test_every_word_on_a_wheel_stands_out(open_app: Open) -> None:
    """WCAG 2.2, 1.4.3: at least 4.5 to 1, on each of its colours."""
    app = open_app("decision wheel: " + ", ".join("abcdefgh"))
    pairs = app.locator("#disc g").evaluate_all(
        "slices => slices.map((slice) => [...slice.children].map((part) => part.getAttribute('fill')))"
    )

    assert 8 == len({ground for ground, _ in pairs})
    assert [] == [pair for pair in pairs if contrast(*pair) < 4.5]


def contrast(one: str, other: str) -> float:
    """As https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio defines it, of two colours `#rrggbb`."""
    low, high = sorted(luminance(colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_list_is_kept_where_storage_works(page: Page, open_app: Open) -> None:
    """In a frame that keeps its own origin, what was added is there after a reload."""
    app = open_app("to-do list: one", allowed="allow-scripts allow-same-origin")
    app.get_by_label("New item").fill("two")
    app.get_by_label("New item").press("Enter")
    expect(app.get_by_role("listitem")).to_have_count(2)

    page.reload()

    expect(app.get_by_role("listitem")).to_have_text([re.compile("one"), re.compile("two")])
