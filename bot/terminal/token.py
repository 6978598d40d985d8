"""The token of a device that asks a bot elsewhere: from the environment or from a file that is its owner's alone."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import typer

TOKEN, TOKEN_FILE = "SKYWRIGHT_TOKEN", "SKYWRIGHT_TOKEN_FILE"
LONGEST = 200
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_HOW = "`skywright devices add NAME --role operator` on the bot's machine prints one"


def token_of(environment: Mapping[str, str]) -> str:
    """The token; typer.BadParameter says where one is looked for, or what is wrong with the file, and quotes none."""
    if given := environment.get(TOKEN):
        return _checked(given, TOKEN)
    named = environment.get(TOKEN_FILE)
    file = Path(named) if named else _usual(environment)
    try:
        with file.open(encoding="ascii") as opened:
            _check_is_ours_alone(file, os.fstat(opened.fileno()))
            told = opened.read(4 * LONGEST)
    except FileNotFoundError:
        raise typer.BadParameter(f"no token: set {TOKEN}, or put one into {file} (mode 0600); {_HOW}") from None
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it holds no token"
        raise typer.BadParameter(f"{file} cannot be read: {why}") from None
    return _checked(told, str(file))


def _usual(environment: Mapping[str, str]) -> Path:
    home = environment.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path("~/.config").expanduser()) / "skywright" / "token"


def _check_is_ours_alone(file: Path, status: os.stat_result) -> None:
    if status.st_uid != os.getuid():
        raise typer.BadParameter(f"{file} belongs to somebody else, who may change what is in it")
    if status.st_mode & _OTHERS:
        raise typer.BadParameter(f"others can read {file}, which holds a token: chmod 600 {file}")


def _checked(token: str, where: str) -> str:
    token = token.strip()
    if not token or len(token) > LONGEST or not token.isascii() or not token.isprintable() or " " in token:
        raise typer.BadParameter(f"{where} holds no token; {_HOW}")
    return token
