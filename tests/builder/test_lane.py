"""One round of a lane against a bot over real HTTP."""

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from builder.errors import BotUnreachable, NotWelcome
from builder.generators.template import REFUSAL
from builder.lane import Worked
from builder.outcomes import App, Ask, Done, Outcome, RetryLater, Usage
from builder.stopping import Stop
from builder.watch import work_some, work_until_drained
from builder.workspace import Workspace, sha256_of
from tests.builder.conftest import Bench
from tests.builder.fake_bot import FakeBot, Fault

PAGE = b"<!doctype html><title>t</title>"


@dataclass
class Scripted:
    """A generator that does what the test says."""

    does: Callable[[Workspace, Stop], Outcome[App]]
    name: str = "scripted"

    def generate(self, ask: Ask, workspace: Workspace, stop: Stop) -> Outcome[App]:
        return self.does(workspace, stop)


def write_page(workspace: Workspace, _: Stop) -> Outcome[App]:
    workspace.write("index.html", PAGE)
    return Done(App("A title", "A description", Usage("model-1", "prompt-2", 10, 20, 30)))


def only_report(bot: FakeBot) -> dict[str, object]:
    (report,) = bot.reports.values()
    return report


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
    assert [{"check": "files", "passed": True, "findings": []}] == report["checks"]
    assert ["index.html"] == zipfile.ZipFile(io.BytesIO(bot.bundles[claim_id])).namelist()
    assert ["claimed", "generating", "checking", "publishing", "reported"] == bench.events


def test_every_line_of_the_log_names_the_document_and_the_claim(bot: FakeBot, bench: Bench) -> None:
    """One line an event, both ids on it."""
    bot.asks = ["a to-do list"]

    bench.lane().work_once()

    (claim_id,) = bot.claims
    for line in bench.out.getvalue().splitlines():
        assert "doc=mention:did:plc:alice:1" in line
        assert f"claim={claim_id}" in line


def test_nothing_waits_and_nothing_is_done(bench: Bench) -> None:
    """An empty bot is no error."""
    assert Worked.NOTHING == bench.lane().work_once()


def test_an_ask_that_no_template_fits_is_refused_with_a_reason(bot: FakeBot, bench: Bench) -> None:
    """The reason is for the asker; nothing is uploaded."""
    bot.asks = ["make me a multiplayer shooter"]

    bench.lane().work_once()

    report = only_report(bot)
    assert ("refused", REFUSAL) == (report["outcome"], report["reason"])
    assert {} == bot.bundles


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

    def write_bad(workspace: Workspace, _: Stop) -> Outcome[App]:
        workspace.write("index.html", b"<script src=https://cdn.example/x.js></script>")
        return Done(App("t", "d"))

    bench.lane(Scripted(write_bad)).work_once()

    report = only_report(bot)
    assert "broken" == report["outcome"]
    assert "cdn.example" in str(report["detail"])
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

    def write(workspace: Workspace, stop: Stop) -> Outcome[App]:
        write_page(workspace, stop)
        return Done(App("a\x00b\ud800c" + "é" * 500, "d"))

    bench.lane(Scripted(write)).work_once()

    report = only_report(bot)
    assert "done" == report["outcome"]
    assert str(report["title"]).startswith("abcé")
    assert len(str(report["title"])) <= 200


def test_a_claim_whose_answer_was_lost_is_asked_for_again_in_the_next_round(bot: FakeBot, bench: Bench) -> None:
    """The id is kept while no answer came: the claim stands in the ledger."""
    bot.asks = ["a to-do list"]
    bot.faults = [Fault("claim", "drop_answer", times=4)]
    lane = bench.lane()

    with pytest.raises(BotUnreachable):
        lane.work_once()
    assert Worked.REPORTED == lane.work_once()
    assert 1 == len(bot.claims)


def test_a_claim_that_was_lost_before_its_answer_came_is_given_up(bot: FakeBot, bench: Bench) -> None:
    """Voided meanwhile: the next round claims under a new id."""
    bot.asks = ["a to-do list", "a decision wheel"]
    bot.faults = [Fault("claim", "drop_answer", times=4)]
    lane = bench.lane()
    with pytest.raises(BotUnreachable):
        lane.work_once()
    bot.voided = set(bot.claims)

    assert Worked.NOTHING == lane.work_once()
    assert Worked.REPORTED == lane.work_once()
    assert 2 == len(bot.claims)


def test_lost_answers_everywhere_still_end_in_one_report(bot: FakeBot, bench: Bench) -> None:
    """Claim, upload and report are repeated under the same id and body."""
    bot.asks = ["a pomodoro timer"]
    bot.faults = [Fault(call, "drop_answer", times=2) for call in ("claim", "bundle", "report")]

    assert Worked.REPORTED == bench.lane().work_once()
    assert 3 == len(bot.named("report"))
    assert 1 == len({str(call.body) for call in bot.named("report")})
    assert 1 == len({call.body for call in bot.named("bundle")})


def test_the_heartbeat_carries_the_step(bot: FakeBot, bench: Bench) -> None:
    """While the generator works, the bot hears that it generates."""
    bot.asks = ["x"]

    def generate(workspace: Workspace, stop: Stop) -> Outcome[App]:
        bot.wait_for(lambda bot: any(call.body == {"api_version": 1, "step": "generating"} for call in bot.calls))
        return write_page(workspace, stop)

    assert Worked.REPORTED == bench.lane(Scripted(generate)).work_once()


def test_a_claim_lost_at_the_heartbeat_stops_the_work(bot: FakeBot, bench: Bench) -> None:
    """Nothing is published, nothing is reported, and the log says that it was late."""
    bot.asks = ["x"]

    def generate(workspace: Workspace, stop: Stop) -> Outcome[App]:
        with bot.changed:
            bot.voided = set(bot.claims)
        assert stop.wait(20)
        return write_page(workspace, stop)

    assert Worked.LATE == bench.lane(Scripted(generate)).work_once()
    assert ([], []) == (bot.named("bundle"), bot.named("report"))
    assert "late" == bench.events[-1]


def test_a_claim_lost_at_the_upload_is_late(bot: FakeBot, bench: Bench) -> None:
    """The 409 of the upload ends the work as well."""
    bot.asks = ["a decision wheel"]
    bot.faults = [Fault("bundle", "status", status=409, error="claim_lost")]

    assert Worked.LATE == bench.lane().work_once()
    assert [] == bot.named("report")


def test_a_heartbeat_that_fails_does_not_stop_the_work(bot: FakeBot, bench: Bench) -> None:
    """The end of a lease only permits a takeover; the report counts."""
    bot.asks = ["x"]
    bot.faults = [Fault("heartbeat", "status", status=503, times=100_000)]

    def generate(workspace: Workspace, stop: Stop) -> Outcome[App]:
        bot.wait_for(lambda bot: sum(call.name == "heartbeat" for call in bot.calls) > 4)
        return write_page(workspace, stop)

    assert Worked.REPORTED == bench.lane(Scripted(generate)).work_once()
    assert "done" == only_report(bot)["outcome"]


def test_a_device_that_is_revoked_during_the_work_stops_the_lane(bot: FakeBot, bench: Bench) -> None:
    """No later call could succeed."""
    bot.asks = ["x"]
    bot.faults = [Fault("heartbeat", "status", status=401, error="bad_token", times=100)]

    def generate(workspace: Workspace, stop: Stop) -> Outcome[App]:
        assert stop.wait(20)
        return write_page(workspace, stop)

    with pytest.raises(NotWelcome):
        bench.lane(Scripted(generate)).work_once()
    assert [] == bot.named("bundle")


def test_an_upload_that_is_refused_is_a_broken_attempt(bot: FakeBot, bench: Bench) -> None:
    """413 and 422 are told to the operators."""
    bot.asks = ["a decision wheel"]
    bot.faults = [Fault("bundle", "status", status=413, error="too_large")]

    bench.lane().work_once()

    assert "broken" == only_report(bot)["outcome"]
    assert "413" in str(only_report(bot)["detail"])


def test_an_upload_that_cannot_be_delivered_is_tried_later(bot: FakeBot, bench: Bench) -> None:
    """The network's fault is not the ask's."""
    bot.asks = ["a decision wheel"]
    bot.faults = [Fault("bundle", "drop_answer", times=4)]

    bench.lane().work_once()

    assert "retry_later" == only_report(bot)["outcome"]


def test_a_report_that_is_refused_becomes_a_broken_one(bot: FakeBot, bench: Bench) -> None:
    """Rather than leaving the claim to the end of its lease."""
    bot.asks = ["a decision wheel"]
    bot.faults = [Fault("report", "status", status=422, error="invalid")]

    bench.lane().work_once()

    assert "broken" == only_report(bot)["outcome"]


def test_a_report_that_cannot_be_delivered_is_given_up_after_a_while(bot: FakeBot, bench: Bench) -> None:
    """The lane says so, and the caller decides."""
    bot.asks = ["a decision wheel"]
    bot.faults = [Fault("report", "status", status=503, times=100)]

    with pytest.raises(BotUnreachable):
        bench.lane().work_once()
    assert "report_undelivered" == bench.events[-1]


def test_the_folder_of_a_claim_is_gone_afterwards(bot: FakeBot, bench: Bench, tmp_path: Path) -> None:
    """Whatever happened in it."""
    bot.asks = ["a to-do list", "nothing that fits"]

    work_some(bench.lane(), bench.drain, most=2)

    assert [] == list(tmp_path.iterdir())


def test_the_end_of_the_grace_time_releases_the_claim(bot: FakeBot, bench: Bench) -> None:
    """A drain that lasts too long gives the document back instead of letting its lease run out."""
    bot.asks = ["x", "y"]

    def generate(workspace: Workspace, stop: Stop) -> Outcome[App]:
        bench.drain.begin()
        bench.drain.begin()
        assert stop.wait(20)
        return write_page(workspace, stop)

    assert 1 == work_some(bench.lane(Scripted(generate)), bench.drain, most=5)
    assert "released" == only_report(bot)["outcome"]
    assert ({}, ["y"]) == (bot.bundles, bot.asks)


def test_a_drain_lets_the_standing_document_be_finished(bot: FakeBot, bench: Bench) -> None:
    """Within the grace time, what is being built is published and reported; nothing new is claimed."""
    bot.asks = ["x", "y"]

    def generate(workspace: Workspace, stop: Stop) -> Outcome[App]:
        bench.drain.begin()
        return write_page(workspace, stop)

    work_until_drained(bench.lane(Scripted(generate)), bench.drain, bench.log, 0.001, lambda seconds: seconds)

    assert "done" == only_report(bot)["outcome"]
    assert ["y"] == bot.asks


def test_watching_outlasts_a_bot_that_is_down(bot: FakeBot, bench: Bench) -> None:
    """A line in the log and a pause, then the work goes on."""
    bot.asks = ["x"]
    bot.faults = [Fault("claim", "status", status=503, times=8)]

    def generate(workspace: Workspace, stop: Stop) -> Outcome[App]:
        bench.drain.begin()
        return write_page(workspace, stop)

    work_until_drained(bench.lane(Scripted(generate)), bench.drain, bench.log, 0.001, lambda seconds: seconds)

    assert ["bot_unreachable", "bot_unreachable", "claimed"] == bench.events[:3]
    assert "done" == only_report(bot)["outcome"]


def test_no_more_than_asked_for_is_built(bot: FakeBot, bench: Bench) -> None:
    """`--max` holds."""
    bot.asks = ["a to-do list"] * 3

    assert 2 == work_some(bench.lane(), bench.drain, most=2)
    assert 1 == len(bot.asks)


def test_a_store_that_keeps_other_bytes_is_found_out(bot: FakeBot, bench: Bench) -> None:
    """The hash that comes back must be the hash that was sent."""
    bot.asks = ["a decision wheel"]
    bot.stores_other_bytes = True

    bench.lane().work_once()

    assert ("broken", "what is stored is not what was sent: the hashes differ") == (
        only_report(bot)["outcome"],
        only_report(bot)["detail"],
    )


def test_a_report_is_repeated_while_the_bot_is_away(bot: FakeBot, bench: Bench) -> None:
    """A bot that restarts does not cost a finished build."""
    bot.asks = ["a decision wheel"]
    bot.faults = [Fault("report", "status", status=503, times=9)]

    assert Worked.REPORTED == bench.lane(patience_seconds=600).work_once()
    assert 10 == len(bot.named("report"))


def test_a_claim_lost_while_the_report_waits_is_late(bot: FakeBot, bench: Bench) -> None:
    """The heartbeat goes on beside the repeats, and hears of it."""
    bot.asks = ["a decision wheel"]
    bot.faults = [
        Fault("report", "status", status=503, times=1_000_000),
        Fault("heartbeat", "status", status=409, error="claim_lost"),
    ]

    assert Worked.LATE == bench.lane(patience_seconds=600).work_once()


def test_a_lane_that_is_already_past_its_grace_releases_at_once(bot: FakeBot, bench: Bench) -> None:
    """A claim that comes back after the end is given back without any work."""
    bot.asks = ["a decision wheel"]
    bench.drain.begin()
    bench.drain.begin()

    assert Worked.REPORTED == bench.lane().work_once()
    assert ("released", {}) == (only_report(bot)["outcome"], bot.bundles)
