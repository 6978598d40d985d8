"""`skywright doctor`: looks at everything that a bot needs, and says what mends what is wrong."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import TypeVar

import typer
from cryptography.fernet import Fernet
from pydantic import SecretStr
from rich.text import Text

from bot.clock import Clock
from bot.errors import BadSettings
from bot.ledger.ledger import Ledger
from bot.logs import logs_to_stderr
from bot.settings import LedgerSettings, Settings, load_settings
from bot.terminal.doctor_account import account_findings
from bot.terminal.doctor_alerts import alerts_finding
from bot.terminal.doctor_backup import backup_finding
from bot.terminal.doctor_budgets import logins_findings, points_finding
from bot.terminal.doctor_database import database_findings
from bot.terminal.doctor_lanes import lanes_finding, workflow_findings
from bot.terminal.doctor_ledger import desk_findings
from bot.terminal.doctor_listeners import listener_findings
from bot.terminal.doctor_network import clock_finding, pds_findings
from bot.terminal.doctor_remote import remote_findings
from bot.terminal.doctor_retention import retention_finding
from bot.terminal.doctor_rules import rules_findings
from bot.terminal.doctor_settings import settings_findings
from bot.terminal.doctor_stream import sources_findings, stream_findings
from bot.terminal.doctor_write import write_findings
from bot.terminal.environment import FromFile
from bot.terminal.failures import Exit
from bot.terminal.opening import opened_ledger
from bot.terminal.screen import Screen, print_json, safe
from bot.terminal.server import check_is_here, server_named
from guardrails.findings import Finding, State, fail, warn

STYLES = {State.OK: "green", State.WARN: "yellow", State.FAIL: "bold red"}
FIRST_OF_ALL = "mend what is said above first"
# What else is asked of the network while the account is looked at: each by itself within its deadline.
AT_ONCE = 4
S = TypeVar("S", bound=LedgerSettings)


def doctor_command(from_file: FromFile | None, *, write: bool, as_json: bool) -> None:
    """Print every finding as it is made; exit status 1 when one of them is a fail.

    With `write` the put-once behaviour of the PDS is tried too. Of a bot elsewhere, what it tells is looked at.
    """
    logs_to_stderr()
    server = server_named()
    if write:
        check_is_here()
    screen, found = Screen(), []
    for finding in _findings(Clock(), from_file, write=write) if server is None else remote_findings(server, Clock()):
        found.append(finding)
        if not as_json:
            print_finding(screen, finding)
    fine = all(finding.state is not State.FAIL for finding in found)
    if as_json:
        print_json({"ok": fine, "findings": found})
    if not fine:
        raise typer.Exit(Exit.FAILED)


def _findings(clock: Clock, from_file: FromFile | None, *, write: bool) -> Iterator[Finding]:
    """In the order in which one thing needs another; what needs nothing is looked at meanwhile."""
    yield from settings_findings(from_file)
    settings = _loaded(Settings)
    ledger_settings = settings or _loaded(LedgerSettings)
    ledger_is_fine = False
    if ledger_settings is not None:
        found = list(database_findings(ledger_settings.database_url, ledger_settings.database_direct_url))
        yield from found
        ledger_is_fine = all(finding.state is not State.FAIL for finding in found)
    with ExitStack() as stack:
        ledger = stack.enter_context(opened_ledger(ledger_settings)) if ledger_is_fine else None
        pool = stack.enter_context(ThreadPoolExecutor(AT_ONCE))
        listeners = _meanwhile(pool, lambda: _listeners(settings))
        rules = _meanwhile(pool, lambda: rules_findings(ledger_settings, ledger) if ledger_settings else ())
        workflow = _meanwhile(pool, lambda: workflow_findings(settings) if settings else ())
        stream = _meanwhile(pool, lambda: stream_findings(settings.stream_url, clock) if settings else ())
        if settings is not None:
            yield from _network(settings, ledger, clock, write=write)
        else:
            yield warn("login", "not tried without the settings", "mend the settings first")
        yield from stream.result()
        yield from listeners.result()
        yield from rules.result()
        if ledger is not None and ledger_settings is not None:
            yield from desk_findings(ledger)
            yield lanes_finding(ledger, ledger_settings)
            yield retention_finding(ledger_settings, ledger)
            yield backup_finding(ledger, ledger_settings)
        yield from workflow.result()
        if ledger is not None and ledger_settings is not None:
            yield points_finding(ledger, ledger_settings)
        if ledger is not None and settings is not None:
            yield from sources_findings(settings.stream_url, ledger)
            yield alerts_finding(settings.alert_channel, ledger.conditions.standing(), ledger.db.time())


def _network(settings: Settings, ledger: Ledger | None, clock: Clock, *, write: bool) -> Iterator[Finding]:
    pds = yield from pds_findings(settings, clock)
    yield from clock_finding(pds.clock)
    account = None
    if not pds.answers:
        yield fail("login", "not tried, since the PDS does not answer", FIRST_OF_ALL)
    elif ledger is None:
        yield warn("login", "not tried, since its session is kept in the ledger", FIRST_OF_ALL)
    else:
        account = yield from account_findings(settings, ledger)
        yield from logins_findings(ledger, settings, account.did if account is not None else None)
    if write and ledger is not None and account is not None and account.active:
        yield from write_findings(settings, ledger, clock)
    elif write:
        yield fail("write", "not tried without an account that may write", FIRST_OF_ALL)


def _listeners(settings: Settings | None) -> Iterable[Finding]:
    addresses = settings or _addresses()
    return listener_findings(addresses) if addresses is not None else ()


def _meanwhile(pool: ThreadPoolExecutor, look: Callable[[], Iterable[Finding]]) -> Future[list[Finding]]:
    return pool.submit(lambda: list(look()))


def _loaded(kind: type[S]) -> S | None:
    try:
        return load_settings(kind)
    except BadSettings:
        return None


def _addresses() -> Settings | None:
    """The settings with made-up values for what an account needs: good for looking at the listeners only."""
    made_up = SecretStr(Fernet.generate_key().decode())
    try:
        return Settings(identifier="nobody", password=made_up, session_key=made_up)
    except ValueError:
        return None


def print_finding(screen: Screen, finding: Finding) -> None:
    """A line for people."""
    line = Text(f"{finding.state.value:<4}", style=STYLES[finding.state])
    line.append(f"  {finding.name:<16}  ").append_text(safe(finding.told))
    if finding.mend:
        line.append("  → ", "dim").append_text(safe(finding.mend))
    screen.print(line)
