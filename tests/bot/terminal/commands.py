"""The commands that there are, read from the command line itself, so that no test has to list them."""

import shlex
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from bot.cli import app


def commands() -> dict[str, Any]:
    """Every command that does something, by its words: `devices add`, `tail`."""
    return dict(_below("", get_command(app)))


def is_command(line: str) -> bool:
    """Whether a line, as `skywright list --status built`, is a command with options that it has."""
    program, *words = shlex.split(line)
    here: Any = get_command(app)
    known = True
    for word in words:
        if word.startswith("-"):
            known = known and any(word in parameter.opts for parameter in here.params)
        elif hasattr(here, "commands") and (word in here.commands or not here.invoke_without_command):
            here = here.commands.get(word)
            if here is None:
                return False
    return program == "skywright" and known


def _below(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield words, command
        return
    if command.invoke_without_command:
        yield words, command
    for name, inner in command.commands.items():
        yield from _below(f"{words} {name}".strip(), inner)
