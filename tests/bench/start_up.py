"""How long a command takes to begin, as a ratio to an empty Python: python -m tests.bench.start_up [runs].

The quickest of several runs counts; the ledger is a small one of its own.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bot.stage import staged

RUNS = 10
PROGRAM = "from bot.cli import main; main()"
COMMANDS: tuple[Sequence[str], ...] = (
    ("--help",),
    ("version",),
    ("list",),
    ("tail", "--until-empty"),
    ("show", "3k000"),
)
NOTHING = ("-c", "pass")


def main(runs: int) -> None:
    """Print a line for each command."""
    with tempfile.TemporaryDirectory() as folder, staged(Path(folder)) as stage:
        for _ in range(20):
            stage.ask()
        url = f"sqlite:///{Path(folder) / 'ledger.db'}"
        # Compiled once, as where it is installed.
        env = {"PATH": os.environ["PATH"], "SKYWRIGHT_DATABASE_URL": url, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        nothing = quickest(NOTHING, env, runs)
        print(f"python -c pass                    {nothing * 1000:6.0f} ms")
        for command in COMMANDS:
            taken = quickest(("-c", PROGRAM, *command), env, runs)
            print(f"skywright {' '.join(command):<23} {taken * 1000:6.0f} ms, {taken / nothing:5.1f} times as long")


def quickest(arguments: Sequence[str], env: dict[str, str], runs: int) -> float:
    """The seconds of processor that the quickest of so many runs took, after one that compiles.

    Not by the clock: on a machine that does other things as well it would tell of those.
    """
    taken = []
    for _ in range(runs + 1):
        before = _used()
        subprocess.run([sys.executable, *arguments], env=env, check=True, capture_output=True)
        taken.append(_used() - before)
    return min(taken[1:])


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS)
