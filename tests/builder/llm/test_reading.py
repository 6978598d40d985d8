"""Reading an app out of whatever a model wrote."""

import json
from contextlib import suppress

import pytest

from builder.generators.llm.reading import Declined, Draft, Unreadable, read_call, read_text
from tests.builder.llm.fake_models import PAGE
from tests.growth import grows_evenly

APP = {"title": "Dice", "description": "Rolls.", "files": [{"name": "index.html", "content": PAGE}]}
AS_JSON = json.dumps(APP)
OTHER = PAGE.replace("Dice", "Better dice")
OTHER_JSON = json.dumps({**APP, "title": "Better dice"})
AS_ASKED = f"TITLE: Dice\nDESCRIPTION: Rolls.\nFILE: index.html\n````html\n{PAGE}\n````\n"

READABLE = {
    "a bare object": (AS_JSON, "Dice", 1),
    "an object in a fence": (f"```json\n{AS_JSON}\n```", "Dice", 1),
    "an object in prose": (f"Sure, here it is: {AS_JSON}\nHave fun with {{it}}!", "Dice", 1),
    "raw line breaks in strings": (AS_JSON.replace("<h1>", "\n<h1>"), "Dice", 1),
    "contents by name": (json.dumps({**APP, "files": {"index.html": PAGE}}), "Dice", 1),
    "a list in a string": (json.dumps({**APP, "files": json.dumps(APP["files"])}), "Dice", 1),
    "a call as text": (json.dumps({"name": "build_app", "arguments": APP}), "Dice", 1),
    "two objects": (f"{AS_JSON}\nOr better:\n{OTHER_JSON}", "Better dice", 1),
    "the form that was asked for": (AS_ASKED, "Dice", 1),
    "emphasis around the headers": (AS_ASKED.replace("TITLE: Dice", "**TITLE: Dice**"), "Dice", 1),
    "a fenced page": (f"```html\n{PAGE}\n```", "Dice", 1),
    "a fenced page in prose": (f"Here you go!\n\n```html\n{PAGE}\n```\n\nIt rolls a die.", "Dice", 1),
    "two fenced pages": (f"```html\n{PAGE}\n```\nImproved:\n```html\n{OTHER}\n```", "Better dice", 1),
    "a page and its style": (f"```html\n{PAGE}\n```\n**look.css**\n```css\nh1 {{}}\n```", "Dice", 2),
    "a fence with a name": (f'```html title="index.html"\n{PAGE}\n```', "Dice", 1),
    "a fence without an end": (f"```html\n{PAGE}\n", "Dice", 1),
    "a bare page": (PAGE, "Dice", 1),
    "a bare page in prose": (f"Of course.\n{PAGE}\nEnjoy!", "Dice", 1),
    "two bare pages": (f"{PAGE}\nNo, rather:\n{OTHER}", "Better dice", 1),
    "a page of another name": (json.dumps({**APP, "files": {"dice.html": PAGE}}), "Dice", 1),
}


@pytest.mark.parametrize("case", READABLE)
def test_an_app_is_read_whatever_stands_around_it(case: str) -> None:
    """Of two the later one counts: it is what the model ended with."""
    text, title, files = READABLE[case]
    draft = read_text(text)

    assert isinstance(draft, Draft)
    assert title == draft.title
    assert "index.html" == draft.files[0][0]
    assert (files, True) == (len(draft.files), f"<title>{title}</title>" in draft.files[0][1] or case == "two objects")


def test_a_page_that_speaks_of_pages_stays_whole() -> None:
    """A script with a page in a string is no second document."""
    page = PAGE.replace("<h1>", "<script>let s='<!doctype html><p>'</script><h1>")

    assert Draft("Dice", "Dice", (("index.html", page + "\n"),)) == read_text(f"Here: {page}")


@pytest.mark.parametrize(
    "text",
    [
        "DECLINE: I do not make sign-in pages.",
        "**DECLINE:** I do not make sign-in pages.",
        '{"reason": "I do not make sign-in pages."}',
        '```json\n{"decline": "I do not make sign-in pages."}\n```',
    ],
)
def test_a_refusal_in_a_text_is_one(text: str) -> None:
    """And its sentence is what the asker may read."""
    assert Declined("I do not make sign-in pages.") == read_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "I am sorry.",
        "```html\n<!doctype html><title>Half",
        "<!doctype html><p>half",
        AS_JSON[:-20],
        '{"title": "No files", "description": ""}',
        json.dumps({**APP, "title": " "}),
        "[" * 100_000,
        '{"a":' * 100_000,
    ],
    ids=lambda text: text[:20],
)
def test_half_an_app_is_none(text: str) -> None:
    """Nor is prose."""
    with pytest.raises(Unreadable):
        read_text(text)


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("build_app", AS_JSON[:-5], "the call of build_app does not fit: it is no JSON object"),
        ("build_app", "[]", "the call of build_app does not fit: : model_type"),
        ("build_app", '{"title": "t", "files": []}', "the call of build_app does not fit: description: missing; "),
        ("build_app", '{"files": "nonsense"}', "the call of build_app does not fit: title: missing; "),
        ("decline", "{}", "the call of decline does not fit: reason: missing"),
        ("run_shell", "{}", "that tool does not exist"),
    ],
)
def test_a_call_that_does_not_fit_says_why(tool: str, arguments: str, why: str) -> None:
    """So that the model can do better."""
    with pytest.raises(Unreadable) as problem:
        read_call(tool, arguments)

    assert str(problem.value).startswith(why)


def test_titles_are_clean_and_short() -> None:
    """What a report cannot hold would be lost with it."""
    draft = read_call("build_app", json.dumps({**APP, "title": "D\u202eice \n" * 100, "description": ""}))

    assert isinstance(draft, Draft)
    assert "Dice Dice Dice" == draft.title[:14]
    assert 100 >= len(draft.title)
    assert draft.title == draft.description


@pytest.mark.parametrize(
    "part", ['{"a": ', "```html\n", "<!doctype html>", "FILE: ", "</html>", '{"title": "x", ', "<title"]
)
def test_a_long_answer_takes_no_more_than_its_length(part: str) -> None:
    """A model may write anything, and so may whoever it listens to."""

    def read(size: int) -> None:
        with suppress(Unreadable):
            read_text(part * size)

    assert grows_evenly(read, 2_000)
