"""Work on one standing claim: the heartbeat beside it, and one report of how it ended."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from builder.build import Attempt, Work
from builder.client import BotClient
from builder.errors import BotRefused, BotUnreachable, ClaimLost, LaneError, LaneUnfit, NotWelcome
from builder.heartbeat import SHORTEST_GAP_SECONDS, Heartbeat
from builder.logs import BuildLog
from builder.outcomes import Done, Unfit
from builder.reports import how_it_ended, report_of, report_text
from builder.stopping import Drain, Stop, StopReason
from builder.workspace import Workspace, open_workspace
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


@dataclass(frozen=True)
class Surroundings:
    """What work under a claim is given: a folder, when to stop, where to say its step, and the attempt's log."""

    workspace: Workspace
    stop: Stop
    step: Callable[[str], None]
    log: BuildLog


class Errands:
    """Sees the work on a claim through to its report. `now` is a steady clock in seconds."""

    def __init__(
        self,
        client: BotClient,
        drain: Drain,
        log: FilteringBoundLogger,
        settings: LaneSettings,
        now: Callable[[], float],
    ) -> None:
        self._client = client
        self._drain = drain
        self._log = log
        self._settings = settings
        self._now = now

    def see_through(self, claim: Claim, begin: Callable[[Surroundings], Work]) -> Worked:
        """Do the work and report how it ended; BotUnreachable, BotRefused or NotWelcome when that cannot be done.

        LaneUnfit, once the document is given back, when no build of this lane can succeed.
        """
        log = BuildLog(
            self._log.bind(document=claim.document_id, claim=claim.claim_id, attempt=claim.attempt), self._now
        )
        log.say("claimed")
        gap = self._settings.heartbeat_gap_seconds
        with self._drain.working() as stop, Heartbeat(self._client, claim, stop, log, gap).running() as beat:
            with open_workspace(self._settings.work_dir) as workspace:
                work = begin(Surroundings(workspace, stop, beat.step, log))
                attempt = self._attempt(work, claim, stop, log)
            report = report_of(attempt, work, log)
            try:
                _raise_for(stop)
                status = self._deliver(claim, report, stop, log)
            except (BotUnreachable, BotRefused):
                log.say("unreported")
                raise
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

    def _attempt(self, work: Work, claim: Claim, stop: Stop, log: BuildLog) -> Attempt | None:
        """How the work ended; None when it was stopped before."""
        try:
            attempt = how_it_ended(work.run, log)
            self._show(claim, attempt, log)
        except ClaimLost:
            stop.ask(StopReason.LOST)
            return None
        except NotWelcome:
            stop.ask(StopReason.NOT_WELCOME)
            return None
        return attempt

    def _show(self, claim: Claim, attempt: Attempt | None, log: BuildLog) -> None:
        """Send how a finished app looks; a picture never costs the build."""
        if attempt is None or attempt.screenshot is None or not isinstance(attempt.outcome, Done):
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
                report = _without_what_was_refused(report, f"the bot refused the report: {problem}")
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


def _without_what_was_refused(report: Report, why: str) -> Report:
    """A broken attempt in the place of a report that the bot does not take; what it used is still said."""
    nothing = Report(outcome=BuildOutcome.BROKEN, detail=report_text(why, "detail"), generator=report.generator)
    facts = ("seconds", "repairs", "tokens_in", "tokens_out", "cost_micros")
    return nothing.model_copy(update={fact: getattr(report, fact) for fact in facts})


def _raise_for(stop: Stop) -> None:
    if stop.reason is StopReason.LOST:
        raise ClaimLost("the heartbeat was told that the claim is void")
    if stop.reason is StopReason.NOT_WELCOME:
        raise NotWelcome("the heartbeat was told that this device may not do that")
