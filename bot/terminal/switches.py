"""`skywright pause` and `skywright resume`: the switches."""

import typer

from bot.ledger.ledger import Ledger
from bot.terminal.moments import ago
from bot.terminal.opening import opened_ledger, operator
from bot.terminal.screen import Screen
from guardrails.switches import Switch

EVERYTHING = "all"


def pause_command(what: str | None, why: str) -> None:
    """Pause one kind of work or all of it; without either, show what is paused."""
    if what is not None and not why.strip():
        raise typer.BadParameter("say why, for whoever finds it paused: --why TEXT")
    with opened_ledger() as ledger:
        for switch in _meant(what):
            ledger.desk.throw(operator(), switch, why.strip())
        _show(ledger)


def resume_command(what: str) -> None:
    """Let one kind of work, or all of it, go on."""
    with opened_ledger() as ledger:
        for switch in _meant(what):
            ledger.desk.release(operator(), switch)
        _show(ledger)


def short_name(switch: Switch) -> str:
    """What people type for a switch."""
    return switch.value.removeprefix("pause_")


def _meant(what: str | None) -> list[Switch]:
    return [switch for switch in Switch if what in (EVERYTHING, short_name(switch))]


def _show(ledger: Ledger) -> None:
    on = {switch: (device, why, since) for switch, device, why, since in ledger.desk.switches_on()}
    now, rows = ledger.db.time(), []
    for switch in Switch:
        device, why, since = on.get(switch, ("", "", None))
        rows.append((short_name(switch), "paused" if since else "runs", ago(since, now) if since else "", device, why))
    Screen().rows(("what", "state", "since", "by", "why"), rows)
