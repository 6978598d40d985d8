"""Settings from a file, for whoever keeps them in one."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

import typer
from dotenv import dotenv_values

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True)
class FromFile:
    """The names that a file has put into the environment."""

    file: Path
    names: frozenset[str]


def read_env_file(file: Path) -> FromFile:
    """Put the file's KEY=VALUE lines into the environment, and tell which; what is set there already stands.

    typer.BadParameter when it cannot be read; a warning when others can.
    """
    try:
        with file.open(encoding="utf-8") as lines:
            mode = os.fstat(lines.fileno()).st_mode
            found = dotenv_values(stream=lines, interpolate=False)
    except (OSError, UnicodeDecodeError) as problem:
        told = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
        raise typer.BadParameter(f"{file} cannot be read: {told}") from None
    if mode & _OTHERS:
        typer.echo(f"warning: others can read {file}, which holds secrets: chmod 600 {file}", err=True)
    new = {name: value for name, value in found.items() if value is not None and name not in os.environ}
    os.environ.update(new)
    return FromFile(file, frozenset(new))
