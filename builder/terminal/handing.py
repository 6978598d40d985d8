"""`skywright-builder generate` and `publish`: one build in two jobs. Their output is public: ids and nothing else."""

import sys
import time
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from builder.checks.static import static_checks
from builder.errands import Errands, LaneSettings, Surroundings
from builder.errors import BadSettings, LaneUnfit
from builder.handed import Handed
from builder.handover import Built, build_for_handover, given_back, hand_over, read_claim
from builder.logs import BuildLog, make_log
from builder.main import bot_client, no_bot
from builder.settings import BuildSettings, Settings, read_settings
from builder.signals import drained_by_signals
from builder.stopping import Drain
from builder.terminal.failures import Exit, end
from builder.wiring.parts import open_tools, opened_publisher
from builder.workspace import open_workspace
from guardrails.wire import BuildOutcome, Claim

_GIVEN_BACK = "The document is given back: this lane can build nothing. The attempt's detail says why."


def generate_command(claim_file: Path, out: Path, *, as_json: bool) -> None:
    """Build what a claim asks for and leave it in a folder, with a manifest; needs no bot and no token."""
    claim = read_claim(claim_file)
    settings = read_settings(BuildSettings)
    log = make_log(sys.stdout, as_json=as_json, ids_only=True).bind(
        document=claim.document_id, claim=claim.claim_id, attempt=claim.attempt
    )
    built = _built(claim, settings, log)
    hand_over(claim, built, out)
    report = built.report
    log.info("handed_over", outcome=report.outcome.value, repairs=report.repairs, seconds=round(report.seconds, 3))
    if report.outcome is BuildOutcome.RELEASED:
        end(_GIVEN_BACK, Exit.CONFIGURATION)


def publish_command(folder: Path, claim_file: Path, *, as_json: bool) -> None:
    """Verify what the other job has left, publish it and report; a claim that was lost meanwhile is no failure."""
    claim = read_claim(claim_file)
    settings = read_settings(Settings)
    log = make_log(sys.stdout, as_json=as_json, ids_only=True)
    how = LaneSettings(settings.work_dir, report_patience_seconds=settings.report_patience_seconds)
    drain = Drain(settings.grace_seconds)
    with (
        bot_client(settings, log) as client,
        opened_publisher(settings, client) as publisher,
        drained_by_signals(drain, log),
    ):

        def begin(given: Surroundings) -> Handed:
            return Handed(claim, folder, static_checks(), publisher, given)

        try:
            Errands(client, drain, log, how, time.monotonic).see_through(claim, begin)
        except LaneUnfit:
            end(_GIVEN_BACK, Exit.CONFIGURATION)


def _built(claim: Claim, settings: BuildSettings, log: FilteringBoundLogger) -> Built:
    drain = Drain(grace_seconds=0.001)
    try:
        with (
            no_bot() as client,
            open_tools(settings, client) as tools,
            open_workspace(settings.work_dir) as workspace,
            drained_by_signals(drain, log),
            drain.working() as stop,
        ):
            return build_for_handover(claim, tools, workspace, stop, BuildLog(log, time.monotonic), time.monotonic)
    except (LaneUnfit, BadSettings) as problem:
        return given_back(settings.generator, str(problem))
