"""What went wrong, in a line, with the exit status that it deserves."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import typer

from builder.errors import BadSettings, BotRefused, BotUnreachable, ClaimLost, LaneError, LaneUnfit, NotWelcome
from guardrails.text import visible


class Exit(IntEnum):
    """The exit statuses; from 64 on those of sysexits.h, for scripts and supervisors."""

    OK = 0
    FAILED = 1
    TRY_AGAIN = 75
    PROTOCOL = 76
    NOT_WELCOME = 77
    CONFIGURATION = 78
    INTERRUPTED = 130


def end(message: str, status: Exit) -> NoReturn:
    """Say what is wrong on standard error, other people's text made harmless, and end."""
    typer.echo(visible(message, keep_newlines=True), err=True)
    raise typer.Exit(status) from None


@contextmanager
def told_in_a_line() -> Iterator[None]:
    """Turn every failure that a person can mend into a message and an exit status; the rest is a bug and stays one."""
    try:
        yield
    except LaneError as problem:
        end(*_told(problem))
    except BrokenPipeError:
        # Whoever reads has had enough. What is still buffered would fail once more at the interpreter's end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None


def _told(problem: LaneError) -> tuple[str, Exit]:
    match problem:
        case BadSettings():
            return str(problem), Exit.CONFIGURATION
        case LaneUnfit():
            return f"This lane can build nothing. {problem}", Exit.CONFIGURATION
        case NotWelcome():
            return f"The bot refuses this device. {problem}", Exit.NOT_WELCOME
        case BotUnreachable():
            return str(problem), Exit.TRY_AGAIN
        case BotRefused() | ClaimLost():
            return str(problem), Exit.PROTOCOL
    return str(problem), Exit.FAILED
