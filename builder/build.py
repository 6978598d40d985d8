"""The work on one claim: generate, check, repair within the same budget, publish."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from builder.errors import WorkStopped
from builder.logs import BuildLog
from builder.outcomes import App, Ask, Broken, Budget, Checked, Done, Outcome, Published, Usage
from builder.ports import Check, Generator, Publisher, Task
from builder.stopping import Stop
from builder.workspace import Snapshot, Workspace
from guardrails.wire import CheckReport, Claim

MOST_REPAIRS = 2


@dataclass(frozen=True)
class Tools:
    """What a lane builds with; the budget and the rounds of repair are those of one build."""

    generator: Generator
    checks: Sequence[Check]
    publisher: Publisher
    budget: Budget
    repairs: int = MOST_REPAIRS


@dataclass(frozen=True)
class Attempt:
    """How the work ended, and what is known of it for the report."""

    outcome: Outcome[Published]
    app: App | None = None
    checks: tuple[CheckReport, ...] = ()
    screenshot: bytes | None = None


class Work(Protocol):
    """What is done under a claim; `used` and `repairs` say what it has taken so far, however it ends."""

    generator: str
    used: Usage
    repairs: int

    def run(self) -> Attempt:
        """Do it; WorkStopped as soon as the stop is asked for, and then nothing more is published."""
        ...


@dataclass(frozen=True)
class Candidate:
    """An app that a generator has left, as it would be served, and what the checks say of it."""

    app: App
    snapshot: Snapshot
    checked: tuple[Checked, ...]

    @property
    def reports(self) -> tuple[CheckReport, ...]:
        """One report a check."""
        return tuple(each.report for each in self.checked)

    @property
    def passed(self) -> bool:
        """Whether every check passes it."""
        return all(report.passed for report in self.reports)

    @property
    def findings(self) -> tuple[str, ...]:
        """What has to be mended, each behind the name of its check."""
        return tuple(f"{each.check}: {text}" for each in self.reports if not each.passed for text in each.findings)

    @property
    def screenshot(self) -> bytes | None:
        """The picture that a check took, where one did."""
        return next((each.screenshot for each in self.checked if each.screenshot is not None), None)


class Build:
    """One build; `used` and `repairs` say what it has taken so far, however it ends. `now` is a steady clock."""

    def __init__(
        self,
        claim: Claim,
        tools: Tools,
        workspace: Workspace,
        stop: Stop,
        step: Callable[[str], None],
        log: BuildLog,
        now: Callable[[], float],
    ) -> None:
        self._claim = claim
        self._tools = tools
        self._workspace = workspace
        self._stop = stop
        self._step = step
        self._log = log
        self._now = now
        self._began = now()
        self._budget = _least(tools.budget, claim.cost_micros)
        self.generator = tools.generator.name
        self.used = Usage()
        self.repairs = 0

    def run(self) -> Attempt:
        """Build and publish; WorkStopped as soon as the stop is asked for, and then nothing more is published."""
        made = self.passing()
        if not isinstance(made, Candidate):
            return made
        self._enter("publishing")
        published = self._tools.publisher.publish(self._claim, made.snapshot.files)
        return Attempt(published, made.app, made.reports, made.screenshot)

    def passing(self) -> Candidate | Attempt:
        """As `make`, but an app that does not pass its checks is a broken attempt."""
        made = self.make()
        if isinstance(made, Candidate) and not made.passed:
            return Attempt(Broken("; ".join(made.findings)), made.app, made.reports)
        return made

    def make(self) -> Candidate | Attempt:
        """Generate, check and repair: what was made last, or how the generator ended; nothing is published."""
        made = self._generate(())
        while (
            isinstance(made, Candidate)
            and not made.passed
            and self._tools.generator.can_repair
            and self.repairs < self._tools.repairs
            and not self._left().is_spent
        ):
            self.repairs += 1
            mended = self._generate(made.findings)
            if isinstance(mended, Attempt) and isinstance(mended.outcome, Broken):
                detail = f"{mended.outcome.detail}; before: {'; '.join(made.findings)}"
                return Attempt(Broken(detail), made.app, made.reports)
            made = mended
        return made

    def _generate(self, findings: tuple[str, ...]) -> Candidate | Attempt:
        self._enter("repairing" if findings else "generating")
        claim, generator = self._claim, self._tools.generator
        ask = Ask(claim.ask, claim.langs, claim.context)
        task = Task(ask, self._workspace, self._stop, self._left(), claim.limits, findings)
        generated = generator.generate(task)
        self.used += generated.value.usage if isinstance(generated, Done) else generated.usage
        # A generator that was stopped has failed at nothing: what it used counts, and how it ended does not.
        self._raise_if_stopped()
        if not isinstance(generated, Done):
            return Attempt(generated)
        self._enter("checking")
        found = self._workspace.snapshot(claim.limits)
        served = self._tools.publisher.prepare(found.files, claim)
        entries = tuple((name, len(served.get(name, b"")) if name in served else size) for name, size in found.entries)
        snapshot = replace(found, entries=entries, files=served)
        checked = tuple(self._check(check, snapshot) for check in self._tools.checks)
        return Candidate(generated.value, snapshot, checked)

    def _check(self, check: Check, snapshot: Snapshot) -> Checked:
        checked = check.check(snapshot, self._claim.limits, self._stop)
        self._raise_if_stopped()
        report = checked.report
        self._log.say("checked", check=report.check, passed=report.passed, findings=len(report.findings))
        return checked

    def _left(self) -> Budget:
        return self._budget.without(self._now() - self._began, self.used)

    def _enter(self, step: str) -> None:
        self._raise_if_stopped()
        self._step(step)
        self._log.say(step)

    def _raise_if_stopped(self) -> None:
        if self._stop.reason is not None:
            raise WorkStopped(self._stop.reason)


def _least(budget: Budget, cost_micros: int | None) -> Budget:
    known = [each for each in (budget.cost_micros, cost_micros) if each is not None]
    return replace(budget, cost_micros=min(known, default=None))
