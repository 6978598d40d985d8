"""The repair loop: findings go back to the generator, a set number of rounds, within one budget."""

from collections.abc import Callable, Iterator

import pytest

from builder.errands import Worked
from builder.errors import LaneUnfit
from builder.outcomes import App, Broken, Budget, Done, Outcome, Refused, RetryLater, Unfit, Usage
from builder.ports import Task
from builder.watch import work_some
from tests.builder.conftest import Bench
from tests.builder.fake_bot import FakeBot
from tests.builder.scripted import Photographer, Picky, Scripted, only_report

BAD = b"<!doctype html><title>t</title><p>BAD"
GOOD = b"<!doctype html><title>t</title><p>mended"
FINDING = "picky: index.html says BAD"
EACH = Usage("model-1", "prompt-2", 10, 20, 30)

Answer = Callable[[Task], Outcome[App]]


def page(content: bytes) -> Answer:
    """An answer that leaves this page, whatever lay there before."""

    def write(task: Task) -> Outcome[App]:
        task.workspace.clear()
        task.workspace.write("index.html", content)
        return Done(App("A title", "A description", EACH))

    return write


def ends(outcome: Outcome[App]) -> Answer:
    """An answer that leaves nothing."""
    return lambda _: outcome


def answering(*answers: Answer, can_repair: bool = True) -> Scripted:
    """A generator that gives one answer after another; one more call is a defect."""
    rest: Iterator[Answer] = iter(answers)

    def answer(task: Task) -> Outcome[App]:
        return next(rest)(task)

    return Scripted(answer, can_repair=can_repair)


@pytest.fixture(autouse=True)
def one_ask(bot: FakeBot) -> None:
    bot.asks = ["x"]


def test_what_the_checks_find_goes_back_and_is_mended(bot: FakeBot, bench: Bench) -> None:
    """The findings are in the second task, the first files still lie there, and the mended app is published."""
    seen: list[bytes] = []

    def mend(task: Task) -> Outcome[App]:
        seen.append(task.workspace.snapshot(task.limits).files["index.html"])
        return page(GOOD)(task)

    generator = answering(page(BAD), mend)
    bench.lane(generator, checks=[Picky(), Photographer()]).work_once()

    report = only_report(bot)
    assert [(), (FINDING,)] == [task.findings for task in generator.tasks]
    assert [BAD] == seen
    assert ("done", 1) == (report["outcome"], report["repairs"])
    assert GOOD in next(iter(bot.bundles.values()))
    assert ["generating", "checking", "repairing", "checking", "publishing"] == [
        event for event in bench.events if event.endswith("ing")
    ]


def test_what_every_round_used_is_summed(bot: FakeBot, bench: Bench) -> None:
    """A repair is not for free, however it ends."""
    bench.lane(answering(page(BAD), ends(Broken("cut off", EACH))), checks=[Picky()]).work_once()

    report = only_report(bot)
    assert (20, 40, 60) == (report["tokens_in"], report["tokens_out"], report["cost_micros"])


def test_a_sum_that_no_report_can_hold_is_told_as_the_most_that_it_can(bot: FakeBot, bench: Bench) -> None:
    """A program tells what it likes of its usage; the lane does not fall over it."""
    most = 2**53 - 1
    told = Usage("model-1", "prompt-2", most, most, most)
    bench.lane(answering(page(BAD), ends(Broken("no", told))), checks=[Picky()]).work_once()

    report = only_report(bot)
    assert (most, most, most) == (report["tokens_in"], report["tokens_out"], report["cost_micros"])


def test_after_the_set_number_of_rounds_the_attempt_is_broken(bot: FakeBot, bench: Bench) -> None:
    """The last findings are the reason, and nothing was uploaded."""
    bench.lane(answering(page(BAD), page(BAD), page(BAD), page(GOOD)), checks=[Picky()]).work_once()

    report = only_report(bot)
    assert ("broken", FINDING, 2) == (report["outcome"], report["detail"], report["repairs"])
    assert {} == bot.bundles


def test_a_generator_that_cannot_repair_is_asked_once(bot: FakeBot, bench: Bench) -> None:
    """Another call would give the same files."""
    generator = answering(page(BAD), page(GOOD), can_repair=False)

    bench.lane(generator, checks=[Picky()]).work_once()

    assert ("broken", 0, 1) == (only_report(bot)["outcome"], only_report(bot)["repairs"], len(generator.tasks))


@pytest.mark.parametrize(
    "budget", [Budget(600, tokens=30), Budget(600, tokens=29), Budget(600, cost_micros=30), Budget(0)]
)
def test_a_spent_budget_ends_the_repairs(bot: FakeBot, bench: Bench, budget: Budget) -> None:
    """Time, tokens or money: the limit is one build's, and not one round's."""
    bench.lane(answering(page(BAD), page(GOOD)), checks=[Picky()], budget=budget).work_once()

    assert ("broken", 0) == (only_report(bot)["outcome"], only_report(bot)["repairs"])


def test_a_repair_gets_what_is_left_of_the_budget(bot: FakeBot, bench: Bench) -> None:
    """Less by what the first round used, and by its time; the bot's own limit on the money counts as well."""
    bot.told = {"cost_micros": 1000}
    generator = answering(page(BAD), page(GOOD))

    bench.lane(generator, checks=[Picky()], budget=Budget(600, tokens=100, cost_micros=2000)).work_once()

    first, second = (task.budget for task in generator.tasks)
    assert (100, 1000) == (first.tokens, first.cost_micros)
    assert (70, 970) == (second.tokens, second.cost_micros)
    assert second.seconds < first.seconds <= 600


def test_a_repair_that_breaks_names_both_reasons(bot: FakeBot, bench: Bench) -> None:
    """What the checks said is not lost over what came after it."""
    bench.lane(answering(page(BAD), ends(Broken("the answer was cut off"))), checks=[Picky()]).work_once()

    report = only_report(bot)
    assert ("broken", f"the answer was cut off; before: {FINDING}") == (report["outcome"], report["detail"])
    assert [("files", True), ("picky", False)] == [(each["check"], each["passed"]) for each in report["checks"]]


@pytest.mark.parametrize(
    ("outcome", "reported", "detail"),
    [
        (RetryLater(90, "overloaded", EACH), "retry_later", "overloaded"),
        (Refused("I cannot make that.", "the model declines", EACH), "refused", "the model declines"),
    ],
)
def test_a_repair_that_ends_otherwise_ends_the_build_so(
    bot: FakeBot, bench: Bench, outcome: Outcome[App], reported: str, detail: str
) -> None:
    """An overload waits, a refusal is told; what was used before is reported all the same."""
    bench.lane(answering(page(BAD), ends(outcome)), checks=[Picky()]).work_once()

    report = only_report(bot)
    assert (reported, detail, 60) == (report["outcome"], report["detail"], report["cost_micros"])


def test_a_lane_that_is_unfit_gives_the_document_back_and_ends(bot: FakeBot, bench: Bench) -> None:
    """No failure is charged to the document, and the next one is not even claimed."""
    bot.asks = ["x", "y"]
    lane = bench.lane(answering(ends(Unfit("The key is refused. Set another one.", EACH))))

    with pytest.raises(LaneUnfit, match=r"^The key is refused\. Set another one\.$"):
        work_some(lane, bench.drain, most=5)

    report = only_report(bot)
    assert ("released", 30) == (report["outcome"], report["cost_micros"])
    assert ["y"] == bot.asks


def test_a_claim_that_is_voided_during_a_repair_stops_it(bot: FakeBot, bench: Bench) -> None:
    """Nothing is published, and what both rounds cost is told once."""

    def void(task: Task) -> Outcome[App]:
        with bot.changed:
            bot.voided = set(bot.claims)
        assert task.stop.wait(20)
        return page(GOOD)(task)

    assert Worked.LATE == bench.lane(answering(page(BAD), void), checks=[Picky()]).work_once()
    (told,) = bot.named("report")
    assert ({}, 60, "released") == (bot.bundles, told.body["cost_micros"], told.body["outcome"])


def test_released_work_says_what_it_used(bot: FakeBot, bench: Bench) -> None:
    """The end of the process during a repair gives the document back, and the money is not forgotten."""

    def end(task: Task) -> Outcome[App]:
        bench.drain.begin()
        bench.drain.begin()
        assert task.stop.wait(20)
        return page(GOOD)(task)

    bench.lane(answering(page(BAD), end), checks=[Picky()]).work_once()

    report = only_report(bot)
    assert ("released", 60, 1) == (report["outcome"], report["cost_micros"], report["repairs"])
