"""The generator `template`: which app an ask gets, and with which parameters."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.checks.files import FilesCheck
from builder.generators.template import REFUSAL, TemplateGenerator, choose
from builder.generators.templates.expression import variables_of
from builder.generators.templates.formulas import FORMULAS, Formula
from builder.generators.templates.page import as_inert_json, render
from builder.generators.templates.reading import things
from builder.outcomes import App, Ask, Budget, Done, Outcome, Refused
from builder.ports import Task
from builder.stopping import Stop
from builder.workspace import open_workspace
from guardrails.wire import Limits, PointedAt

HOSTILE = "decision wheel </script><script>alert(1)</script>, b"


def settings(ask: str) -> dict[str, Any]:
    page = choose(ask)
    assert page is not None, "no template fits"
    return {"app": page.file.removesuffix(".html"), "title": page.title, **page.settings}


def generate(ask: str, folder: Path, *context: PointedAt) -> tuple[Outcome[App], bytes]:
    with open_workspace(folder) as workspace:
        task = Task(Ask(ask, context=context), workspace, Stop(), Budget(60.0), Limits())
        outcome = TemplateGenerator().generate(task)
        snapshot = workspace.snapshot(task.limits)
    if isinstance(outcome, Done):
        assert FilesCheck().check(snapshot, Limits(), Stop()).report.passed
    return outcome, snapshot.files.get("index.html", b"")


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ("make me a pomodoro timer", (25, 5, 15, 4)),
        ("pomodoro 25/5", (25, 5, 15, 4)),
        ("Pomodoro 50/10/30 please", (50, 10, 30, 4)),
        ("a focus timer: 50 minutes work 10 break", (50, 10, 15, 4)),
        ("timer with 45 minutes of study and a 15 minute break", (45, 15, 15, 4)),
        ("pomodoro with a long break of 20 minutes after 3 rounds", (25, 5, 20, 3)),
        ("pomodoro, fifty minutes focus, ten minutes break", (50, 10, 15, 4)),
        ("a pomodoro of 90 min", (90, 5, 15, 4)),
        ("pomodoro 0/999", (1, 60, 15, 4)),
        ("ein Konzentrations-Timer mit 30 Minuten Arbeit und 10 Minuten Pause", (30, 10, 15, 4)),
        ("pomodoro con 40 minutos de trabajo y 8 minutos de descanso", (40, 8, 15, 4)),
    ],
)
def test_a_timer_takes_its_times_from_the_ask(ask: str, expected: tuple[int, ...]) -> None:
    """Focus, break, long break and rounds, within sensible ranges."""
    read = settings(ask)

    assert ("pomodoro", *expected) == tuple(read[key] for key in ("app", "focus", "short", "long", "rounds"))


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ("tip splitter", (2, 18.0, "USD", None)),
        ("tip splitter for 4 people", (4, 18.0, "USD", None)),
        ("tip splitter for 4", (4, 18.0, "USD", None)),
        ("tip splitter for six, 20%", (6, 20.0, "USD", None)),
        ("split the bill for 120 with a 20% tip", (2, 20.0, "USD", None)),
        ("tip calculator for 4,50 euros", (2, 18.0, "EUR", 4.5)),
        ("tip calculator for 15%", (2, 15.0, "USD", None)),
        ("split the bill for four friends, 20%", (4, 20.0, "USD", None)),
        ("tip calculator 12.5 percent in euros", (2, 12.5, "EUR", None)),
        ("split $86.40 between five with a 15% tip", (5, 15.0, "USD", 86.4)),
        ("app for splitting a £50 dinner tab 3 ways", (3, 18.0, "GBP", 50.0)),
        ("tip splitter for 9999 people, 400%", (50, 100.0, "USD", None)),
        ("Trinkgeld-Rechner für 3 Personen", (3, 18.0, "USD", None)),
        ("una app de propinas para 6 personas", (6, 18.0, "USD", None)),
    ],
)
def test_a_tip_splitter_takes_its_figures_from_the_ask(ask: str, expected: tuple[object, ...]) -> None:
    """People, percent, currency and the bill."""
    read = settings(ask)

    assert ("tip", *expected) == tuple(read[key] for key in ("app", "people", "percent", "currency", "bill"))


@pytest.mark.parametrize(
    ("ask", "title", "items"),
    [
        ("to-do list", "To-do list", []),
        ("make a todo list app with dark mode", "To-do list", []),
        ("shopping list: milk, eggs", "Shopping list", ["milk", "eggs"]),
        ("grocery list with milk, bread and butter", "Grocery list", ["milk", "bread", "butter"]),
        ("packing list for Rome with passport and socks", "Packing list for Rome", ["passport", "socks"]),
        ("todo list:\n- one\n- two, too\n3. three", "To-do list", ["one", "two", "too", "three"]),
        ("shopping list: Milk, milk, MILK", "Shopping list", ["Milk"]),
        ("Einkaufsliste: Brot, Käse und Wein bitte", "Einkaufsliste", ["Brot", "Käse", "Wein"]),
        ("lista de la compra: pan, leche y huevos por favor", "Lista de la compra", ["pan", "leche", "huevos"]),
    ],
)
def test_a_list_takes_title_and_items_from_the_ask(ask: str, title: str, items: list[str]) -> None:
    """Wishes about the app itself are no items."""
    read = settings(ask)

    assert ("todo", title, items) == (read["app"], read["title"], read["items"])


@pytest.mark.parametrize(
    ("ask", "options"),
    [
        ("decision wheel: pizza, sushi or tacos", ["pizza", "sushi", "tacos"]),
        ("pizza, sushi or tacos? help us decide", ["pizza", "sushi", "tacos"]),
        ("a wheel to decide between pizza, sushi or tacos for dinner", ["pizza", "sushi", "tacos"]),
        ("make me a decision wheel for dinner pizza, sushi or tacos", ["pizza", "sushi", "tacos"]),
        ("decision wheel with Anna, Bob and Eve", ["Anna", "Bob", "Eve"]),
        ("spin the wheel with fish and chips, pizza or ramen", ["fish and chips", "pizza", "ramen"]),
        ("Can't decide: red or blue?", ["red", "blue"]),
        ("decision wheel", ["Yes", "No", "Maybe later"]),
        ("Glücksrad: Kino oder Theater", ["Kino", "Theater"]),
        (HOSTILE, ["</script><script>alert(1)</script>", "b"]),
    ],
)
def test_a_wheel_takes_its_options_from_the_ask(ask: str, options: list[str]) -> None:
    """Commas, or, and, colons, and what introduces them."""
    read = settings(ask)

    assert ("wheel", options) == (read["app"], read["options"])


@pytest.mark.parametrize(
    ("ask", "event", "when"),
    [
        ("countdown to 24 December", "24 December", {"month": 12, "day": 24}),
        ("countdown to December 24th, 2031", "24 December 2031", {"month": 12, "day": 24, "year": 2031}),
        ("Countdown bis 24.12.", "24 December", {"month": 12, "day": 24}),
        ("cuenta atrás hasta el 24 de diciembre", "24 December", {"month": 12, "day": 24}),
        ("countdown to 2031-02-30, sorry, 2031-03-01", "1 March 2031", {"month": 3, "day": 1, "year": 2031}),
        (
            "Countdown to our wedding on 12 June 2027 at 3:30pm",
            "Wedding",
            {"month": 6, "day": 12, "year": 2027, "hour": 15, "minute": 30},
        ),
        ("days until Christmas at 18:00", "Christmas", {"month": 12, "day": 25, "hour": 18, "minute": 0}),
        ("countdown to easter", "Easter", {"easter": 1}),
        ("how many days until Thanksgiving?", "Thanksgiving", {"month": 11, "weekday": 4, "nth": 4}),
        ("countdown to friday at noon", "Friday", {"weekday": 5, "hour": 12, "minute": 0}),
        (
            "a countdown to 8pm UTC on 3 March",
            "3 March",
            {"month": 3, "day": 3, "hour": 20, "minute": 0, "east": 0},
        ),
        (
            "countdown to the launch on 2031-01-01 at 09:30 PDT",
            "Launch",
            {"month": 1, "day": 1, "year": 2031, "hour": 9, "minute": 30, "east": -420},
        ),
        (
            "countdown to 2031-01-01 00:00 UTC+5:30",
            "1 January 2031",
            {"month": 1, "day": 1, "year": 2031, "hour": 0, "minute": 0, "east": 330},
        ),
        ("countdown to my birthday", "Birthday", None),
        ("a 30 day countdown", "", {"days": 30}),
    ],
)
def test_a_countdown_takes_its_day_from_the_ask(ask: str, event: str, when: dict[str, int] | None) -> None:
    """A day of each year, of one year, of each week, or still to choose; a day that is none is passed over."""
    read = settings(ask)

    assert ("countdown", event, when) == (read["app"], read["event"], read["when"])


@pytest.mark.parametrize(
    ("ask", "seconds"),
    [
        ("egg timer for 6 minutes", 360),
        ("timer for 1 hour and 30 minutes", 5400),
        ("countdown of ninety seconds: 90 seconds", 90),
        ("Eieruhr? no, an Eier-Timer, 4,5 Minuten", 270),
        ("kitchen timer", 300),
        ("a 9999 hour timer", 359_999),
    ],
)
def test_a_timer_counts_down_from_the_length_in_the_ask(ask: str, seconds: int) -> None:
    """Hours, minutes and seconds together; five minutes where it says nothing."""
    read = settings(ask)

    assert ("timer", seconds) == (read["app"], read["seconds"])


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ("km to miles", ("Length", "km", "mi", 1.0)),
        ("convert 5,5 kg to pounds", ("Weight", "kg", "lb", 5.5)),
        ("convert 100 F to C", ("Temperature", "°F", "°C", 100.0)),
        ("temperature converter", ("Temperature", "°C", "°F", 1.0)),
        ("Umrechner: Meilen in Kilometer", ("Length", "mi", "km", 1.0)),
        ("unit converter", ("Length", "km", "mi", 1.0)),
        ("a km/h to mph converter", ("Speed", "km/h", "mph", 1.0)),
        ("converter for square metres and square feet", ("Area", "m²", "ft²", 1.0)),
    ],
)
def test_a_converter_takes_its_units_from_the_ask(ask: str, expected: tuple[object, ...]) -> None:
    """The kind, both units and the value."""
    read = settings(ask)

    assert ("converter", *expected) == tuple(read[key] for key in ("app", "kind", "from", "to", "value"))


@pytest.mark.parametrize(
    ("ask", "dice", "added"),
    [
        ("2d20 dice", [(2, 20)], 0),
        ("roll 3d6+2", [(3, 6)], 2),
        ("dice roller for 2d6 and 1d8 - 1", [(2, 6), (1, 8)], -1),
        ("dice roller", [(2, 6)], 0),
        ("a 20-sided die roller", [(1, 20)], 0),
        ("roll five dice", [(5, 6)], 0),
        ("roll 99d9999", [(20, 1000)], 0),
        ("Würfel-App: drei Würfel", [(3, 6)], 0),
    ],
)
def test_dice_take_their_number_and_sides_from_the_ask(ask: str, dice: list[tuple[int, int]], added: int) -> None:
    """In the notation of players or in words, within sensible ranges."""
    read = settings(ask)

    assert ("dice", dice, added) == (read["app"], [(die["count"], die["sides"]) for die in read["dice"]], read["added"])


@pytest.mark.parametrize(
    ("ask", "base", "rule"),
    [
        ("palette from #ff8800", "#ff8800", "analogous"),
        ("complementary colour palette from #F80", "#ff8800", "complementary"),
        ("pastel color palette", "#4f46e5", "pastel"),
        ("color palette for autumn", "#c2571a", "analogous"),
        ("Farbpalette aus blau", "#2563eb", "analogous"),
        ("monochrome palette from red: colour palette", "#d92d20", "shades"),
    ],
)
def test_a_palette_takes_its_base_and_rule_from_the_ask(ask: str, base: str, rule: str) -> None:
    """A code, a colour's name or a theme."""
    read = settings(ask)

    assert ("palette", base, rule) == (read["app"], read["base"], read["rule"])


@pytest.mark.parametrize(
    ("ask", "title", "cards"),
    [
        (
            "Spanish flashcards: hola=hello, adiós=goodbye",
            "Flashcards: Spanish",
            [["hola", "hello"], ["adiós", "goodbye"]],
        ),
        (
            "flashcards hola = hello and gracias = thank you",
            "Flashcards",
            [["hola", "hello"], ["gracias", "thank you"]],
        ),
        ("flash cards:\nH: hydrogen\nHe: helium", "Flashcards", [["H", "hydrogen"], ["He", "helium"]]),
        ("Karteikarten mit Hund -> dog, Katze -> cat bitte", "Flashcards", [["Hund", "dog"], ["Katze", "cat"]]),
        ("flashcards", "Flashcards", []),
    ],
)
def test_flashcards_take_their_sides_from_the_ask(ask: str, title: str, cards: list[list[str]]) -> None:
    """In whatever way the pairs are written; none where none are."""
    read = settings(ask)

    assert ("flashcards", title, cards) == (read["app"], read["title"], read["cards"])


@pytest.mark.parametrize(
    ("ask", "first", "count"),
    [
        ("flashcards for the 7 times table", ["7 × 1", "7"], 12),
        ("French flashcards", ["hello", "bonjour"], 10),
        ("flashcards about the capitals of Europe", ["France", "Paris"], 12),
    ],
)
def test_flashcards_of_a_known_subject_have_a_deck(ask: str, first: list[str], count: int) -> None:
    """Where the ask lists no cards itself."""
    cards = settings(ask)["cards"]

    assert (first, count) == (cards[0], len(cards))


@pytest.mark.parametrize(
    ("ask", "habits"),
    [
        ("habit tracker: run, read and sleep", ["Run", "Read", "Sleep"]),
        ("habit grid for water, gym with dark mode", ["Water"]),
        ("habit tracker", ["Drink water", "Move for 20 minutes", "Read a page", "In bed by eleven"]),
        ("habit tracker:\n- run\n- read", ["Run", "Read"]),
    ],
)
def test_a_habit_grid_takes_its_habits_from_the_ask(ask: str, habits: list[str]) -> None:
    """Wishes about the app are no habits."""
    read = settings(ask)

    assert ("habit", habits) == (read["app"], read["habits"])


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ("drawing pad", (6, "plain", "#ffffff")),
        ("a whiteboard with red and blue", (2, "plain", "#ffffff")),
        ("sketchpad with dotted paper", (6, "dots", "#ffffff")),
        ("drawing app with a black background", (6, "plain", "#1b1d22")),
    ],
)
def test_a_drawing_pad_takes_colours_and_paper_from_the_ask(ask: str, expected: tuple[object, ...]) -> None:
    """How many colours, which paper, which ground."""
    read = settings(ask)

    assert expected == (len(read["colours"]), read["paper"], read["ground"])


@pytest.mark.parametrize(
    ("ask", "inputs", "formulas"),
    [
        ("calculate area = width * height", ["width", "height"], ["area = width * height"]),
        (
            "calculator for speed = distance / time and energy = mass × speed²",
            ["distance", "time", "mass"],
            ["speed = distance / time", "energy = mass * speed ^ 2"],
        ),
        ("a calculator that computes v = 2 π r h", ["r", "h"], ["v = 2 * pi * r * h"]),
        ("calculate y = 2 x + 1", ["x"], ["y = 2 * x + 1"]),
        ("calculate y = 2 x 3 x a", ["a"], ["y = 2 * 3 * a"]),
        (
            "formula: total price = base price * (1 + tax rate / 100) please",
            ["base_price", "tax_rate"],
            ["total_price = base_price * ( 1 + tax_rate / 100 )"],
        ),
        ("calculate c = sqrt(a^2 + b^2)", ["a", "b"], ["c = sqrt ( a ^ 2 + b ^ 2 )"]),
        ("BMI calculator", ["weight", "height"], ["bmi = weight / (height / 100) ^ 2"]),
        ("make a simple calculator app", [], []),
    ],
)
def test_a_calculator_takes_its_formula_from_the_ask(ask: str, inputs: list[str], formulas: list[str]) -> None:
    """Written out, or by its name; a plain one has keys instead."""
    read = settings(ask)

    assert inputs == [each["name"] for each in read["inputs"]]
    assert formulas == [f"{each['name']} = {each['expression']}" for each in read["formulas"]]


@pytest.mark.parametrize(
    ("ask", "values"),
    [
        ("loan calculator for 7 years at 4%", [10000, 4, 7]),
        ("mortgage calculator: $250,000 over 30 years at 6.5%", [250_000, 6.5, 30]),
        ("compound interest calculator 5000 at 7% for 120 years", [5000, 7, 120, 12]),
        ("bmi calculator 81 kg 180 cm", [81, 180]),
    ],
)
def test_a_known_formula_begins_with_the_figures_of_the_ask(ask: str, values: list[float]) -> None:
    """Where the ask gives any; what has no unit is the amount that it begins with."""
    assert values == [each["value"] for each in settings(ask)["inputs"]]


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.title)
def test_each_known_formula_needs_just_its_inputs(formula: Formula) -> None:
    """Every result can be worked out from the inputs and the results before it, and every input counts."""
    needed: set[str] = set()
    for name, expression, _ in formula.results:
        variables = variables_of(expression)
        assert variables is not None, name
        needed |= set(variables)

    inputs = {name for name, _, _, _ in formula.inputs}
    assert needed - {name for name, _, _ in formula.results} == inputs


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2 +",
        "(a",
        "a b(",
        "__import__('os')",
        "a.b",
        "a[0]",
        "lambda: 1",
        "sqrt",
        "'a'",
        "(" * 300,
        "a ! b",
    ],
)
def test_what_is_no_expression_has_no_variables(text: str) -> None:
    """Only numbers, names, signs, brackets and the functions that the page knows."""
    assert variables_of(text) is None


@pytest.mark.parametrize(
    "ask",
    [
        "",
        "hello",
        "make me a game",
        "a snake game or tetris",
        "tip of the day",
        "gardening tips",
        "a wheel of time quiz",
        "🎡" * 300,
        "weather app",
    ],
)
def test_an_ask_that_nothing_fits_is_refused_honestly(ask: str, tmp_path: Path) -> None:
    """With what could be built instead, and no file."""
    outcome, content = generate(ask, tmp_path)

    assert (Refused(REFUSAL, "no template fits"), b"") == (outcome, content)


def test_of_two_apps_the_first_named_is_built() -> None:
    """One ask, one app."""
    assert "pomodoro" == settings("a pomodoro timer beside my to-do list")["app"]
    assert "todo" == settings("a to-do list with a pomodoro timer")["app"]


def test_a_hostile_ask_stays_text(tmp_path: Path) -> None:
    """Its markup appears escaped in the words, and as inert data in the script."""
    outcome, content = generate(HOSTILE, tmp_path)

    assert isinstance(outcome, Done)
    assert b"alert(1)</script>" not in content
    assert b"<script>alert" not in content
    assert 2 == content.count(b"</script>")


def test_a_placeholder_in_an_ask_is_not_filled_in() -> None:
    """The words are put in once."""
    page = choose("decision wheel: {{settings}}, {{style}} or {{title}}")

    assert page is not None
    assert "<h1>Decision wheel: {{settings}}, {{style}} or {{title}}</h1>" in render(page)


def test_data_in_a_script_cannot_leave_it() -> None:
    """No angle bracket, ampersand or line separator survives as such."""
    text = as_inert_json("</script><!--<script>&\u2028\u2029")

    assert not re.search(r"[<>&\u2028\u2029]", text)


@pytest.mark.parametrize(
    "ask",
    [
        "pomodoro",
        "tip splitter",
        "to-do list: a, b",
        "decision wheel: a or b",
        "countdown to christmas",
        "egg timer",
        "km to miles",
        "2d20 dice",
        "colour palette",
        "flashcards: a=b, c=d",
        "habit tracker",
        "drawing pad",
        "BMI calculator",
    ],
)
def test_the_same_ask_gives_the_same_bytes(ask: str, tmp_path: Path) -> None:
    """So that a second lane's build is the same build."""
    assert generate(ask, tmp_path) == generate(ask, tmp_path)


WORDS = st.sampled_from([
    "pomodoro", "timer", "break", "25/5", "long", "minutes", "tip", "split", "bill", "20%", "$5", "between", "four",
    "people", "to-do", "list", "shopping", "countdown", "until", "december", "24", "days", "seconds", "km",
    "to", "miles", "convert", "2d20", "dice", "roll", "palette", "#ff8800", "red", "flashcards", "a=b", "=", "habit",
    "grid", "drawing", "pad", "calculate", "calculator", "area", "width", "*", "(", ")", "^", "sqrt", "bmi", "of",
    "at", "3pm", ":", ",", "or", "and", "with", "wheel", "decide", "</script>", "\n",
    "\u202e", "\x00", "\ud800", "{{title}}", "99999999", "٣", "½", "%", "/", "-", "for",
])  # fmt: skip


@given(st.one_of(st.text(max_size=400), st.lists(WORDS, max_size=40).map(" ".join)))
def test_any_text_gives_an_outcome(tmp_path_factory: pytest.TempPathFactory, ask: str) -> None:
    """Never an exception; what is built passes the check and is the same each time."""
    folder = tmp_path_factory.getbasetemp()

    first = generate(ask, folder)

    assert isinstance(first[0], Done | Refused)
    assert first == generate(ask, folder)


@given(st.text())
def test_any_list_is_bounded(text: str) -> None:
    """So many things, so long, none empty."""
    listed = things(text, most=5, longest=10)

    assert len(listed) <= 5
    assert all(listed)


@pytest.mark.parametrize(
    "post",
    [
        PointedAt(author="bob.test", text="I wish I had a decision wheel: pizza, sushi or tacos"),
        PointedAt(author="bob.test", alts=("decision wheel: pizza, sushi or tacos",)),
        PointedAt(author="bob.test", quoted=True, card="Decision wheel: pizza, sushi or tacos"),
    ],
)
def test_an_ask_that_points_at_a_post_is_read_with_it(tmp_path: Path, post: PointedAt) -> None:
    """Its text, its pictures' descriptions or its card say what is to be built."""
    alone, _ = generate("build this", tmp_path)
    with_it, page = generate("build this", tmp_path, post)

    assert Refused(REFUSAL, "no template fits") == alone
    assert isinstance(with_it, Done)
    assert "Decision wheel" in with_it.value.title
    assert b"sushi" in page


def test_the_ask_comes_before_what_it_points_at(tmp_path: Path) -> None:
    """Where both name an app, the asker's is built."""
    done, _ = generate("a pomodoro timer for this", tmp_path, PointedAt(author="bob.test", text="my to-do list: milk"))

    assert isinstance(done, Done)
    assert "omodoro" in done.value.title


def test_the_words_of_others_stay_words(tmp_path: Path) -> None:
    """Whatever a quoted post holds, none of it gets out of the page's data."""
    _, page = generate("build this", tmp_path, PointedAt(author="bob.test", text=HOSTILE))

    assert b"</script><script>alert" not in page
