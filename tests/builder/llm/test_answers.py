"""Good answers, over real HTTP and with the real clients."""

from dataclasses import replace
from pathlib import Path

import pytest

from builder.generators.llm.options import AnswerMode
from builder.outcomes import App, Ask, Broken, Done, Refused, Usage
from builder.workspace import Workspace
from tests.builder.llm.conftest import KEY, LlmBench
from tests.builder.llm.fake_models import PAGE, Fails, Reply, Says, app, declines, named_app

MODELS = ("compatible:small", "openai:gpt-5", "anthropic:claude-haiku-5-5")


@pytest.mark.parametrize("model", MODELS)
def test_a_model_writes_an_app(bench: LlmBench, model: str) -> None:
    """Files in the workspace, title and description in the outcome, and what it took."""
    bench.models.replies = [app(**{"style.css": "h1 {}"})]
    done = bench.generate(model)
    (request,) = bench.models.requests

    assert isinstance(done, Done)
    assert ("Dice", "Rolls a die.") == (done.value.title, done.value.description)
    assert {"index.html": PAGE, "style.css": "h1 {}"} == bench.files
    assert (model, 100, 50) == (done.value.usage.model, done.value.usage.tokens_in, done.value.usage.tokens_out)
    assert (done.value.usage.prompt_version or "").startswith("1-")
    assert f"Bearer {KEY}" == request.headers["authorization"]
    assert "make a dice roller" in request.message
    assert "make a dice roller" not in request.system
    assert "# The answer\n\nCall exactly one tool" in request.system


@pytest.mark.parametrize("model", MODELS)
def test_a_server_without_tools_is_asked_for_text(bench: LlmBench, model: str) -> None:
    """No tool is offered, and the form of the answer is described instead."""
    bench.models.replies = [Says(f"TITLE: Dice\nDESCRIPTION: Rolls.\nFILE: index.html\n````html\n{PAGE}\n````")]
    done = bench.generate(model, answer=AnswerMode.TEXT)
    (request,) = bench.models.requests

    assert isinstance(done, Done)
    assert {"index.html": PAGE + "\n"} == bench.files
    assert not request.body.get("tools")
    assert "TITLE: the title" in request.system


@pytest.mark.parametrize(
    "text", [f"```html\n{PAGE}\n```", f"Gladly!\n\n{PAGE}\n\nHave fun.", f"{PAGE}\nOr:\n```html\n{PAGE}\n```"]
)
def test_a_model_that_ignores_the_tools_is_read_as_well(bench: LlmBench, text: str) -> None:
    """A fence, prose or a second document around it is no failure."""
    bench.models.replies = [Says(text)]

    assert isinstance(bench.generate(), Done)
    assert {"index.html": PAGE + "\n"} == bench.files
    assert 1 == len(bench.models.requests)


def test_any_language_comes_through_whole(bench: LlmBench) -> None:
    """The words reach the model as they are, and its own reach us."""
    page = "<!doctype html><html lang=ja><title>サイコロ</title><h1>振る 🎲</h1></html>"
    bench.models.replies = [replace(app("サイコロ", page), written=70)]
    done = bench.generate(task=bench.task(Ask("サイコロを作って 🎲", ("ja",))))

    assert isinstance(done, Done)
    assert "サイコロ" == done.value.title
    assert {"index.html": page} == bench.files
    assert "サイコロを作って 🎲" in bench.models.requests[0].message


def test_a_repair_sends_the_files_and_the_findings_and_writes_anew(bench: LlmBench) -> None:
    """Nothing is remembered between the rounds but what lies in the workspace."""
    bench.workspace.write("index.html", b"<title>broken</title>")
    bench.workspace.write("old.js", b"oops()")
    bench.models.replies = [app()]
    done = bench.generate(task=bench.task(findings=("browser: oops is not defined",)))

    assert isinstance(done, Done)
    assert {"index.html": PAGE} == bench.files
    for words in ("oops()", "oops is not defined", "make a dice roller"):
        assert words in bench.models.requests[0].message


def test_a_repair_that_fails_leaves_the_files_as_they_are(bench: LlmBench) -> None:
    """They are what the attempt shows for itself."""
    bench.workspace.write("index.html", b"<title>broken</title>")
    bench.models.replies = [Says("no idea")]

    assert isinstance(bench.generate(task=bench.task(findings=("x",))), Broken)
    assert {"index.html": "<title>broken</title>"} == bench.files


def test_a_refusal_of_the_model_is_said_to_the_asker(bench: LlmBench) -> None:
    """In its own sentence, which the bot judges before it says it."""
    bench.models.replies = [declines("Eine Anmeldeseite baue ich nicht.")]
    refused = bench.generate()

    assert isinstance(refused, Refused)
    assert "Eine Anmeldeseite baue ich nicht." == refused.reason
    assert 150 == refused.usage.tokens_in + refused.usage.tokens_out


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("openai:gpt-5", Says(refusal="I cannot help with that.")),
        ("openai:gpt-5", Says("So", finish="content_filter")),
        ("anthropic:claude-haiku-5-5", Says("So", finish="refusal")),
        ("openai:gpt-5", Fails(400, body={"error": {"message": "no", "code": "content_policy_violation"}})),
    ],
)
def test_a_refusal_of_the_provider_is_told_in_our_words(bench: LlmBench, model: str, says: Reply) -> None:
    """It is not tried again, here or elsewhere: the answer would be the same."""
    bench.models.replies = [says]
    refused = bench.generate(model, "compatible:small")

    assert isinstance(refused, Refused)
    assert "the model that I build with would not make this, so I built nothing." == refused.reason
    assert 1 == len(bench.models.requests)


HOSTILE = ("../../x/y.js", "/etc/cron.d/x", "a/../../b.js", "INDEX.html", "con.js", "x\u202egnp.html", ".env")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_leaves_the_folder_is_never_written(bench: LlmBench, tmp_path: Path, name: str) -> None:
    """The model is told, a set number of times, and then the attempt has failed."""
    bench.models.replies = [named_app(name)]
    broken = bench.generate()

    assert isinstance(broken, Broken)
    assert {} == bench.files
    assert 3 == len(bench.models.requests)
    assert ascii(name) in bench.models.requests[1].message
    assert [] == [path for path in tmp_path.rglob("*") if path.is_file()]
    assert 3 * 150 == broken.usage.tokens_in + broken.usage.tokens_out


def test_an_unusable_answer_is_corrected(bench: LlmBench) -> None:
    """What was wrong with it is said, and all of it counts."""
    bench.models.replies = [Says(tool="build_app", arguments='{"title": "Dice"}'), app()]
    done = bench.generate()

    assert isinstance(done, Done)
    assert "description: missing" in bench.models.requests[1].message
    assert 300 == done.value.usage.tokens_in + done.value.usage.tokens_out


def test_a_file_that_is_already_there_is_replaced(bench: LlmBench) -> None:
    """A first round finds an empty workspace; whatever it finds there is not the app's."""
    Workspace(bench.workspace.folder).write("index.html", b"old")
    bench.models.replies = [app()]
    done = bench.generate()

    assert Done(App("Dice", "Rolls a die.", Usage("compatible:small", _version(done), 100, 50, 0))) == done
    assert {"index.html": PAGE} == bench.files


def _version(done: object) -> str | None:
    assert isinstance(done, Done)
    return done.value.usage.prompt_version if isinstance(done.value, App) else None
