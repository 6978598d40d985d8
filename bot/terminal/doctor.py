"""`skywright doctor`: looks at everything that a bot needs, and says what mends what is wrong."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack

import typer
from cryptography.fernet import Fernet
from pydantic import SecretStr
from rich.text import Text

from bot.clock import Clock
from bot.errors import BadSettings
from bot.ledger.ledger import Ledger
from bot.logs import logs_to_stderr
from bot.settings import LedgerSettings, Settings, load_settings
from bot.terminal.doctor_budgets import logins_findings, points_finding
from bot.terminal.doctor_lanes import lanes_finding, workflow_findings
from bot.terminal.doctor_ledger import desk_findings, ledger_findings
from bot.terminal.doctor_network import account_findings, clock_finding, listener_findings, pds_findings
from bot.terminal.doctor_rules import rules_findings
from bot.terminal.doctor_write import write_findings
from bot.terminal.failures import Exit
from bot.terminal.opening import opened_ledger
from bot.terminal.screen import Screen, print_json, safe
from guardrails.findings import Finding, State, fail, ok, warn

STYLES = {State.OK: "green", State.WARN: "yellow", State.FAIL: "bold red"}


def doctor_command(*, write: bool, as_json: bool) -> None:
    """Print every finding as it is made; exit status 1 when one of them is a fail.

    With `write` the put-once behaviour of the PDS is tried too.
    """
    logs_to_stderr()
    screen, found = Screen(), []
    for finding in _findings(Clock(), write=write):
        found.append(finding)
        if not as_json:
            _print(screen, finding)
    fine = all(finding.state is not State.FAIL for finding in found)
    if as_json:
        print_json({"ok": fine, "findings": found})
    if not fine:
        raise typer.Exit(Exit.FAILED)


def _findings(clock: Clock, *, write: bool) -> Iterator[Finding]:
    settings, problems = _settings()
    yield from problems
    ledger_settings = settings or _ledger_settings()
    ledger_is_fine = False
    if ledger_settings is not None:
        found = list(ledger_findings(ledger_settings.database_url))
        yield from found
        ledger_is_fine = all(finding.state is not State.FAIL for finding in found)
    with ExitStack() as stack:
        ledger = stack.enter_context(opened_ledger(ledger_settings)) if ledger_is_fine else None
        if settings is not None:
            yield from _network(settings, ledger, clock, write=write)
            yield from workflow_findings(settings)
        else:
            yield warn("login", "not tried without the settings", "mend the settings first")
        addresses = settings or _addresses()
        if addresses is not None:
            yield from listener_findings(addresses)
        if ledger_settings is not None:
            yield from rules_findings(ledger_settings, ledger)
        if ledger is not None and ledger_settings is not None:
            yield from desk_findings(ledger)
            yield lanes_finding(ledger, ledger_settings)
            yield points_finding(ledger, ledger_settings)


def _network(settings: Settings, ledger: Ledger | None, clock: Clock, *, write: bool) -> Iterator[Finding]:
    account = None
    if ledger is not None:
        account = yield from account_findings(settings, ledger)
        yield from logins_findings(ledger, settings, account.did if account is not None else None)
    else:
        yield warn("login", "not tried, since its session is kept in the ledger", "mend the ledger first")
    answered = yield from pds_findings(settings, account.pds_url if account is not None else None, clock)
    yield from clock_finding(answered)
    if write and ledger is not None and account is not None and account.active:
        yield from write_findings(settings, ledger, clock)
    elif write:
        yield fail("write", "not tried without an account that may write", "mend what is said above first")


def _settings() -> tuple[Settings | None, Iterable[Finding]]:
    try:
        return load_settings(Settings), [ok("settings", "complete")]
    except BadSettings as problem:
        mend = "set it in the environment or in the file of --env-file"
        return None, [fail("settings", told, mend) for told in problem.problems]


def _ledger_settings() -> LedgerSettings | None:
    try:
        return load_settings(LedgerSettings)
    except BadSettings:
        return None


def _addresses() -> Settings | None:
    """The settings with made-up values for what an account needs: good for looking at the listeners only."""
    made_up = SecretStr(Fernet.generate_key().decode())
    try:
        return Settings(identifier="nobody", password=made_up, session_key=made_up)
    except ValueError:
        return None


def _print(screen: Screen, finding: Finding) -> None:
    line = Text(f"{finding.state.value:<4}", style=STYLES[finding.state])
    line.append(f"  {finding.name:<16}  ").append_text(safe(finding.told))
    if finding.mend:
        line.append("  → ", "dim").append_text(safe(finding.mend))
    screen.print(line)
