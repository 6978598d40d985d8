"""Measure, and print one table: python -m tests.bench [--only ingest,life] [--quick].

The table is written to bench.json as well. A bench that breaks is told, and the others go on.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from bot.logs import configure_logs
from tests.bench.table import Line, header, shown, write

BENCHES = (
    "ingest",
    "life",
    "lane_http",
    "growth",
    "stream",
    "latency",
    "footprint",
    "lane_overhead",
    "streams",
    "browser_check",
    "start_up",
)
OUT = Path("bench.json")


def main() -> int:
    """The number of benches that broke, for the shell."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure, as ratios.")
    parser.add_argument("--only", help=f"some of: {','.join(BENCHES)}", type=_names, default=BENCHES)
    parser.add_argument("--quick", action="store_true", help="small numbers, for a short look")
    options = parser.parse_args()
    # Lines are logged as in production; they are not what is looked at here.
    with Path(os.devnull).open("w") as nowhere:
        configure_logs("json", nowhere)
        return _table(options.only, quick=options.quick)


def _table(names: tuple[str, ...], *, quick: bool) -> int:
    broken: list[str] = []
    lines: list[Line] = []
    print(header(), flush=True)
    for line in measured(names, broken, quick=quick):
        print(shown(line), flush=True)
        lines.append(line)
    write(OUT, lines)
    print(f"{len(lines)} lines are in {OUT} as well; {sum(line.met is False for line in lines)} miss their aim")
    return len(broken)


def measured(names: tuple[str, ...], broken: list[str], *, quick: bool) -> Iterator[Line]:
    """The lines of so many benches; of one that breaks its name is noted."""
    for name in names:
        try:
            yield from import_module(f"tests.bench.{name}").lines(quick)
        except Exception as problem:
            broken.append(name)
            print(f"{name} broke: {type(problem).__name__}: {problem}", file=sys.stderr, flush=True)


def _names(given: str) -> tuple[str, ...]:
    names = tuple(given.split(","))
    unknown = sorted(set(names) - set(BENCHES))
    if unknown:
        raise argparse.ArgumentTypeError(f"there is no {', '.join(unknown)}, but {', '.join(BENCHES)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
