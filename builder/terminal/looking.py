"""`skywright-builder check` and `try`: what the checks say, without any bot."""

import dataclasses
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import typer

from builder.build import Attempt, Candidate
from builder.errors import WorkStopped
from builder.logs import make_log
from builder.main import no_bot
from builder.outcomes import Broken, Done, Refused, RetryLater, Unfit
from builder.settings import BuildSettings, read_settings
from builder.signals import drained_by_signals
from builder.stopping import Drain, Stop
from builder.terminal.failures import Exit, end
from builder.terminal.screen import Screen, print_json
from builder.trial import Tried, trial_claim, try_out
from builder.wiring.parts import open_tools, opened_checks
from builder.workspace import Workspace, open_workspace
from guardrails.text import clean
from guardrails.wire import CheckReport, Limits


def check_command(folder: Path, screenshot: Path | None, *, as_json: bool) -> None:
    """Print one report a check; exit status 1 when one of them does not pass."""
    if not folder.is_dir():
        end(f"{folder} is not a folder", Exit.FAILED)
    settings, limits = read_settings(BuildSettings), Limits()
    snapshot = Workspace(folder).snapshot(limits)
    with opened_checks(settings) as checks:
        checked = [check.check(snapshot, limits, Stop()) for check in checks]
    reports = [each.report for each in checked]
    picture = next((each.screenshot for each in checked if each.screenshot is not None), None)
    _keep(picture, screenshot)
    passed = all(report.passed for report in reports)
    if as_json:
        print_json({"passed": passed, "checks": [report.model_dump() for report in reports]})
    else:
        _print_reports(Screen(), reports)
    raise typer.Exit(Exit.OK if passed else Exit.FAILED)


def try_command(ask: str, langs: Sequence[str], out: Path | None, screenshot: Path | None, *, as_json: bool) -> None:
    """Build an ask and leave the app in a folder; exit status 1 when none that passes came of it."""
    settings = read_settings(BuildSettings)
    folder = _new_folder(out)
    log = make_log(sys.stderr, as_json=as_json)
    claim = trial_claim(ask, tuple(langs), datetime.now(UTC))
    drain = Drain(grace_seconds=0.001)
    with (
        no_bot() as client,
        open_tools(settings, client) as tools,
        open_workspace(settings.work_dir) as workspace,
        drained_by_signals(drain, log),
        drain.working() as stop,
    ):
        try:
            tried = try_out(claim, tools, workspace, stop, log, time.monotonic)
        except WorkStopped:
            raise typer.Exit(Exit.INTERRUPTED) from None
    if isinstance(tried.made, Candidate):
        for name, content in tried.made.snapshot.files.items():
            Workspace(folder).write(name, content)
        _keep(tried.made.screenshot, screenshot)
    told = _told(tried, folder)
    if as_json:
        print_json(told)
    else:
        _print(tried, told)
    raise typer.Exit(_status(tried.made))


def _told(tried: Tried, folder: Path) -> dict[str, object]:
    made = tried.made
    app = made.app
    return {
        "outcome": _outcome(made),
        "title": clean(app.title) if app is not None else "",
        "description": clean(app.description) if app is not None else "",
        "detail": _detail(made),
        "folder": str(folder) if isinstance(made, Candidate) else "",
        "checks": [report.model_dump() for report in _reports(made)],
        "repairs": tried.repairs,
        "seconds": round(tried.seconds, 3),
        **dataclasses.asdict(tried.used),
    }


def _print(tried: Tried, told: dict[str, object]) -> None:
    screen = Screen()
    for name in ("outcome", "title", "description", "detail", "folder"):
        if told[name]:
            screen.field(name, str(told[name]))
    used = tried.used
    cost = f"{used.cost_micros / 1_000_000:.4f} USD" if used.cost_micros else "no cost"
    spent = f"{tried.seconds:.1f} s, {tried.repairs} repairs, {used.tokens_in} + {used.tokens_out} tokens, {cost}"
    screen.field("used", f"{spent}{f', {used.model}' if used.model else ''}")
    _print_reports(screen, _reports(tried.made))


def _print_reports(screen: Screen, reports: Sequence[CheckReport]) -> None:
    for report in reports:
        screen.say(
            f"{report.check}: {'passed' if report.passed else 'failed'}", "green" if report.passed else "bold red"
        )
        for finding in report.findings:
            screen.say(f"  {finding}")
        for warning in report.warnings:
            screen.say(f"  warning: {warning}", "yellow")


def _reports(made: Candidate | Attempt) -> Sequence[CheckReport]:
    return made.reports if isinstance(made, Candidate) else made.checks


def _outcome(made: Candidate | Attempt) -> str:
    if isinstance(made, Candidate):
        return "passed" if made.passed else "failed its checks"
    return {Done: "done", Refused: "refused", RetryLater: "retry later", Broken: "broken", Unfit: "unfit"}[
        type(made.outcome)
    ]


def _detail(made: Candidate | Attempt) -> str:
    match made:
        case Attempt(outcome=Refused(reason=reason, detail=detail)):
            return clean(f"{reason} {detail}")
        case Attempt(outcome=RetryLater(after_seconds=seconds, detail=detail)):
            return clean(f"again in {seconds:.0f} s: {detail}")
        case Attempt(outcome=Broken(detail=detail) | Unfit(detail=detail)):
            return clean(detail)
    return ""


def _status(made: Candidate | Attempt) -> Exit:
    match made:
        case Candidate(passed=True):
            return Exit.OK
        case Attempt(outcome=RetryLater()):
            return Exit.TRY_AGAIN
        case Attempt(outcome=Unfit()):
            return Exit.CONFIGURATION
    return Exit.FAILED


def _new_folder(out: Path | None) -> Path:
    if out is None:
        return Path(tempfile.mkdtemp(prefix="skywright-try-"))
    try:
        out.mkdir(parents=True)
    except FileExistsError:
        end(f"{out} is there already; name a new folder", Exit.FAILED)
    return out


def _keep(picture: bytes | None, file: Path | None) -> None:
    if file is None:
        return
    if picture is None:
        end("no picture was taken; only the browser check takes one, of an app that it can open", Exit.FAILED)
    file.write_bytes(picture)
