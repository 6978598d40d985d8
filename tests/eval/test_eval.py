"""The evaluation set on the template generator, and what the evaluation itself tells apart."""

import io
from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Browser

from builder.build import Tools
from builder.checks.static import static_checks
from builder.generators.template import TemplateGenerator
from builder.logs import make_log
from builder.main import no_bot
from builder.outcomes import Budget
from builder.publishers.hosted import HostedPublisher
from tests.eval.asks import Case, cases
from tests.eval.judging import Untrue, judge
from tests.eval.score import Result, Score, evaluate

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# What it has no template for; all else of the set it builds right, or refuses rightly.
FAILS = [
    "tic tac toe for two players on one phone",
    "stopwatch with laps",
    "word counter: paste a text, see words and characters",
    "rock paper scissors against the computer",
    "convertidor de texto a código morse",
    "a memory game with 8 pairs of animals",
    "ein Quiz mit drei Fragen zu den Planeten",
    "a breathing exercise: in for 4, hold for 4, out for 4, with a circle that grows",
    "random password generator with length and symbols",
]


@pytest.fixture
def tools() -> Iterator[Tools]:
    """A lane's tools without its browser: the checks by browser have tests of their own."""
    with no_bot() as client:
        yield Tools(TemplateGenerator(), static_checks(), HostedPublisher(client), Budget(60.0))


@pytest.mark.timeout(300)
def test_the_template_does_on_the_forty_asks_what_it_did(tools: Tools, browser: Browser) -> None:
    """Each that it has a template for does its job, in the frame and under the policy of the public page."""
    score = evaluate(cases(), tools, browser, make_log(io.StringIO(), as_json=False), 1, lambda _: None)

    failed = {result.ask: result.problem for result in score.results if result.problem is not None}
    assert FAILS == list(failed), failed
    assert "eval: template generator, 40 asks, first try 77.5 %, after repair 77.5 %" == score.summary


def test_there_are_forty_asks_and_some_that_nobody_should_build() -> None:
    """No two alike."""
    asks = [case.text for case in cases()]

    assert (40, 40) == (len(asks), len(set(asks)))
    assert 3 == sum(case.refuse is True for case in cases())


CASE = Case.model_validate({
    "text": "a counter",
    "lang": "en",
    "says": ["count: 0"],
    "do": [{"click": "add"}, {"shows": "count: 1"}],
})  # fmt: skip
GOOD = """<!doctype html><html lang=en><title>Counter</title><p>Count: <b id=n>0</b>
<button onclick="n.textContent = 1 + Number(n.textContent)">Add one</button>"""


def page(content: str) -> Mapping[str, bytes]:
    return {"index.html": content.encode()}


def test_an_app_that_does_what_the_case_says_is_right(browser: Browser) -> None:
    """Nothing is said of it."""
    judge(browser, page(GOOD), CASE)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (GOOD.replace("Count", "Total", 2), "nowhere says /count: 0/"),
        (GOOD.replace("lang=en", "lang=de"), "the page declares the language 'de', not 'en'"),
        (GOOD.replace("Add one", "Subtract"), "nothing is called /add/"),
        (GOOD.replace("1 + ", ""), "nowhere says /count: 1/"),
        (GOOD + "<script>torn()</script>", "an error: torn is not defined"),
        (GOOD + "<img src=http://elsewhere.example/x.png alt=x>", "asks for http://elsewhere.example/x.png"),
    ],
)
def test_an_app_that_does_not_is_told_why(browser: Browser, content: str, problem: str) -> None:
    """The first thing that is not so; the policy keeps requests in, and a page that makes some fails all the same."""
    with pytest.raises(Untrue) as told:
        judge(browser, page(content), CASE)

    assert problem == str(told.value)


def test_what_a_page_has_said_from_the_beginning_is_no_answer(browser: Browser) -> None:
    """A button that does nothing does not pass for one that says what its label says; a word said once more does."""
    case = Case.model_validate({"text": "a coin", "do": [{"click": "flip"}, {"now": "heads|tails"}]})
    coin = "<!doctype html><html lang=en><title>Coin</title><p>Heads or tails? <b id=n></b><button{}>Flip</button>"

    judge(browser, page(coin.format(" onclick=\"n.textContent = 'heads'\"")), case)
    with pytest.raises(Untrue, match="nothing new says"):
        judge(browser, page(coin.format("")), case)


def test_a_score_counts_first_tries_and_repairs_apart() -> None:
    """And tells cost and time."""
    score = Score(
        "llm",
        (
            Result("a", None, 0, 2.0, 30_000, "m"),
            Result("b", None, 1, 4.0, 50_000, "m"),
            Result("c", "blank", 2, 6.0, 40_000, "m"),
            Result("d", None, 0, 0.0, 0, None),
        ),
    )

    assert "eval: llm generator, 4 asks, first try 50.0 %, after repair 75.0 %" == score.summary
    assert "cost $0.1200, $0.0300 an ask; time 3.00 s an ask, at worst 6.00 s" == score.spent
