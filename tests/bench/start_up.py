"""How long a command takes in all, against an empty Python and its libraries; the ledger is a small one of its own."""

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
PLAIN: tuple[Sequence[str], ...] = (("--help",), ("version",))
LOOKS: tuple[Sequence[str], ...] = (("list",), ("tail", "--until-empty"), ("show", "3k000"))
NOTHING = ("-c", "pass")
# What each command that looks at a ledger stands on: it cannot begin before these are there.
LIBRARIES = ("-c", "import sqlalchemy, pydantic, typer")


def lines(quick: bool) -> Iterator[Line]:
    """A line for each command against an empty Python, and one more against the libraries where it reads the ledger."""
    runs = QUICK_RUNS if quick else RUNS
    with tempfile.TemporaryDirectory() as folder, staged(Path(folder)) as stage:
        for _ in range(20):
            stage.ask()
        url = f"sqlite:///{Path(folder) / 'ledger.db'}"
        # Compiled once, as where it is installed.
        env = {"PATH": os.environ["PATH"], "SKYWRIGHT_DATABASE_URL": url, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        nothing, libraries = (partial(_run, arguments, env) for arguments in (NOTHING, LIBRARIES))
        libraries()
        for command in (*PLAIN, *LOOKS):
            begin, name = partial(_run, ("-c", PROGRAM, *command), env), f"skywright {' '.join(command)}"
            begin()
            rounds = interleaved(runs, begin, nothing, libraries)
            yield compared(f"{name}, against python", "-", "s", ((ours, floor) for ours, floor, _ in rounds))
            if command in LOOKS:
                yield compared(f"{name}, against its libraries", "-", "s", ((ours, floor) for ours, _, floor in rounds))


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
