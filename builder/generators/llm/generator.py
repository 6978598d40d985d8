"""The generator `llm`: importing this takes seconds, so only a lane that uses it does."""

from collections.abc import Callable

from builder.generators.llm.breaker import Breaker
from builder.generators.llm.drafting import Drafting
from builder.generators.llm.options import PRICE_IN, PRICE_OUT, LlmOptions, models_of
from builder.generators.llm.spending import Tokens, cost_micros
from builder.outcomes import App, Outcome, RetryLater, Unfit
from builder.ports import Task


class LlmGenerator:
    """Has a model write the app; safe to share between threads. `now` is a steady clock in seconds."""

    name = "llm"
    can_repair = True

    def __init__(self, options: LlmOptions, now: Callable[[], float]) -> None:
        self._options = options
        self._models = models_of(options)
        self._breaker = Breaker(options.breaker_after, options.breaker_seconds)
        self._now = now

    def generate(self, task: Task) -> Outcome[App]:
        """Write the app's files, anew or mended; no call is made that the budget does not cover.

        Under a limit of money every model needs a price: without one the lane is unfit, since nothing could be limited.
        """
        unpriced = self.unpriced()
        if unpriced and task.budget.cost_micros is not None:
            mend = f"set {PRICE_IN} and {PRICE_OUT} (US dollars per million tokens; 0 where it costs nothing)"
            return Unfit(f"no price is known for {', '.join(unpriced)}, and builds have a limit of money; {mend}")
        wait = self._breaker.seconds_left(self._now())
        if wait:
            return RetryLater(wait, "the providers were overloaded time and again; no call was made")
        return Drafting(task, self._models, self._options, self._breaker, self._now).run()

    def unpriced(self) -> tuple[str, ...]:
        """The models whose cost nobody knows; it is reported as nothing."""
        return tuple(str(model) for model in self._models if cost_micros(model, Tokens(1, 1), self._options) is None)


def make_llm(options: LlmOptions, now: Callable[[], float]) -> LlmGenerator:
    """The generator; BadSettings names what is missing for its models. Nothing is called before a build."""
    return LlmGenerator(options, now)
