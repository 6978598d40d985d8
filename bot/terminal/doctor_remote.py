"""The doctor's look at a bot elsewhere: what it tells an operator, and what its health says to anybody."""

import os
from collections.abc import Iterator
from http import HTTPStatus
from importlib.metadata import version

import typer

from bot.clock import Clock
from bot.errors import BotError
from bot.operations.present import Overview
from bot.terminal.calling import server_address
from bot.terminal.doctor_lanes import visits_finding
from bot.terminal.doctor_ledger import condition_finding, rounds_findings
from bot.terminal.doctor_listeners import ails_of, listed
from bot.terminal.doctor_network import clock_finding, clocks
from bot.terminal.moments import ago
from bot.terminal.reaching import Away, looked_at
from bot.terminal.remote import opened_remote
from bot.terminal.switches import short_name
from bot.terminal.token import token_of
from guardrails.access import Role
from guardrails.errors import NotAllowed
from guardrails.findings import Finding, fail, ok, warn

A_TOKEN = "`skywright devices add NAME --role operator` on its machine prints another token"  # noqa: S105 - it is none


def remote_findings(server: str, clock: Clock) -> Iterator[Finding]:
    """Whether the bot can be reached and is well, what the token is good for, and what waits for a person there."""
    try:
        server_address(server)
    except typer.BadParameter as problem:
        # It is not repeated: a password may be in it.
        yield fail("server", problem.message, "mend --server or SKYWRIGHT_SERVER")
        return
    answer = looked_at("GET", f"{server.rstrip('/')}/health")
    if isinstance(answer, Away):
        yield fail("server", f"{server} {answer.why}", "start the bot, or mend --server")
        return
    ails = ails_of(answer) if answer.is_success else None
    if ails is None:
        mend = "name the admin listener of a bot; its apps and its lanes have others"
        yield fail("server", f"{server} answered {answer.status_code}, and not as a bot does", mend)
        return
    ready = looked_at("GET", f"{server.rstrip('/')}/ready")
    if not isinstance(ready, Away) and ready.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        ails = [*ails, *listed(ready, "reasons")]
    if ails:
        yield fail("server", f"{server}: the bot is not well: {', '.join(ails)}", "look at its log")
    else:
        yield ok("server", f"{server} answers")
    yield from clock_finding(clocks(answer, clock), "the bot")
    yield from _told_to_an_operator(server)


def _told_to_an_operator(server: str) -> Iterator[Finding]:
    try:
        with opened_remote(server, token_of(os.environ)) as operations:
            me, overview = operations.me(), operations.overview()
    except typer.BadParameter as problem:
        yield fail("token", problem.message, A_TOKEN)
        return
    except NotAllowed as problem:
        yield fail("token", f"the bot does not take it: {problem}", A_TOKEN)
        return
    except BotError as problem:
        yield fail("version", str(problem), "take the same version here and there")
        return
    able = "sees and acts" if me.role is Role.OPERATOR else "sees, and does not act"
    yield ok("token", f"{me.device}, {me.role.value}: it {able}")
    if me.version == version("skywright"):
        yield ok("version", me.version)
    else:
        mend = "take the same version, where something is not understood"
        yield warn("version", f"{me.version} there, {version('skywright')} here", mend)
    yield from _how_it_is(overview)


def _how_it_is(overview: Overview) -> Iterator[Finding]:
    now = overview.at
    if not overview.switches:
        yield ok("switches", "nothing is paused")
    for on in overview.switches:
        name = short_name(on.switch)
        told = f"{name} paused {ago(on.since, now)} ago by {on.device}: {on.why}"
        yield warn("switches", told, f"`skywright resume {name}`")
    yield from rounds_findings(overview.rounds, now)
    if not overview.conditions:
        yield ok("conditions", "none stands")
    for condition in overview.conditions:
        yield condition_finding(condition, now)
    waiting = [pile for pile in overview.piles if pile.n]
    if not waiting:
        yield ok("piles", "nothing waits for a person")
    for pile in waiting:
        since = f", the oldest for {ago(pile.oldest, now)}" if pile.oldest is not None else ""
        yield warn("piles", f"{pile.name}: {pile.how_many}{since}", f"`{pile.command}`")
    yield visits_finding(overview.visits, None, now)
    for budget in overview.budgets:
        told = f"{budget.name}: {budget.used} of {budget.of} until {budget.until:%Y-%m-%d %H:%M} UTC"
        used_up = budget.used >= budget.of
        yield warn("budgets", told, "wait until then, or allow more") if used_up else ok("budgets", told)
