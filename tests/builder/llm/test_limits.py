"""Tokens, money, a stop: what ends a build before it is too much."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from builder.errors import BadSettings
from builder.generators.llm.generator import make_llm
from builder.generators.llm.options import LlmOptions, ModelName, Price, Provider
from builder.generators.llm.spending import Tokens, allowance, cost_micros
from builder.outcomes import App, Broken, Budget, Done, Outcome, Unfit
from builder.stopping import StopReason
from tests.builder.conftest import Bench, MakeClient
from tests.builder.fake_bot import FakeBot
from tests.builder.llm.conftest import LlmBench
from tests.builder.llm.fake_models import Drips, Reply, Says, Stalls, app
from tests.builder.scripted import only_report
from tests.waiting import until

HAIKU = ModelName(Provider.ANTHROPIC, "claude-haiku-5-5")
SMALL = ModelName(Provider.COMPATIBLE, "small")
OPTIONS = LlmOptions((str(SMALL),), compatible_url="http://127.0.0.1:1/v1")
PRICED = LlmOptions((str(SMALL),), compatible_url="http://127.0.0.1:1/v1", price=Price(1.0, 10.0))


def test_tokens_that_are_spent_allow_no_further_call(bench: LlmBench) -> None:
    """The first answer took what there was; the retry that it calls for is not made."""
    bench.models.replies = [Says("prose", read=5000, written=3000)]
    broken = bench.generate(task=bench.task(budget=Budget(600, tokens=10_000)))

    assert isinstance(broken, Broken)
    assert broken.detail.startswith("the build's limit of tokens is spent; last: an unusable answer")
    assert 1 == len(bench.models.requests)


def test_a_call_may_write_only_what_is_left(bench: LlmBench) -> None:
    """Its limit is what remains beside the words that it reads."""
    bench.models.replies = [app()]

    assert isinstance(bench.generate(task=bench.task(budget=Budget(600, tokens=10_000))), Done)
    assert 4000 < bench.models.requests[0].body["max_tokens"] < 8500


def test_money_that_is_spent_allows_no_further_call(bench: LlmBench) -> None:
    """By the price list, without a network."""
    bench.models.replies = [Says("prose", read=20_000, written=8_000)]
    broken = bench.generate("anthropic:claude-haiku-5-5", task=bench.task(budget=Budget(600, cost_micros=5_000)))

    assert isinstance(broken, Broken)
    assert "the build's limit of money is spent" in broken.detail
    assert 1 == len(bench.models.requests)
    assert cost_micros(HAIKU, Tokens(20_000, 8_000), OPTIONS) == broken.usage.cost_micros


def test_an_unknown_price_and_a_limit_of_money_do_not_go_together(bench: LlmBench) -> None:
    """Nothing is called: what cannot be counted cannot be limited, and a person sets the price."""
    budget = Budget(600, cost_micros=1_000_000)
    unfit = bench.generate("anthropic:claude-haiku-5-5", "compatible:small", task=bench.task(budget=budget))
    bench.models.replies = [app()]

    assert isinstance(unfit, Unfit)
    assert "compatible:small" in unfit.detail
    assert "SKYWRIGHT_LANE_LLM_PRICE_IN" in unfit.detail
    assert isinstance(bench.generate(task=bench.task(budget=budget), price=Price(0, 0)), Done)
    assert 1 == len(bench.models.requests)


def test_a_set_price_is_what_a_call_costs(bench: LlmBench) -> None:
    """Dollars per million tokens are millionths of a dollar per token."""
    bench.models.replies = [app()]
    done = bench.generate(price=Price(1.0, 10.0))

    assert isinstance(done, Done)
    assert 100 * 1 + 50 * 10 == done.value.usage.cost_micros


@pytest.mark.parametrize(
    ("budget", "tokens_out", "limit"),
    [
        (Budget(1), 32_000, "the limit of an answer"),
        (Budget(1, tokens=3_000), 2_000, "the build's limit of tokens"),
        (Budget(1, tokens=500), 0, "the build's limit of tokens"),
        (Budget(1, cost_micros=11_000), 1_000, "the build's limit of money"),
        (Budget(1, cost_micros=900), 0, "the build's limit of money"),
    ],
)
def test_the_tightest_limit_is_what_a_call_may_write(budget: Budget, tokens_out: int, limit: str) -> None:
    """With a thousand tokens to read, a dollar a million of them, and ten for those that are written."""
    allowed = allowance(SMALL, 1_000, budget, PRICED)

    assert (tokens_out, limit) == (allowed.tokens_out, allowed.limit)


def test_a_model_that_costs_nothing_is_limited_by_no_money() -> None:
    """A server of one's own has the price zero."""
    free = LlmOptions((str(SMALL),), compatible_url="http://127.0.0.1:1/v1", price=Price(0.0, 0.0))

    assert 32_000 == allowance(SMALL, 1_000, Budget(1, cost_micros=1), free).tokens_out


def test_what_comes_from_a_cache_costs_less() -> None:
    """As the provider counts it."""
    full, cached = (cost_micros(HAIKU, Tokens(100_000, 0, read), OPTIONS) for read in (0, 90_000))

    assert full is not None
    assert cached is not None
    assert cached < full / 2


@pytest.mark.parametrize("reply", [Stalls(), Drips()], ids=["before the first byte", "in the middle"])
@pytest.mark.parametrize("model", ["compatible:small", "anthropic:claude-haiku-5-5"])
def test_a_stop_ends_a_running_call(bench: LlmBench, model: str, reply: Reply) -> None:
    """Long before any deadline, with its connection, and what it used is counted."""
    bench.models.replies = [reply]
    ended: list[Outcome[App]] = []
    thread = threading.Thread(target=lambda: ended.append(bench.generate(model, "openai:gpt-5")))
    thread.start()
    until(lambda: bench.models.requests)
    bench.stop.ask(StopReason.LOST)
    thread.join(20)

    assert not thread.is_alive()
    assert isinstance(ended[0], Broken)
    assert 0 < ended[0].usage.tokens_in
    assert 1 == len(bench.models.requests)
    if isinstance(reply, Drips):
        until(lambda: bench.models.hung_up)


def test_a_stopped_build_counts_what_was_used_and_has_not_failed(
    bench: LlmBench, bot: FakeBot, make_client: MakeClient, tmp_path: Path
) -> None:
    """The document is given back, and its tokens are told."""
    bench.models.replies = [Drips()]
    bot.asks = ["make a dice roller"]
    lane = Bench(make_client(), tmp_path)

    def stop() -> None:
        until(lambda: bench.models.requests)
        lane.drain.begin()
        lane.drain.begin()

    stopper = threading.Thread(target=stop)
    stopper.start()
    lane.lane(bench.generator()).work_once()
    stopper.join()
    lane.drain.close()
    report = only_report(bot)

    assert "released" == report["outcome"]
    assert 0 < int(str(report["tokens_in"]))


def test_an_answer_without_a_count_is_counted_by_us(bench: LlmBench) -> None:
    """Many local servers tell none."""
    bench.models.replies = [replace(app(), read=None)]
    done = bench.generate()

    assert isinstance(done, Done)
    assert 1500 < done.value.usage.tokens_in < 5000
    assert 30 < done.value.usage.tokens_out < 200


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (LlmOptions(()), "SKYWRIGHT_LANE_LLM_MODELS: names no model"),
        (LlmOptions(("gpt-5",)), "SKYWRIGHT_LANE_LLM_MODELS: a model is written as anthropic:NAME, "),
        (LlmOptions(("mystery:gpt-5",)), "SKYWRIGHT_LANE_LLM_MODELS: a model is written as anthropic:NAME, "),
        (LlmOptions(("openai:gpt-5",)), "SKYWRIGHT_LANE_LLM_OPENAI_KEY: missing"),
        (LlmOptions(("anthropic:x",)), "SKYWRIGHT_LANE_LLM_ANTHROPIC_KEY: missing"),
        (LlmOptions(("compatible:x",)), "SKYWRIGHT_LANE_LLM_COMPATIBLE_URL: missing"),
        (LlmOptions(("compatible:x",), compatible_url="localhost:1234/v1"), "SKYWRIGHT_LANE_LLM_COMPATIBLE_URL: not "),
        (LlmOptions(("compatible:x",), compatible_url="http:///v1"), "SKYWRIGHT_LANE_LLM_COMPATIBLE_URL: not "),
        (LlmOptions(("openai:x",), openai_key=SecretStr("k"), price=Price(-1, 0)), "SKYWRIGHT_LANE_LLM_PRICE_IN, "),
    ],
)
def test_options_that_cannot_work_name_the_setting(options: LlmOptions, named: str) -> None:
    """Before any build, and without a value."""
    with pytest.raises(BadSettings) as problem:
        make_llm(options, lambda: 0.0)

    assert str(problem.value).startswith(named)
