"""The commands that there are, read from the command line itself, so that no test has to list them."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from typer.main import get_command

import builder.cli
from bot.cli import app

APPS = {"skywright": app, "skywright-builder": builder.cli.app}


def commands() -> dict[str, Any]:
    """Every command that does something, by its words: `devices add`, `tail`."""
    return dict(_below("", get_command(app)))


def is_command(line: str) -> bool:
    """Whether a line, as `skywright list --status built`, is a command of ours with options that it has."""
    return _read(line) is not None


def is_whole(line: str) -> bool:
    """Whether it is one that has, too, what it is never without, so that it does something as it is written."""
    read = _read(line)
    if read is None or (hasattr(read.command, "commands") and not read.command.invoke_without_command):
        return False
    needed = [each for each in read.command.params if each.required]
    words = sum(each.param_type_name == "argument" for each in needed)
    options = [each for each in needed if each.param_type_name != "argument"]
    return words <= read.words and all(read.options & set(each.opts) for each in options)


@dataclass(frozen=True)
class _Read:
    """The command that a line leads to, which options it gives, and how many words besides."""

    command: Any
    options: set[str]
    words: int


def _read(line: str) -> _Read | None:
    program, *rest = shlex.split(line)
    if program not in APPS:
        return None
    here: Any = get_command(APPS[program])
    options, count, words = set(), 0, iter(rest)
    for word in words:
        if word.startswith("-"):
            option = next((each for each in here.params if word in each.opts), None)
            if option is None:
                return None
            options.add(word)
            # Its value.
            if not option.is_flag:
                next(words, None)
        elif hasattr(here, "commands") and (word in here.commands or not here.invoke_without_command):
            here = here.commands.get(word)
            if here is None:
                return None
        else:
            count += 1
    return _Read(here, options, count)


def _below(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield words, command
        return
    if command.invoke_without_command:
        yield words, command
    for name, inner in command.commands.items():
        yield from _below(f"{words} {name}".strip(), inner)
