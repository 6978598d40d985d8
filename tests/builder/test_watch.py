"""Several workers beside one another: one drain, claims of their own, and one end for all."""

from threading import Barrier

import pytest

from builder.errors import LaneUnfit, NotWelcome
from builder.outcomes import App, Checked, Outcome, Unfit
from builder.ports import Generator, Task
from builder.stopping import Stop
from builder.watch import work_side_by_side, work_some, work_until_drained
from builder.workspace import Snapshot
from guardrails.wire import Limits
from tests.builder.conftest import Bench
from tests.builder.fake_bot import FakeBot, Fault
from tests.builder.scripted import Scripted, only_report, write_page


def watch(bench: Bench, generator: Generator, workers: int) -> None:
    """So many workers with one generator, until they drain."""

    def one() -> None:
        work_until_drained(bench.lane(generator), bench.drain, bench.log, 0.001, lambda seconds: seconds)

    work_side_by_side(one, workers, bench.drain)


def test_so_many_documents_are_built_at_a_time(bot: FakeBot, bench: Bench) -> None:
    """Each under a claim and in a folder of its own; all three are in the generator at one moment."""
    bot.asks = ["a", "b", "c"]
    together = Barrier(3, action=bench.drain.begin, timeout=20)

    def generate(task: Task) -> Outcome[App]:
        together.wait()
        return write_page(task)

    generator = Scripted(generate)
    watch(bench, generator, 3)

    assert {"a", "b", "c"} == {task.ask.text for task in generator.tasks}
    assert 3 == len({task.workspace.folder for task in generator.tasks})
    assert ["done"] * 3 == [report["outcome"] for report in bot.reports.values()]


def test_the_end_of_the_grace_time_releases_all_that_stands(bot: FakeBot, bench: Bench) -> None:
    """Each document goes back, and none is claimed any more."""
    bot.asks = ["a", "b", "c"]
    together = Barrier(2, timeout=20)

    def generate(task: Task) -> Outcome[App]:
        if together.wait() == 0:
            bench.drain.begin()
            bench.drain.begin()
        assert task.stop.wait(20)
        return write_page(task)

    watch(bench, Scripted(generate), 2)

    assert (["released"] * 2, ["c"]) == ([report["outcome"] for report in bot.reports.values()], bot.asks)


def test_a_worker_that_finds_the_lane_unfit_ends_all_in_good_order(bot: FakeBot, bench: Bench) -> None:
    """What another one has at work is finished, then the lane ends and says why."""
    bot.asks = ["fine", "unfit", "later"]
    together = Barrier(2, timeout=20)

    def generate(task: Task) -> Outcome[App]:
        together.wait()
        if task.ask.text == "unfit":
            return Unfit("The key is refused.")
        assert bench.drain.wait(20)
        return write_page(task)

    with pytest.raises(LaneUnfit, match="The key is refused"):
        watch(bench, Scripted(generate), 2)

    assert ["done", "released"] == sorted(str(report["outcome"]) for report in bot.reports.values())
    assert ["later"] == bot.asks


def test_a_refused_token_ends_all_workers(bot: FakeBot, bench: Bench) -> None:
    """No later poll of any of them could succeed."""
    bot.faults = [Fault("claim", "status", status=401, error="bad_token", times=100)]

    with pytest.raises(NotWelcome):
        watch(bench, Scripted(write_page), 3)


class NoBrowser:
    def check(self, snapshot: Snapshot, limits: Limits, stop: Stop) -> Checked:
        raise LaneUnfit("no browser starts here")


def test_a_check_that_finds_the_lane_unfit_gives_the_document_back(bot: FakeBot, bench: Bench) -> None:
    """A browser that does not start is no fault of the app's."""
    bot.asks = ["x", "y"]

    with pytest.raises(LaneUnfit, match="no browser starts here"):
        work_some(bench.lane(Scripted(write_page), checks=[NoBrowser()]), bench.drain, most=5)

    assert ("released", 30, ["y"]) == (only_report(bot)["outcome"], only_report(bot)["cost_micros"], bot.asks)


def test_a_longer_lease_is_wished_for(bot: FakeBot, bench: Bench) -> None:
    """And nothing is said of it otherwise, which a bot that knows no wish yet understands."""
    bot.asks = ["x", "y"]

    bench.lane(Scripted(write_page), lease_seconds=900).work_once()
    bench.lane(Scripted(write_page)).work_once()

    assert [900, None] == [call.body.get("lease_seconds") for call in bot.named("claim")]
