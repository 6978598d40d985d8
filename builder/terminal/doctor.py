"""`skywright-builder doctor`: looks at everything that a lane needs, and says what mends what is wrong."""

import dataclasses
import os
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import typer
from rich.text import Text

from builder.doctor import bot_findings, machine_findings, part_findings
from builder.errors import BadSettings
from builder.logs import make_log
from builder.main import bot_client, new_claim_id, no_bot
from builder.settings import BuildSettings, S, Settings, read_settings
from builder.terminal.failures import Exit
from builder.terminal.misspelt import misspelt
from builder.terminal.screen import Screen, print_json, safe
from guardrails.findings import Finding, State

_STYLES = {State.OK: "green", State.WARN: "yellow", State.FAIL: "bold red"}


def doctor_command(*, as_json: bool) -> None:
    """Print every finding as it is made; exit status 1 when one of them is a fail."""
    screen, found = Screen(), []
    for finding in _findings():
        found.append(finding)
        if not as_json:
            _print(screen, finding)
    fine = all(finding.state is not State.FAIL for finding in found)
    if as_json:
        print_json({"ok": fine, "findings": [dataclasses.asdict(finding) for finding in found]})
    raise typer.Exit(Exit.OK if fine else Exit.FAILED)


def _findings() -> Iterator[Finding]:
    settings, problems = _read(Settings)
    for problem in problems:
        yield Finding("settings", State.FAIL, problem, "set it in the environment")
    for wrong in misspelt(os.environ):
        yield Finding("settings", State.WARN, wrong.told, wrong.mend)
    building = settings or _read(BuildSettings)[0]
    if building is not None:
        yield from machine_findings(building, os.geteuid())
        with no_bot() as nobody:
            yield from part_findings(building, nobody)
    if settings is not None:
        yield from _bot(settings)


def _bot(settings: Settings) -> Iterator[Finding]:
    try:
        with bot_client(settings, make_log(sys.stderr, as_json=False)) as client:
            yield from bot_findings(client, new_claim_id(), lambda: datetime.now(UTC))
    except BadSettings as problem:
        yield Finding("bot", State.FAIL, str(problem))


def _read(shape: type[S]) -> tuple[S | None, Sequence[str]]:
    try:
        return read_settings(shape), ()
    except BadSettings as problem:
        return None, str(problem).splitlines()


def _print(screen: Screen, finding: Finding) -> None:
    line = Text(f"{finding.state.value:<4}", style=_STYLES[finding.state])
    line.append(f"  {finding.name:<10}  ").append_text(safe(finding.told))
    if finding.mend:
        line.append("  → ", "dim").append_text(safe(finding.mend))
    screen.print(line)
