"""`skywright ask`: an operator puts a post before the bot as if it had mentioned us."""

import typer

from bot.terminal.opening import opened_operations
from guardrails.text import visible


def ask_command(link: str) -> None:
    """Store the post that a link names; its document's id on standard output, what became of it beside that."""
    with opened_operations() as operations:
        asked = operations.ask(link)
    typer.echo(visible(asked.id))
    typer.echo(visible(asked.told), err=True)
