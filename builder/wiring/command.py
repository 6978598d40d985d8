"""The generator `command` from the settings."""

import os
import time
from dataclasses import replace
from pathlib import Path

from builder.errors import BadSettings
from builder.generators.command import options
from builder.generators.command.generator import CommandGenerator
from builder.isolation.bounds import Bounds
from builder.settings import PREFIX, BuildSettings


def why_not(settings: BuildSettings) -> str | None:
    """Why the program cannot be run like this, and the mend; None when it can. Sets up its isolation once, to see."""
    return options.why_not(options_of(settings))


def make(settings: BuildSettings) -> CommandGenerator:
    """The generator; BadSettings when the command cannot be read."""
    return CommandGenerator(options_of(settings), time.monotonic)


def options_of(settings: BuildSettings) -> options.CommandOptions:
    """The options of the generator; the lane's own token file is kept from the program."""
    try:
        argv = options.words(settings.command)
    except BadSettings as problem:
        raise BadSettings(f"{PREFIX}COMMAND: {problem}") from None
    # Settings are read without regard to the case of their names.
    token_files = [value for name, value in os.environ.items() if name.upper() == f"{PREFIX}TOKEN_FILE"]
    bounds = replace(
        Bounds(seconds=settings.build_seconds),
        memory_bytes=settings.command_memory_mb * 2**20,
        tasks=settings.command_tasks,
    )
    return options.CommandOptions(
        argv,
        os.environ,
        _listed(settings.command_allow),
        options.Isolation(settings.command_isolation),
        settings.command_network == "on",
        tuple(map(Path, _listed(settings.command_read_only))),
        tuple(map(Path, filter(None, token_files))),
        bounds,
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, text.split(","))))
