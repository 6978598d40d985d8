"""One generation: calls of one model after the other until there is an app, a refusal, or nothing left to try."""

from collections.abc import Callable

from builder.errors import UnsafeName
from builder.generators.llm.asking import Prompt, fenced, message, prompt_for
from builder.generators.llm.breaker import Breaker
from builder.generators.llm.calls import Answer, Finish, Question, call
from builder.generators.llm.options import COMPATIBLE_URL, KEY_SETTINGS, MODELS, LlmOptions, ModelName
from builder.generators.llm.reading import Declined, Draft, Unreadable, read_call, read_text
from builder.generators.llm.spending import allowance, cost_micros
from builder.generators.llm.troubles import Failed, Trouble
from builder.outcomes import App, Broken, Done, Outcome, Refused, RetryLater, Unfit, Usage
from builder.ports import Task
from guardrails.bundle import check_names
from guardrails.text import clean, clip

DECLINED = "the model that I build with would not make this, so I built nothing."
MOST_CORRECTIONS = 2
SHORTEST_CALL_SECONDS = 1.0

_SMALLER = (
    "Your last answer was cut off at its limit of {limit} tokens, and is lost. Write a smaller app this time: the one "
    "thing that matters most, in one short file, well below that limit."
)
_UNREADABLE = "Your last answer could not be used. Answer again: the whole app, in the form that is asked for."


class Drafting:
    """The calls of one generation. `now` is a steady clock in seconds."""

    def __init__(
        self, task: Task, models: tuple[ModelName, ...], options: LlmOptions, breaker: Breaker, now: Callable[[], float]
    ) -> None:
        self._task = task
        self._models = list(models)
        self._options = options
        self._breaker = breaker
        self._now = now
        self._ends_at = now() + task.budget.seconds
        self._prompt: Prompt = prompt_for(options.answer)
        self._current = task.workspace.snapshot(task.limits) if task.findings else None
        self._note = ""
        self._used = Usage(prompt_version=self._prompt.version)
        self._calls = 0
        self._was_cut_off = False
        self._was_empty = False
        self._corrections = 0
        self._failures: list[tuple[ModelName, Failed]] = []
        self._last_problem = ""

    def run(self) -> Outcome[App]:
        """Call until there is an outcome; each one says what all the calls have used."""
        while self._models:
            model = self._models[0]
            question = self._question(model)
            if isinstance(question, str):
                return self._out_of(question)
            self._calls += 1
            heard = call(model, question, self._options, self._task.stop)
            self._count(model, heard)
            outcome = self._after_failure(model, heard) if isinstance(heard, Failed) else self._after(heard, question)
            if outcome is not None:
                return outcome
        return self._no_model_left()

    def _question(self, model: ModelName) -> Question | str:
        """The next call within what is left, or what there is none of any more."""
        if self._calls >= self._options.most_calls:
            return f"the limit of {self._options.most_calls} calls"
        seconds = min(self._ends_at - self._now(), self._options.call_seconds)
        if seconds < SHORTEST_CALL_SECONDS:
            return "the build's time"
        text = message(self._task, self._current, self._note)
        tokens_in = Question(self._prompt.text, text, 0, seconds).tokens_in
        left = self._task.budget.without(0, self._used)
        allowed = allowance(model, tokens_in, left, self._options)
        if allowed.is_spent:
            return allowed.limit
        return Question(self._prompt.text, text, allowed.tokens_out, seconds)

    def _count(self, model: ModelName, heard: Answer | Failed) -> None:
        name = heard.model if isinstance(heard, Answer) else model.name
        cost = cost_micros(model, heard.tokens, self._options) or 0
        shown = clip(clean(f"{model.provider}:{name or model.name}"), 120, 480)
        self._used += Usage(shown, None, heard.tokens.read, heard.tokens.written, cost)

    def _after(self, answer: Answer, question: Question) -> Outcome[App] | None:
        self._breaker.answered(self._models[0].provider)
        if answer.finish is Finish.REFUSED:
            return Refused(DECLINED, f"the provider refused: {answer.refusal or 'no reason given'}", self._used)
        if answer.finish is Finish.CUT_OFF:
            return self._after_cut_off(question)
        if answer.is_empty:
            self._after_empty()
            return None
        try:
            draft = _read(answer)
        except Unreadable as problem:
            return self._correct(str(problem))
        if isinstance(draft, Declined):
            return Refused(draft.reason or DECLINED, "the model declined", self._used)
        return self._accept(draft)

    def _after_cut_off(self, question: Question) -> Outcome[App] | None:
        if self._was_cut_off:
            return Broken(f"truncated at {question.most_tokens_out} tokens, also when asked for less", self._used)
        self._was_cut_off = True
        self._last_problem = "the answer was truncated"
        self._note = _SMALLER.format(limit=question.most_tokens_out)
        return None

    def _after_empty(self) -> None:
        self._last_problem = "the answer was empty"
        if self._was_empty:
            self._next_model()
        else:
            self._was_empty = True

    def _correct(self, why: str) -> Outcome[App] | None:
        if self._corrections >= MOST_CORRECTIONS:
            return Broken(f"no usable answer: {why}", self._used)
        self._corrections += 1
        self._last_problem = f"an unusable answer: {why}"
        # It names files as the model did, after a stranger's words.
        self._note = f"{_UNREADABLE}\n\n{fenced('why it could not be used', why)}"
        return None

    def _accept(self, draft: Draft) -> Outcome[App] | None:
        contents = [(name, content.encode("utf-8", "replace")) for name, content in draft.files]
        problems = check_names(((name, len(content)) for name, content in contents), self._task.limits)
        if problems:
            return self._correct("; ".join(problems[:5]))
        self._task.workspace.clear()
        try:
            for name, content in contents:
                self._task.workspace.write(name, content)
        except UnsafeName as problem:
            return self._correct(str(problem))
        return Done(App(draft.title, draft.description, self._used))

    def _after_failure(self, model: ModelName, failed: Failed) -> Outcome[App] | None:
        detail = f"{model}: {failed.trouble.value}, {failed.detail}"
        self._last_problem = detail
        self._failures.append((model, failed))
        match failed.trouble:
            case Trouble.STOPPED | Trouble.OUT_OF_TIME:
                return Broken(detail, self._used)
            case Trouble.REFUSED:
                return Refused(DECLINED, detail, self._used)
            case Trouble.FORBIDDEN if self._breaker.has_answered(model.provider):
                pass  # the key is good, and it is the ask that some gateway does not let through
            case Trouble.WRONG_KEY | Trouble.FORBIDDEN:
                mend = f"set {KEY_SETTINGS[model.provider]} to a key that is valid for it"
                return Unfit(f"{model}: the provider does not accept the key ({failed.detail}); {mend}", self._used)
            case Trouble.OVERLOADED:
                self._breaker.overloaded(self._now())
        self._next_model()
        return None

    def _next_model(self) -> None:
        del self._models[0]
        self._was_empty = False

    def _out_of(self, what: str) -> Outcome[App]:
        """Nothing more may be used: the fault of whoever was overloaded, where somebody was."""
        if self._waits():
            return self._later()
        last = f"; last: {self._last_problem}" if self._last_problem else ""
        return Broken(f"{what} is spent{last}", self._used)

    def _no_model_left(self) -> Outcome[App]:
        if self._waits():
            return self._later()
        for model, failed in self._failures:
            if failed.trouble is Trouble.UNKNOWN_MODEL:
                mend = f"correct {MODELS} (or {COMPATIBLE_URL})"
                return Unfit(f"{model}: the provider does not know it ({failed.detail}); {mend}", self._used)
            if failed.trouble is Trouble.NO_CREDIT:
                return Unfit(f"{model}: the account has no credit left ({failed.detail}); top it up", self._used)
        return Broken(f"no model gave an app; last: {self._last_problem}", self._used)

    def _waits(self) -> list[float]:
        default = self._options.overload_wait_seconds
        overloaded = [failed for _, failed in self._failures if failed.trouble is Trouble.OVERLOADED]
        return [default if failed.retry_after is None else failed.retry_after for failed in overloaded]

    def _later(self) -> RetryLater:
        problems = [f"{model}: {failed.detail}" for model, failed in self._failures]
        wait = min(max(self._waits()), self._options.longest_wait_seconds)
        return RetryLater(wait, f"overloaded: {'; '.join(problems)}", self._used)


def _read(answer: Answer) -> Draft | Declined:
    """The last of several calls stands; a text counts where no tool was called."""
    if answer.calls:
        tool, arguments = answer.calls[-1]
        return read_call(tool, arguments)
    return read_text(answer.text)
