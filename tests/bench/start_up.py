"""How long a command takes to begin, against an empty Python; the ledger is a small one of its own."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tests.bench.table import Line, compared, interleaved
from tests.bot.stage import staged

RUNS, QUICK_RUNS = 10, 3
PROGRAM = "from bot.cli import main; main()"
COMMANDS: tuple[Sequence[str], ...] = (
    ("--help",),
    ("version",),
    ("list",),
    ("tail", "--until-empty"),
    ("show", "3k000"),
)
NOTHING = ("-c", "pass")


def lines(quick: bool) -> Iterator[Line]:
    """A line for each command; every other run is an empty Python."""
    runs = QUICK_RUNS if quick else RUNS
    with tempfile.TemporaryDirectory() as folder, staged(Path(folder)) as stage:
        for _ in range(20):
            stage.ask()
        url = f"sqlite:///{Path(folder) / 'ledger.db'}"
        # Compiled once, as where it is installed.
        env = {"PATH": os.environ["PATH"], "SKYWRIGHT_DATABASE_URL": url, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        for command in COMMANDS:
            begin, nothing = (partial(_run, arguments, env) for arguments in (("-c", PROGRAM, *command), NOTHING))
            begin()
            yield compared(
                f"skywright {' '.join(command)}, against python", "-", "s", interleaved(runs, begin, nothing)
            )


def _run(arguments: Sequence[str], env: dict[str, str]) -> float:
    """The seconds of processor that a run took.

    Not by the clock: on a machine that does other things as well it would tell of those.
    """
    before = _used()
    subprocess.run([sys.executable, *arguments], env=env, check=True, capture_output=True)
    return _used() - before


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
