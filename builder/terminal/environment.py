"""Settings from a file, for whoever keeps them in one."""

import os
import stat
from pathlib import Path

import typer
from dotenv import dotenv_values

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_env_file(file: Path) -> None:
    """Put the file's KEY=VALUE lines into the environment; what is set there already stands.

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
    for name, value in found.items():
        if value is not None:
            os.environ.setdefault(name, value)
