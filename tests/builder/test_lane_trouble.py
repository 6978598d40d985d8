"""A lane in trouble: lost answers, lost claims, a bot that is away, the end of the process."""

import pytest

from builder.errands import Worked
from builder.errors import BotUnreachable, NotWelcome
from builder.outcomes import App, Outcome
from builder.ports import Task
from builder.watch import work_some, work_until_drained
from tests.builder.conftest import Bench
from tests.builder.fake_bot import FakeBot, Fault
from tests.builder.scripted import Scripted, only_report, write_page


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

    def generate(task: Task) -> Outcome[App]:
        bot.wait_for(lambda bot: any(call.body == {"api_version": 1, "step": "generating"} for call in bot.calls))
        return write_page(task)

    assert Worked.REPORTED == bench.lane(Scripted(generate)).work_once()


def test_a_claim_lost_at_the_heartbeat_stops_the_work(bot: FakeBot, bench: Bench) -> None:
    """Nothing is published, nothing but its cost is told, and the log says that it was late."""
    bot.asks = ["x"]

    def generate(task: Task) -> Outcome[App]:
        with bot.changed:
            bot.voided = set(bot.claims)
        assert task.stop.wait(20)
        return write_page(task)

    assert Worked.LATE == bench.lane(Scripted(generate)).work_once()
    (told,) = bot.named("report")
    assert ([], {}) == (bot.named("bundle"), bot.reports)
    assert ("released", 30) == (told.body["outcome"], told.body["cost_micros"])
    assert ["cost_told", "late"] == bench.events[-2:]


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

    def generate(task: Task) -> Outcome[App]:
        bot.wait_for(lambda bot: sum(call.name == "heartbeat" for call in bot.calls) > 4)
        return write_page(task)

    assert Worked.REPORTED == bench.lane(Scripted(generate)).work_once()
    assert "done" == only_report(bot)["outcome"]


def test_a_device_that_is_revoked_during_the_work_stops_the_lane(bot: FakeBot, bench: Bench) -> None:
    """No later call could succeed."""
    bot.asks = ["x"]
    bot.faults = [Fault("heartbeat", "status", status=401, error="bad_token", times=100)]

    def generate(task: Task) -> Outcome[App]:
        assert task.stop.wait(20)
        return write_page(task)

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
    """Rather than leaving the claim to the end of its lease; what the build cost is not forgotten over it."""
    bot.asks = ["a decision wheel"]
    bot.faults = [Fault("report", "status", status=422, error="invalid")]

    bench.lane(Scripted(write_page)).work_once()

    assert ("broken", 30) == (only_report(bot)["outcome"], only_report(bot)["cost_micros"])


def test_a_report_that_cannot_be_delivered_is_given_up_after_a_while(bot: FakeBot, bench: Bench) -> None:
    """The lane says so, and the caller decides."""
    bot.asks = ["a decision wheel"]
    bot.faults = [Fault("report", "status", status=503, times=100)]

    with pytest.raises(BotUnreachable):
        bench.lane().work_once()
    assert ["report_undelivered", "unreported"] == bench.events[-2:]


def test_the_end_of_the_grace_time_releases_the_claim(bot: FakeBot, bench: Bench) -> None:
    """A drain that lasts too long gives the document back instead of letting its lease run out."""
    bot.asks = ["x", "y"]

    def generate(task: Task) -> Outcome[App]:
        bench.drain.begin()
        bench.drain.begin()
        assert task.stop.wait(20)
        return write_page(task)

    assert 1 == work_some(bench.lane(Scripted(generate)), bench.drain, most=5)
    assert "released" == only_report(bot)["outcome"]
    assert ({}, ["y"]) == (bot.bundles, bot.asks)


def test_a_drain_lets_the_standing_document_be_finished(bot: FakeBot, bench: Bench) -> None:
    """Within the grace time, what is being built is published and reported; nothing new is claimed."""
    bot.asks = ["x", "y"]

    def generate(task: Task) -> Outcome[App]:
        bench.drain.begin()
        return write_page(task)

    work_until_drained(bench.lane(Scripted(generate)), bench.drain, bench.log, 0.001, lambda seconds: seconds)

    assert "done" == only_report(bot)["outcome"]
    assert ["y"] == bot.asks


def test_watching_outlasts_a_bot_that_is_down(bot: FakeBot, bench: Bench) -> None:
    """A line in the log and a pause, then the work goes on."""
    bot.asks = ["x"]
    bot.faults = [Fault("claim", "status", status=503, times=8)]

    def generate(task: Task) -> Outcome[App]:
        bench.drain.begin()
        return write_page(task)

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
