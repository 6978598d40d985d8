"""`skywright pause` and `skywright resume`: the switches."""

from contextlib import suppress

import typer

from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.terminal.moments import ago
from bot.terminal.opening import opened_ledger, operator
from bot.terminal.screen import Screen
from guardrails.documents import DocId
from guardrails.switches import Switch
from guardrails.text import visible

EVERYTHING = "all"
IN_A_HURRY = "(no reason was given)"


def pause_command(what: str | None, why: str, *, hurry: bool, now: bool) -> None:
    """Pause one kind of work or all of it; without either, show what is paused.

    In a `hurry` it is all of it, with or without a reason. `now`: builds under way are taken from their lanes, too.
    """
    if hurry and what not in (None, EVERYTHING):
        raise typer.BadParameter(f"say --all, or {what}")
    what = EVERYTHING if hurry else what
    if what is not None and not why.strip() and not hurry:
        raise typer.BadParameter("say why, for whoever finds it paused: --why TEXT")
    meant = _meant(what)
    if now and Switch.PAUSE_BUILDS not in meant:
        raise typer.BadParameter("--now goes with builds, all or --all: it takes builds from their lanes")
    with opened_ledger() as ledger:
        for switch in meant:
            ledger.desk.throw(operator(), switch, why.strip() or IN_A_HURRY)
        voided = _void_builds(ledger) if now else []
        _show(ledger)
    for document_id in voided:
        typer.echo(visible(f"{document_id}: taken from its lane, to be built again"), err=True)


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


def _void_builds(ledger: Ledger) -> list[DocId]:
    """Take every build from its lane, also one whose claim was just being made; no other follows while it is paused."""
    voided = []
    while claimed := ledger.queries.under_claim():
        for document in claimed:
            # Whoever was faster has moved it: it is looked at once more.
            with suppress(LostRace):
                voided.append(ledger.documents.void(operator(), document).id)
    return voided


def _show(ledger: Ledger) -> None:
    on = {switch: (device, why, since) for switch, device, why, since in ledger.desk.switches_on()}
    now, rows = ledger.db.time(), []
    for switch in Switch:
        device, why, since = on.get(switch, ("", "", None))
        rows.append((short_name(switch), "paused" if since else "runs", ago(since, now) if since else "", device, why))
    Screen().rows(("what", "state", "since", "by", "why"), rows)
