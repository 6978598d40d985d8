"""`skywright pause` and `skywright resume`: the switches."""

import typer

from bot.operations.port import Operations
from bot.terminal.moments import ago
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, print_json
from guardrails.switches import Switch
from guardrails.text import visible

EVERYTHING = "all"
IN_A_HURRY = "(no reason was given)"


def pause_command(what: str | None, why: str, *, hurry: bool, now: bool, as_json: bool) -> None:
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
    with opened_operations() as operations:
        voided = operations.pause(meant, why.strip() or IN_A_HURRY, now=now) if meant else []
        _show(operations, as_json=as_json)
    for document_id in voided:
        typer.echo(visible(f"{document_id}: taken from its lane, to be built again"), err=True)


def resume_command(what: str, *, as_json: bool) -> None:
    """Let one kind of work, or all of it, go on."""
    with opened_operations() as operations:
        operations.resume(_meant(what))
        _show(operations, as_json=as_json)


def short_name(switch: Switch) -> str:
    """What people type for a switch."""
    return switch.value.removeprefix("pause_")


def _meant(what: str | None) -> list[Switch]:
    return [switch for switch in Switch if what in (EVERYTHING, short_name(switch))]


def _show(operations: Operations, *, as_json: bool) -> None:
    if as_json:
        for each in operations.switches():
            print_json(each)
        return
    on, now, rows = {each.switch: each for each in operations.switches()}, operations.me().at, []
    for switch in Switch:
        how = on.get(switch)
        paused = (ago(how.since, now), how.device, how.why) if how is not None else ("", "", "")
        rows.append((short_name(switch), "paused" if how is not None else "runs", *paused))
    Screen().rows(("what", "state", "since", "by", "why"), rows)
