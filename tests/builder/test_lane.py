"""One round of a lane against a bot over real HTTP."""

import io
import zipfile
from pathlib import Path

import pytest

from builder.errands import Worked
from builder.generators.template import REFUSAL
from builder.outcomes import App, Done, Outcome, RetryLater
from builder.ports import Task
from builder.watch import work_some
from builder.workspace import sha256_of
from tests.builder.conftest import Bench
from tests.builder.fake_bot import FakeBot, Fault
from tests.builder.scripted import PICTURE, Photographer, Picky, Scripted, only_report, write_page


def test_an_ask_becomes_a_published_app(bot: FakeBot, bench: Bench) -> None:
    """Claim, generate, check, publish, report: the bundle that is stored is the one that is reported."""
    bot.asks = ["decision wheel: pizza, sushi or tacos"]

    worked = bench.lane().work_once()

    (claim_id,) = bot.claims
    report = bot.reports[claim_id]
    assert Worked.REPORTED == worked
    assert ("done", "Decision wheel: pizza, sushi or tacos") == (report["outcome"], report["title"])
    assert sha256_of(bot.bundles[claim_id]) == report["sha256"]
    assert "https://apps.example/app-1" == report["address"]
    assert [{"check": "files", "passed": True, "findings": [], "warnings": []}] == report["checks"]
    assert ["index.html"] == zipfile.ZipFile(io.BytesIO(bot.bundles[claim_id])).namelist()
    assert ["claimed", "generating", "checking", "checked", "publishing", "reported"] == bench.events


def test_every_line_of_the_log_names_the_document_and_the_claim(bot: FakeBot, bench: Bench) -> None:
    """One line an event, both ids on it."""
    bot.asks = ["a to-do list"]

    bench.lane().work_once()

    (claim_id,) = bot.claims
    for line in bench.out.getvalue().splitlines():
        assert "document=mention:did:plc:alice:1" in line
        assert f"claim={claim_id}" in line


def test_the_log_says_what_became_of_the_report(bot: FakeBot, bench: Bench) -> None:
    """What was done here may be refused there."""
    bot.asks, bot.says = ["a to-do list"], "build-failed"

    bench.lane().work_once()

    assert "event=reported" in bench.out.getvalue()
    assert "outcome=done status=build-failed" in bench.out.getvalue()


def test_nothing_waits_and_nothing_is_done(bench: Bench) -> None:
    """An empty bot is no error."""
    assert Worked.NOTHING == bench.lane().work_once()


def test_usage_is_reported(bot: FakeBot, bench: Bench) -> None:
    """Model, prompt version, tokens and cost travel with the report."""
    bot.asks = ["x"]

    bench.lane(Scripted(write_page)).work_once()

    report = only_report(bot)
    assert ("model-1", "prompt-2", 10, 20, 30) == tuple(
        report[key] for key in ("model", "prompt_version", "tokens_in", "tokens_out", "cost_micros")
    )


def test_a_generator_that_asks_for_time_gets_it(bot: FakeBot, bench: Bench) -> None:
    """A retry later carries its seconds."""
    bot.asks = ["x"]

    bench.lane(Scripted(lambda *_: RetryLater(90, "overloaded"))).work_once()

    report = only_report(bot)
    assert ("retry_later", 90, "overloaded") == (report["outcome"], report["after_seconds"], report["detail"])


def test_a_failed_check_is_a_broken_attempt_that_publishes_nothing(bot: FakeBot, bench: Bench) -> None:
    """The findings are in the report."""
    bot.asks = ["x"]

    def write_bad(task: Task) -> Outcome[App]:
        task.workspace.write("index.html", b"<p>BAD")
        return Done(App("t", "d"))

    bench.lane(Scripted(write_bad), checks=[Picky()]).work_once()

    report = only_report(bot)
    assert ("broken", "picky: index.html says BAD") == (report["outcome"], report["detail"])
    assert {} == bot.bundles


def test_a_defect_ends_the_attempt_and_not_the_lane(bot: FakeBot, bench: Bench) -> None:
    """An exception of a tool is reported as broken, and the next document is built."""
    bot.asks = ["x", "y"]
    lane = bench.lane(Scripted(lambda *_: 1 / 0))  # type: ignore[arg-type]

    assert 2 == work_some(lane, bench.drain, most=5)
    assert ["broken", "broken"] == [report["outcome"] for report in bot.reports.values()]
    assert "ZeroDivisionError" in bench.out.getvalue()


def test_words_that_cannot_be_stored_are_cleaned_before_the_report(bot: FakeBot, bench: Bench) -> None:
    """NUL, lone surrogates and endless titles must not make a finished build unreportable."""
    bot.asks = ["x"]

    def write(task: Task) -> Outcome[App]:
        write_page(task)
        return Done(App("a\x00b\ud800c" + "é" * 500, "d"))

    bench.lane(Scripted(write)).work_once()

    report = only_report(bot)
    assert "done" == report["outcome"]
    assert str(report["title"]).startswith("abcé")
    assert len(str(report["title"])) <= 200


def test_a_screenshot_goes_to_the_bot_and_not_into_the_bundle(bot: FakeBot, bench: Bench) -> None:
    """A check takes it; it is sent before the report, which ends the claim."""
    bot.asks = ["anything"]

    bench.lane(Scripted(write_page), checks=[Photographer()]).work_once()

    (claim_id,) = bot.claims
    assert {claim_id: PICTURE} == bot.screenshots
    assert ["index.html"] == zipfile.ZipFile(io.BytesIO(bot.bundles[claim_id])).namelist()
    assert ["claim", "bundle", "screenshot", "report"] == [call.name for call in bot.calls if call.name != "heartbeat"]


@pytest.mark.parametrize(("status", "error"), [(503, "unavailable"), (422, "invalid"), (404, "not_found")])
def test_a_screenshot_never_costs_the_build(bot: FakeBot, bench: Bench, status: int, error: str) -> None:
    """Undelivered, refused or sent to a bot that knows no such call: the build is done."""
    bot.asks = ["anything"]
    bot.faults = [Fault("screenshot", "status", status=status, error=error, times=100)]

    assert Worked.REPORTED == bench.lane(Scripted(write_page), checks=[Photographer()]).work_once()

    assert ("done", {}) == (only_report(bot)["outcome"], bot.screenshots)
    assert "screenshot_undelivered" in bench.events


def test_a_screenshot_of_an_app_that_is_not_published_is_not_sent(bot: FakeBot, bench: Bench) -> None:
    """There is nothing to show."""
    bot.asks = ["anything"]
    bot.faults = [Fault("bundle", "status", status=422, error="invalid")]

    bench.lane(Scripted(write_page), checks=[Photographer()]).work_once()

    assert ("broken", []) == (only_report(bot)["outcome"], bot.named("screenshot"))


def test_a_claim_lost_at_the_screenshot_is_late(bot: FakeBot, bench: Bench) -> None:
    """The app is not reported under it."""
    bot.asks = ["anything"]
    bot.faults = [Fault(call, "status", status=409, error="claim_lost") for call in ("screenshot", "report")]

    assert Worked.LATE == bench.lane(Scripted(write_page), checks=[Photographer()]).work_once()
    assert {} == bot.reports


def test_the_folder_of_a_claim_is_gone_afterwards(bot: FakeBot, bench: Bench, tmp_path: Path) -> None:
    """Whatever happened in it."""
    bot.asks = ["a to-do list", "nothing that fits"]

    work_some(bench.lane(), bench.drain, most=2)

    assert [] == list(tmp_path.iterdir())


def test_an_ask_that_no_template_fits_is_refused_with_a_reason(bot: FakeBot, bench: Bench) -> None:
    """The reason is for the asker; nothing is uploaded."""
    bot.asks = ["make me a multiplayer shooter"]

    bench.lane().work_once()

    report = only_report(bot)
    assert ("refused", REFUSAL) == (report["outcome"], report["reason"])
    assert {} == bot.bundles


def test_a_generator_is_given_what_the_ask_points_at(bot: FakeBot, bench: Bench) -> None:
    """With its author, apart from the ask, and with what the build may cost."""
    pointed_at = {"author": "bob.test", "quoted": True, "text": "a dice app!", "alts": ["dice"], "card": "Dice"}
    bot.asks, bot.told = ["build this"], {"context": [pointed_at | {"new": 1}], "cost_micros": 500_000}
    generator = Scripted(write_page)

    bench.lane(generator).work_once()

    (task,) = generator.tasks
    assert ("build this", 500_000) == (task.ask.text, task.budget.cost_micros)
    assert [pointed_at | {"alts": ("dice",)}] == [post.model_dump() for post in task.ask.context]


def test_an_older_bot_says_nothing_of_context_or_money(bot: FakeBot, bench: Bench) -> None:
    """The lane builds as before."""
    bot.asks = ["x"]
    generator = Scripted(write_page)

    bench.lane(generator).work_once()

    (task,) = generator.tasks
    assert ((), None) == (task.ask.context, task.budget.cost_micros)
