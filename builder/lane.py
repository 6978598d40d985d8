"""One round of a lane: claim a document, build it with the heartbeat beside it, report how it ended."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, assert_never

from structlog.typing import FilteringBoundLogger

from builder.build import Attempt, Build, Tools
from builder.client import BotClient
from builder.errors import BotRefused, BotUnreachable, ClaimLost, LaneError, LaneUnfit, NotWelcome, WorkStopped
from builder.heartbeat import SHORTEST_GAP_SECONDS, Heartbeat
from builder.logs import BuildLog
from builder.outcomes import Broken, Done, Refused, RetryLater, Unfit
from builder.stopping import Drain, Stop, StopReason
from builder.workspace import open_workspace
from guardrails.text import clean, clip
from guardrails.wire import BuildOutcome, Claim, Report


class Worked(StrEnum):
    """What came of one round."""

    NOTHING = "nothing"
    REPORTED = "reported"
    LATE = "late"


@dataclass(frozen=True)
class LaneSettings:
    """How a lane works: where, how long a report is worth repeating, how close two heartbeats may be.

    `lease_seconds`: the longer lease that it wishes for, if any.
    """

    work_dir: Path | None = None
    report_patience_seconds: float = 300.0
    report_pause_seconds: float = 5.0
    heartbeat_gap_seconds: float = SHORTEST_GAP_SECONDS
    lease_seconds: int | None = None


class Lane:
    """Works on one document at a time. `now` is a steady clock in seconds."""

    def __init__(
        self,
        client: BotClient,
        tools: Tools,
        drain: Drain,
        log: FilteringBoundLogger,
        settings: LaneSettings,
        new_claim_id: Callable[[], str],
        now: Callable[[], float],
    ) -> None:
        self._client = client
        self._tools = tools
        self._drain = drain
        self._log = log
        self._settings = settings
        self._new_claim_id = new_claim_id
        self._now = now
        self._unanswered: str | None = None

    def work_once(self) -> Worked:
        """Claim, build and report one document; BotUnreachable, BotRefused or NotWelcome when that cannot be done.

        LaneUnfit, once the document is given back, when no build of this lane can succeed.
        """
        claim = self._claim()
        if claim is None:
            return Worked.NOTHING
        log = BuildLog(self._log.bind(doc=claim.document_id, claim=claim.claim_id, attempt=claim.attempt), self._now)
        log.say("claimed")
        gap = self._settings.heartbeat_gap_seconds
        with self._drain.working() as stop, Heartbeat(self._client, claim, stop, log, gap).running() as beat:
            with open_workspace(self._settings.work_dir) as workspace:
                work = Build(claim, self._tools, workspace, stop, beat.step, log, self._now)
                attempt = self._attempt(work, claim, stop, log)
            report = _report_of(attempt, work, self._tools.generator.name, log)
            try:
                _raise_for(stop)
                status = self._deliver(claim, report, stop, log)
            except (ClaimLost, NotWelcome) as problem:
                self._tell_cost(claim, report, log)
                if isinstance(problem, NotWelcome):
                    raise
                log.say("late", reason="the claim was voided; nothing of it is published")
                return Worked.LATE
        # The bot has the last word: what it refuses was done here, and has failed there.
        log.say("reported", outcome=report.outcome.value, status=status, seconds=round(report.seconds, 3))
        if attempt is not None and isinstance(attempt.outcome, Unfit):
            raise LaneUnfit(attempt.outcome.detail)
        return Worked.REPORTED

    def _claim(self) -> Claim | None:
        # An id whose answer was lost is asked for again: the claim may stand in the ledger.
        claim_id = self._unanswered or self._new_claim_id()
        self._unanswered = claim_id
        try:
            claim = self._client.claim(
                claim_id, self._tools.generator.name, lambda: self._drain.begun, self._settings.lease_seconds
            )
        except ClaimLost:
            claim = None
        self._unanswered = None
        return claim

    def _attempt(self, work: Build, claim: Claim, stop: Stop, log: BuildLog) -> Attempt | None:
        """How the work ended; None when it was stopped before."""
        try:
            attempt = work.run()
            self._show(claim, attempt, log)
        except WorkStopped:
            return None
        except ClaimLost:
            stop.ask(StopReason.LOST)
            return None
        except NotWelcome:
            stop.ask(StopReason.NOT_WELCOME)
            return None
        except LaneUnfit as problem:
            return Attempt(Unfit(str(problem)))
        except Exception as problem:  # a defect of one tool ends one attempt, not the lane
            log.fail("defect", problem)
            return Attempt(Broken(f"a defect in the lane: {type(problem).__name__}: {problem}"))
        return attempt

    def _show(self, claim: Claim, attempt: Attempt, log: BuildLog) -> None:
        """Send how a finished app looks; a picture never costs the build."""
        if attempt.screenshot is None or not isinstance(attempt.outcome, Done):
            return
        try:
            self._client.upload_screenshot(claim.claim_id, attempt.screenshot)
        except (BotUnreachable, BotRefused) as problem:
            log.say("screenshot_undelivered", problem=str(problem))

    def _deliver(self, claim: Claim, report: Report, stop: Stop, log: BuildLog) -> str:
        gives_up_at = self._now() + self._settings.report_patience_seconds
        while True:
            try:
                return self._client.report(claim.claim_id, report).status
            except BotUnreachable as problem:
                log.say("report_undelivered", problem=str(problem))
                _raise_for(stop)
                if stop.reason is not None or self._now() >= gives_up_at:
                    raise
            except BotRefused as problem:
                if report.outcome is BuildOutcome.BROKEN:
                    raise
                log.say("report_refused", problem=str(problem))
                detail = _text(f"the bot refused the report: {problem}", "detail")
                report = Report(
                    outcome=BuildOutcome.BROKEN, detail=detail, generator=report.generator, seconds=report.seconds
                )
                continue
            stop.wait(self._settings.report_pause_seconds)
            _raise_for(stop)

    def _tell_cost(self, claim: Claim, report: Report, log: BuildLog) -> None:
        """Say once what a voided claim has cost; the bot settles it, and refuses the rest."""
        if not report.cost_micros:
            return
        nothing = {"outcome": BuildOutcome.RELEASED, "detail": "the claim was voided", "address": "", "sha256": None}
        released = report.model_copy(update=nothing)
        try:
            self._client.report(claim.claim_id, released)
        except ClaimLost:
            log.say("cost_told", cost_micros=report.cost_micros)
        except LaneError as problem:
            log.say("cost_untold", cost_micros=report.cost_micros, problem=str(problem))


def _raise_for(stop: Stop) -> None:
    if stop.reason is StopReason.LOST:
        raise ClaimLost("the heartbeat was told that the claim is void")
    if stop.reason is StopReason.NOT_WELCOME:
        raise NotWelcome("the heartbeat was told that this device may not do that")


def _report_of(attempt: Attempt | None, work: Build, generator: str, log: BuildLog) -> Report:
    used = work.used
    return Report(
        **_outcome_of(attempt),
        checks=attempt.checks if attempt is not None else (),
        repairs=work.repairs,
        generator=generator,
        seconds=log.seconds,
        log_tail=log.tail(),
        model=used.model,
        prompt_version=used.prompt_version,
        tokens_in=used.tokens_in,
        tokens_out=used.tokens_out,
        cost_micros=used.cost_micros,
    )


def _outcome_of(attempt: Attempt | None) -> dict[str, Any]:
    if attempt is None:
        return {"outcome": BuildOutcome.RELEASED, "detail": "the lane is shutting down"}
    outcome = attempt.outcome
    match outcome:
        case Done(published):
            app = attempt.app
            return {
                "outcome": BuildOutcome.DONE,
                "title": _text(app.title if app else "", "title"),
                "description": _text(app.description if app else "", "description"),
                "address": published.address,
                "sha256": published.sha256,
            }
        case Refused(reason, detail):
            reason, detail = _text(reason, "reason"), _text(detail, "detail")
            return {"outcome": BuildOutcome.REFUSED, "reason": reason, "detail": detail}
        case RetryLater(after_seconds, detail):
            after_seconds = min(max(after_seconds, 0.0), 86_400.0)
            detail = _text(detail, "detail")
            return {"outcome": BuildOutcome.RETRY_LATER, "after_seconds": after_seconds, "detail": detail}
        case Broken(detail):
            return {"outcome": BuildOutcome.BROKEN, "detail": _text(detail, "detail")}
        case Unfit(detail):
            return {"outcome": BuildOutcome.RELEASED, "detail": _text(detail, "detail")}
        case _:
            assert_never(outcome)


def _text(text: str, field: str) -> str:
    limit = next(rule.max_length for rule in Report.model_fields[field].metadata if hasattr(rule, "max_length"))
    return clip(clean(text), limit, 4 * limit)[:limit]
