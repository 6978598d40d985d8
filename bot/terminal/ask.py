"""`skywright ask`: an operator puts a post before the bot as if it had mentioned us."""

import typer

from bot.terminal.opening import opened_operations
from bot.terminal.screen import print_json
from guardrails.text import visible


def ask_command(link: str, *, as_json: bool) -> None:
    """Store the post that a link names; its document's id on standard output, what became of it beside that."""
    with opened_operations() as operations:
        asked = operations.ask(link)
    if as_json:
        print_json(asked)
        return
    typer.echo(visible(asked.id))
    typer.echo(visible(asked.told), err=True)
