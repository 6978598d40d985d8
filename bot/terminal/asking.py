"""Asks a person before something is done that cannot be taken back."""

import sys

import typer

from bot.terminal.failures import Exit, end
from guardrails.text import visible


def check_can_ask(*, yes: bool) -> None:
    """Return when the question is answered already or can be put to somebody; typer.BadParameter otherwise."""
    if not yes and not sys.stdin.isatty():
        raise typer.BadParameter("nobody is there to be asked: say --yes")


def confirm(told: str, *, yes: bool) -> None:
    """Tell what is about to happen, others' text made harmless, and return once a person has agreed.

    Ctrl-C and Ctrl-D are a no as well.
    """
    typer.echo(visible(told, keep_newlines=True), err=True)
    if not yes and not _agrees():
        end("nothing was changed", Exit.NOT_DONE)


def _agrees() -> bool:
    try:
        return typer.confirm("Do it?", err=True)
    except typer.Abort:
        typer.echo(err=True)
        return False
