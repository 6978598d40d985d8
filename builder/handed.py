"""The work of the job that publishes: what another job has built is verified, read by the static checks, published."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import assert_never

from builder.build import Attempt
from builder.errands import Surroundings
from builder.errors import BadHandover, WorkStopped
from builder.handover import Manifest, read_app, read_manifest, read_screenshot
from builder.outcomes import App, Broken, Refused, RetryLater, Unfit, Usage
from builder.ports import Check, Publisher
from builder.reports import report_text
from builder.workspace import Snapshot
from guardrails.text import clean
from guardrails.wire import BuildOutcome, CheckReport, Claim, Report

MOST_REPORTS = 20


class Handed:
    """A handed-over build. Nothing of it is run, and nothing of it is believed that can be looked at here."""

    def __init__(
        self, claim: Claim, folder: Path, checks: Sequence[Check], publisher: Publisher, given: Surroundings
    ) -> None:
        self._claim = claim
        self._folder = folder
        self._checks = checks
        self._publisher = publisher
        self._given = given
        self.generator = "unknown"
        self.used = Usage()
        self.repairs = 0

    def run(self) -> Attempt:
        """Verify, check, publish; a hand-over that cannot be used is a broken attempt."""
        try:
            manifest = read_manifest(self._folder, self._claim)
            self._take_over(manifest.report)
            return self._finish(manifest)
        except BadHandover as problem:
            return Attempt(Broken(f"the hand-over cannot be used: {problem}"))

    def _take_over(self, report: Report) -> None:
        self._given.log.take_over(report.seconds, report.log_tail)
        self.generator = report_text(report.generator, "generator")
        self.repairs = report.repairs
        self.used = Usage(
            report_text(report.model, "model") if report.model else None,
            report_text(report.prompt_version, "prompt_version") if report.prompt_version else None,
            report.tokens_in,
            report.tokens_out,
            report.cost_micros,
        )

    def _finish(self, manifest: Manifest) -> Attempt:
        report, checks = manifest.report, _clean(manifest.report.checks)
        detail = report_text(report.detail, "detail")
        match report.outcome:
            case BuildOutcome.DONE:
                return self._publish(manifest, checks)
            case BuildOutcome.REFUSED:
                return Attempt(Refused(report_text(report.reason, "reason"), detail), None, checks)
            case BuildOutcome.RETRY_LATER:
                return Attempt(RetryLater(report.after_seconds, detail), None, checks)
            case BuildOutcome.BROKEN:
                return Attempt(Broken(detail), None, checks)
            case BuildOutcome.RELEASED:
                return Attempt(Unfit(detail))
            case _:
                assert_never(report.outcome)

    def _publish(self, manifest: Manifest, before: tuple[CheckReport, ...]) -> Attempt:
        claim = self._claim
        app = App(manifest.report.title, manifest.report.description)
        files = read_app(self._folder, manifest, claim)
        screenshot = read_screenshot(self._folder, manifest)
        self._enter("checking")
        served = self._publisher.prepare(files, claim)
        now = self._check(served)
        names = {each.check for each in now}
        checks = (*now, *(each for each in before if each.check not in names))[:MOST_REPORTS]
        findings = [f"{each.check}: {text}" for each in now if not each.passed for text in each.findings]
        if findings:
            return Attempt(Broken("; ".join(findings)), app, checks)
        self._enter("publishing")
        return Attempt(self._publisher.publish(claim, served), app, checks, screenshot)

    def _check(self, files: Mapping[str, bytes]) -> tuple[CheckReport, ...]:
        snapshot = Snapshot(tuple((name, len(content)) for name, content in files.items()), files)
        checked = (check.check(snapshot, self._claim.limits, self._given.stop) for check in self._checks)
        return tuple(each.report for each in checked)

    def _enter(self, step: str) -> None:
        if self._given.stop.reason is not None:
            raise WorkStopped(self._given.stop.reason)
        self._given.step(step)
        self._given.log.say(step)


def _clean(reports: Sequence[CheckReport]) -> tuple[CheckReport, ...]:
    def cleaned(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(clean(text) for text in texts)

    return tuple(
        CheckReport(
            check=clean(each.check),
            passed=each.passed,
            findings=cleaned(each.findings),
            warnings=cleaned(each.warnings),
        )
        for each in reports
    )
