"""Cut off, empty, overloaded, forbidden, unknown: each ends in its own way, after a counted number of calls."""

from dataclasses import replace

import pytest

from builder.outcomes import Broken, Budget, Done, Refused, RetryLater, Unfit
from tests.builder.llm.conftest import KEY, LlmBench
from tests.builder.llm.fake_models import (
    BreaksOff,
    Drips,
    Fails,
    FailsLate,
    Reply,
    Says,
    Stalls,
    Streams,
    app,
    declines,
)

CUT_OFF = Says("<!doctype html><script>let a=", finish="length")
OPENAI_ERROR = {"error": {"message": "no", "type": "some_error", "code": None}}
OVERLOADED = Fails(529, body={"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})


@pytest.mark.parametrize(
    ("model", "cut"),
    [
        ("compatible:small", CUT_OFF),
        ("compatible:small", replace(app(), finish="length")),
        ("anthropic:claude-haiku-5-5", replace(CUT_OFF, finish="max_tokens")),
    ],
)
def test_a_truncated_answer_is_asked_for_once_more_and_smaller(bench: LlmBench, model: str, cut: Says) -> None:
    """It is never published, not even where it can be read."""
    bench.models.replies = [cut]
    broken = bench.generate(model)

    assert isinstance(broken, Broken)
    assert broken.detail.startswith("truncated at 32000 tokens")
    assert [False, True] == ["Write a smaller app" in request.message for request in bench.models.requests]
    assert {} == bench.files
    assert 300 == broken.usage.tokens_in + broken.usage.tokens_out


def test_the_smaller_app_is_taken(bench: LlmBench) -> None:
    """One retry may be all that it needs."""
    bench.models.replies = [CUT_OFF, app()]

    assert isinstance(bench.generate(), Done)


def test_an_empty_answer_is_asked_for_again_and_then_of_the_next_model(bench: LlmBench) -> None:
    """The same words once more, since nothing was wrong with them."""
    bench.models.by_model = {"first": [Says()], "second": [app()]}
    done = bench.generate("compatible:first", "compatible:second")

    assert isinstance(done, Done)
    assert ["first", "first", "second"] == bench.models.models
    assert 1 == len({request.message for request in bench.models.requests})
    assert "compatible:second" == done.value.usage.model
    assert 3 * 150 == done.value.usage.tokens_in + done.value.usage.tokens_out


def test_nothing_but_empty_answers_is_a_failure(bench: LlmBench) -> None:
    """Two calls, and no third."""
    bench.models.replies = [Says(text="  \n")]
    broken = bench.generate()

    assert isinstance(broken, Broken)
    assert "no model gave an app; last: the answer was empty" == broken.detail
    assert 2 == len(bench.models.requests)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529])
@pytest.mark.parametrize("model", ["compatible:small", "anthropic:claude-haiku-5-5"])
def test_an_overload_goes_to_the_next_model_and_then_waits(bench: LlmBench, model: str, status: int) -> None:
    """One call a model: nothing below repeats by itself, and it costs nothing."""
    bench.models.replies = [Fails(status, {"Retry-After": "77"}, OPENAI_ERROR)]
    later = bench.generate(model, "openai:gpt-5")

    assert isinstance(later, RetryLater)
    assert 77 == later.after_seconds
    assert 2 == len(bench.models.requests)
    assert (0, 0, 0) == (later.usage.tokens_in, later.usage.tokens_out, later.usage.cost_micros)


@pytest.mark.parametrize(("headers", "seconds"), [({}, 60.0), ({"Retry-After": "99999"}, 3600.0)])
def test_a_wait_is_bounded(bench: LlmBench, headers: dict[str, str], seconds: float) -> None:
    """Where the provider names none, ours holds; where it names a day, an hour."""
    bench.models.replies = [Fails(429, headers, OPENAI_ERROR)]
    later = bench.generate()

    assert isinstance(later, RetryLater)
    assert seconds == later.after_seconds


def test_a_fallback_reports_the_model_that_was_used(bench: LlmBench) -> None:
    """In the provider's own spelling."""
    bench.models.by_model = {"claude-haiku-5-5": [OVERLOADED], "small": [replace(app(), model="small-2026-10")]}
    done = bench.generate("anthropic:claude-haiku-5-5", "compatible:small")

    assert isinstance(done, Done)
    assert "compatible:small-2026-10" == done.value.usage.model


@pytest.mark.parametrize(
    "reply",
    [BreaksOff(), Fails(408), Fails(200, {"Content-Type": "text/html"}), FailsLate("overloaded_error")],
    ids=["break", "timeout", "page", "late"],
)
@pytest.mark.parametrize("provider", ["compatible", "anthropic"])
def test_no_answer_is_an_overload(bench: LlmBench, reply: Reply, provider: str) -> None:
    """A connection that ends, a proxy that gives up, something that is no model's answer, an error half-way."""
    bench.models.by_model = {"first": [reply], "second": [app()]}
    ended = bench.generate(f"{provider}:first", "compatible:second")

    assert isinstance(ended, Done)
    assert ["first", "second"] == bench.models.models


@pytest.mark.parametrize(
    ("provider", "events"),
    [
        ("compatible", 'data: {"choices": 5}\n\n'),
        ("compatible", "data: []\n\n"),
        ("anthropic", 'data: {"choices": 5}\n\n'),
        ("anthropic", 'event: content_block_stop\ndata: {"type": "content_block_stop", "index": 7}\n\n'),
        (
            "anthropic",
            "event: content_block_delta\n"
            'data: {"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": "x"}}\n\n',
        ),
    ],
)
def test_an_answer_in_no_form_that_a_client_knows_is_an_overload(bench: LlmBench, provider: str, events: str) -> None:
    """The clients fall over it in ways of their own, and the next model is asked all the same."""
    bench.models.by_model = {"first": [Streams(events)], "second": [app()]}
    ended = bench.generate(f"{provider}:first", "compatible:second")

    assert isinstance(ended, Done)
    assert ["first", "second"] == bench.models.models


@pytest.mark.parametrize("reason", ["abort", "error", "whatever"])
def test_an_answer_without_a_natural_end_is_not_used(bench: LlmBench, reason: str) -> None:
    """However whole it looks: a server that gave up says so in a word of its own."""
    bench.models.by_model = {"first": [replace(app("Half"), finish=reason)], "second": [app()]}
    ended = bench.generate("compatible:first", "compatible:second")

    assert isinstance(ended, Done)
    assert "Dice" == ended.value.title
    assert ["first", "second"] == bench.models.models


def test_a_stall_is_counted_as_what_it_may_have_cost(bench: LlmBench) -> None:
    """The request was taken, so its tokens are billed: we take our estimate, here twice."""
    bench.models.replies = [Stalls()]
    later = bench.generate("compatible:first", "compatible:second", first_byte_seconds=0.3)

    assert isinstance(later, RetryLater)
    assert 2 == later.detail.count("nothing came within 0.3 seconds")
    assert 3000 < later.usage.tokens_in < 10_000
    assert 0 == later.usage.tokens_out


def test_a_server_that_nobody_runs_is_an_overload(bench: LlmBench) -> None:
    """It may be up again soon."""
    later = bench.generate(compatible_url="http://127.0.0.1:9/v1")

    assert isinstance(later, RetryLater)
    assert "the connection failed" in later.detail


def test_a_drip_without_an_end_is_ended(bench: LlmBench) -> None:
    """A byte now and then resets no deadline, and what came is counted."""
    bench.models.replies = [Drips()]
    later = bench.generate(call_seconds=2.5)

    assert isinstance(later, RetryLater)
    assert "the answer had no end within 2.5 seconds" in later.detail
    assert 0 < later.usage.tokens_out


def test_thinking_without_an_end_is_counted(bench: LlmBench) -> None:
    """It is billed like words that are said."""
    bench.models.replies = [Drips(word="la " * 200, thinks=True)]
    later = bench.generate(call_seconds=2.5)

    assert isinstance(later, RetryLater)
    assert 200 < later.usage.tokens_out


@pytest.mark.parametrize("thinks", [False, True])
def test_a_flood_beyond_the_limit_is_cut_off(bench: LlmBench, thinks: bool) -> None:
    """A server that does not keep to the limit of tokens fills no memory."""
    bench.models.replies = [Drips(0.0, "la " * 20_000, thinks)]
    broken = bench.generate(max_output_tokens=2000)

    assert isinstance(broken, Broken)
    assert broken.detail.startswith("truncated")
    assert 2 == len(bench.models.requests)


def test_a_build_whose_time_is_up_makes_no_further_call(bench: LlmBench) -> None:
    """And one that is up during a call ends with it."""
    bench.models.replies = [Drips()]

    assert isinstance(bench.generate(task=bench.task(budget=Budget(0.5))), Broken)
    assert [] == bench.models.requests
    assert isinstance(bench.generate(task=bench.task(budget=Budget(2.5))), Broken)
    assert 1 == len(bench.models.requests)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize(
    ("model", "setting"),
    [
        ("openai:gpt-5", "SKYWRIGHT_LANE_LLM_OPENAI_KEY"),
        ("anthropic:claude-haiku-5-5", "SKYWRIGHT_LANE_LLM_ANTHROPIC_KEY"),
    ],
)
def test_a_wrong_key_ends_the_lane_and_is_not_quoted(bench: LlmBench, model: str, setting: str, status: int) -> None:
    """The setting is named; the provider quotes the key, we do not."""
    bench.models.replies = [Fails(status, body={"error": {"message": f"Incorrect API key provided: {KEY}"}})]
    unfit = bench.generate(model, "compatible:small")

    assert isinstance(unfit, Unfit)
    assert setting in unfit.detail
    assert KEY not in repr(unfit)
    assert 1 == len(bench.models.requests)


def test_a_key_that_was_good_is_not_blamed_for_what_one_ask_is_forbidden(bench: LlmBench) -> None:
    """Gateways answer 403 to words that they do not like: nobody ends all lanes with a post."""
    generator = bench.generator("compatible:small")
    bench.models.replies = [declines("No."), Fails(403), Fails(401)]

    assert isinstance(generator.generate(bench.task()), Refused)
    broken = generator.generate(bench.task())
    assert isinstance(broken, Broken)
    assert broken.detail.endswith("last: compatible:small: forbidden, status 403")
    assert isinstance(generator.generate(bench.task()), Unfit)


def test_an_unknown_model_goes_to_the_next_one(bench: LlmBench) -> None:
    """And where there is none, a person has to correct the list."""
    bench.models.by_model = {"gone": [Fails(404, body=OPENAI_ERROR)], "small": [app()]}

    assert isinstance(bench.generate("compatible:gone", "compatible:small"), Done)
    unfit = bench.generate("compatible:gone")
    assert isinstance(unfit, Unfit)
    assert "SKYWRIGHT_LANE_LLM_MODELS" in unfit.detail


def test_an_account_without_credit_is_topped_up_by_a_person(bench: LlmBench) -> None:
    """It comes as a 429 as well, but waiting helps nothing."""
    body = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota", "type": "x"}}
    bench.models.replies = [Fails(429, body=body)]
    unfit = bench.generate("openai:gpt-5")

    assert isinstance(unfit, Unfit)
    assert "top it up" in unfit.detail


def test_a_request_that_is_rejected_is_a_failure_with_the_providers_words(bench: LlmBench) -> None:
    """Without the key, should it be among them."""
    bench.models.replies = [Fails(400, body={"error": {"message": f"max_tokens too large for {KEY}"}})]
    broken = bench.generate()

    assert isinstance(broken, Broken)
    assert "status 400: max_tokens too large for …" in broken.detail


def test_a_key_is_cleared_before_the_words_are_cut(bench: LlmBench) -> None:
    """Half of a key is too much as well; and a key that nobody set is none."""
    words = f"none of {'x' * 180} {KEY}"
    bench.models.replies = [Fails(400, body={"error": {"message": words}})]
    broken = bench.generate(openai_key=None, anthropic_key=None)

    assert isinstance(broken, Broken)
    assert "sk-a" not in broken.detail
    assert "none of" in broken.detail


def test_calls_are_bounded_whatever_happens(bench: LlmBench) -> None:
    """Retries of different kinds add up to no more than the limit."""
    bench.models.replies = [Says(), CUT_OFF, Says("prose"), Says("prose"), app()]
    broken = bench.generate("compatible:a", most_calls=4)

    assert isinstance(broken, Broken)
    assert broken.detail.startswith("the limit of 4 calls is spent; last: an unusable answer")
    assert 4 == len(bench.models.requests)


def test_after_overloads_in_a_row_no_call_is_made_for_a_while(bench: LlmBench) -> None:
    """Over all builds; then one call is tried, and an answer closes the breaker."""
    bench.models.replies = [OVERLOADED]
    generator = bench.generator(breaker_after=3, breaker_seconds=100.0)
    ends = [generator.generate(bench.task()) for _ in range(5)]

    assert [60.0, 60.0, 60.0, 100.0, 100.0] == [end.after_seconds for end in ends if isinstance(end, RetryLater)]
    assert 3 == len(bench.models.requests)

    bench.seconds += 101
    assert isinstance(generator.generate(bench.task()), RetryLater)
    assert isinstance(generator.generate(bench.task()), RetryLater)
    assert 4 == len(bench.models.requests)

    bench.seconds += 101
    bench.models.replies = [app(), OVERLOADED]
    assert isinstance(generator.generate(bench.task()), Done)
    later = generator.generate(bench.task())
    assert isinstance(later, RetryLater)
    assert 60.0 == later.after_seconds
