"""Lets a generator build each ask as a lane does, judges what comes of it, and counts."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

from playwright.sync_api import Browser
from structlog.typing import FilteringBoundLogger

from builder.build import Attempt, Tools
from builder.outcomes import Refused
from builder.stopping import Stop
from builder.trial import Tried, trial_claim, try_out
from builder.workspace import open_workspace
from tests.eval.asks import Case
from tests.eval.judging import Untrue, judge


@dataclass(frozen=True)
class Result:
    """How one ask went; `problem` is None when all that its case says is true."""

    ask: str
    problem: str | None
    repairs: int
    seconds: float
    cost_micros: int
    model: str | None

    @property
    def first_try(self) -> bool:
        """Whether it was right without a repair."""
        return self.problem is None and self.repairs == 0


@dataclass(frozen=True)
class Score:
    """How a generator did on all of them."""

    generator: str
    results: tuple[Result, ...]

    @property
    def first_try(self) -> float:
        """The share that was right at the first try, in percent."""
        return _percent(result.first_try for result in self.results)

    @property
    def after_repair(self) -> float:
        """The share that was right in the end, in percent."""
        return _percent(result.problem is None for result in self.results)

    @property
    def summary(self) -> str:
        """The last line."""
        return (
            f"eval: {self.generator} generator, {len(self.results)} asks, "
            f"first try {self.first_try:.1f} %, after repair {self.after_repair:.1f} %"
        )

    @property
    def spent(self) -> str:
        """What it cost, and how long it took."""
        dollars = sum(result.cost_micros for result in self.results) / 1e6
        seconds = [result.seconds for result in self.results]
        return (
            f"cost ${dollars:.4f}, ${dollars / len(seconds):.4f} an ask; "
            f"time {sum(seconds) / len(seconds):.2f} s an ask, at worst {max(seconds):.2f} s"
        )


def evaluate(
    cases: Sequence[Case],
    tools: Tools,
    browser: Browser,
    log: FilteringBoundLogger,
    parallel: int,
    tell: Callable[[Result], None],
) -> Score:
    """Build so many at a time; judge each as soon as it is there, in order, on this thread."""
    results = []
    for case, tried in _build_all(cases, tools, log, parallel):
        result = _result(case, tried, _problem(browser, case, tried))
        tell(result)
        results.append(result)
    return Score(tools.generator.name, tuple(results))


def _build_all(
    cases: Sequence[Case], tools: Tools, log: FilteringBoundLogger, parallel: int
) -> Iterator[tuple[Case, Tried]]:
    stop = Stop()

    def build(case: Case) -> Tried:
        claim = trial_claim(case.text, case.langs, datetime.now(UTC))
        with open_workspace(None) as workspace:
            return try_out(claim, tools, workspace, stop, log, time.monotonic)

    with ThreadPoolExecutor(parallel) as pool:
        yield from zip(cases, pool.map(build, cases), strict=True)


def _problem(browser: Browser, case: Case, tried: Tried) -> str | None:
    made = tried.made
    if isinstance(made, Attempt):
        if isinstance(made.outcome, Refused):
            return None if case.refuse else f"refused: {made.outcome.reason}"
        return f"{type(made.outcome).__name__}: {getattr(made.outcome, 'detail', '')}"
    if case.refuse:
        return "built, and should have been refused"
    if not made.passed:
        return "; ".join(made.findings)
    try:
        judge(browser, made.snapshot.files, case)
    except Untrue as problem:
        return str(problem)
    return None


def _result(case: Case, tried: Tried, problem: str | None) -> Result:
    used = tried.used
    return Result(case.text, problem, tried.repairs, tried.seconds, used.cost_micros, used.model)


def _percent(right: Iterable[bool]) -> float:
    counted = list(right)
    return 100.0 * sum(counted) / len(counted)
