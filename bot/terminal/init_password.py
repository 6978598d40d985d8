"""The app password that `skywright init` is given: in a file or on standard input, never among the flags."""

import os
import stat
import sys
from pathlib import Path

import typer
from pydantic import SecretStr

_LONGEST = 1000
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def given_password(file: Path | None, *, from_stdin: bool) -> SecretStr | None:
    """The password, without the line's end; None where neither has it. typer.BadParameter for one that is none."""
    if file is not None and from_stdin:
        raise typer.BadParameter("the password is either in --password-file or on standard input")
    if file is not None:
        return _of_one_line(_read(file), str(file))
    if from_stdin:
        return _of_one_line(sys.stdin.read(_LONGEST + 1), "standard input")
    return None


def _read(file: Path) -> str:
    try:
        with file.open(encoding="utf-8") as lines:
            mode = os.fstat(lines.fileno()).st_mode
            text = lines.read(_LONGEST + 1)
    except (OSError, UnicodeDecodeError) as problem:
        told = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise typer.BadParameter(f"{file} cannot be read: {told}") from None
    if stat.S_ISREG(mode) and mode & _OTHERS:
        typer.echo(f"warning: others can read {file}, which holds a password: chmod 600 {file}", err=True)
    return text


def _of_one_line(text: str, where: str) -> SecretStr:
    password = text.strip()
    if not password or len(text) > _LONGEST or not password.isprintable():
        raise typer.BadParameter(f"{where} holds no password: one line, with nothing but the app password")
    return SecretStr(password)
