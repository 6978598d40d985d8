"""What went wrong, in a line, with the exit status that it deserves."""

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import NoReturn

import typer

from bot.bluesky.errors import CallFailed, NotAPost
from bot.errors import (
    BadSettings,
    BotAway,
    BotError,
    LedgerBehind,
    LedgerInUse,
    LostRace,
    NoName,
    NoSuchDocument,
    NotDone,
    NotDurable,
)
from guardrails.errors import BadRules, RuleError
from guardrails.text import visible

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class Exit(IntEnum):
    """The exit statuses; `skywright --help` lists them."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    NOT_DONE = 4
    NETWORK = 5
    CONFIGURATION = 78
    INTERRUPTED = 130


def end(message: str, status: Exit) -> NoReturn:
    """Say what is wrong on standard error, other people's text made harmless, and end."""
    typer.echo(visible(message, keep_newlines=True), err=True)
    raise typer.Exit(status) from None


def end_of_pipe() -> NoReturn:
    """End quietly after the reader of standard output went away."""
    _write_no_more()
    raise typer.Exit


def _write_no_more() -> None:
    # What is still buffered would fail once more at the interpreter's end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def told_in_a_line() -> Iterator[None]:
    """Turn every failure that a person can mend into a message and an exit status; the rest is a bug and stays one."""
    try:
        yield
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except BrokenPipeError:
        end_of_pipe()
    except OSError as problem:
        if problem.errno not in _FULL:
            raise
        _write_no_more()
        told = f"it cannot be written: {problem.strerror}", Exit.FAILED
    except Exception as problem:
        known = _of_ours(problem) or _of_the_database(problem)
        if known is None:
            raise
        told = f"{known[0]}{_misspelt()}" if known[1] is Exit.CONFIGURATION else known[0], known[1]
    else:
        return
    end(*told)


def what_the_driver_said(problem: Exception) -> str:
    """The first line of a database error; the lines after it quote the statement and its values."""
    return str(getattr(problem, "orig", None) or type(problem).__name__).partition("\n")[0]


def _of_ours(problem: Exception) -> tuple[str, Exit] | None:
    match problem:
        case BadSettings():
            return _settings(problem.problems), Exit.CONFIGURATION
        case BadRules():
            return _rules(problem.problems), Exit.CONFIGURATION
        case LedgerBehind() | NotDurable():
            return str(problem), Exit.CONFIGURATION
        case NoName():
            return str(problem), Exit.USAGE
        case UnicodeEncodeError(encoding="utf-8"):
            return "what was typed is not UTF-8 text", Exit.USAGE
        case NoSuchDocument() | NotAPost():
            return str(problem), Exit.NOT_FOUND
        case LostRace() | NotDone() | LedgerInUse() | RuleError():
            return str(problem), Exit.NOT_DONE
        case CallFailed() | BotAway():
            return str(problem), Exit.NETWORK
        case BotError():
            return str(problem), Exit.FAILED
    return None


def _settings(problems: Sequence[str]) -> str:
    mend = "Set them in the environment, or in a file that `skywright --env-file FILE …` names."
    key = "`skywright new-key` prints a session key." if any("SESSION_KEY" in problem for problem in problems) else ""
    return "\n".join(
        ["the settings are not complete:", *(f"  {problem}" for problem in problems), f"{mend} {key}".strip()]
    )


def _misspelt() -> str:
    # Who has nothing wrong need not wait for it.
    from bot.terminal.misspelt import misspelt  # noqa: PLC0415

    return "".join(f"\n  {wrong.told}: {wrong.mend}" for wrong in misspelt(os.environ))


def _rules(problems: Sequence[str]) -> str:
    mend = "Every key is in deploy/guardrails.example.toml; `skywright rules --file FILE` tries a file."
    return "\n".join(["the rules cannot be used:", *(f"  {problem}" for problem in problems), mend])


def _of_the_database(problem: Exception) -> tuple[str, Exit] | None:
    # Not at the top: whoever only wants the help need not wait for it.
    from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError  # noqa: PLC0415

    match problem:
        case ArgumentError() | NoSuchModuleError():
            # The address may hold a password, so it is not repeated.
            return "SKYWRIGHT_DATABASE_URL is not a database address that this program knows", Exit.CONFIGURATION
        case DBAPIError():
            return f"the ledger does not answer: {what_the_driver_said(problem)}", Exit.NETWORK
        case SQLAlchemyError():
            return f"the ledger does not answer: {type(problem).__name__}", Exit.NETWORK
    return None
