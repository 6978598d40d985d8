"""The table of the benchmarks: each line a ratio against a floor or a peer that was measured in the same run."""

import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TypeVar

T = TypeVar("T")
Measure = Callable[[], float]
"""Does one round of something, and gives back its figure: a rate, a time, a size."""
HEADER = ("name", "backend", "ours", "against", "unit", "ratio", "spread", "aim", "met")
_WIDTHS = (52, 10, 11, 11, 12, 7, 7, 6, 5)


@dataclass(frozen=True)
class Line:
    """One line: the medians of both sides, and of the ratios of the rounds.

    `spread` is the distance of the largest ratio of a round from the smallest, as a part of their median. `aim` is what
    the ratio ought to be, at least or at most, None where there is none; then `met` is None, too.
    """

    name: str
    backend: str
    ours: float
    against: float
    ratio: float
    spread: float
    aim: float | None
    met: bool | None
    unit: str


def compared(
    name: str,
    backend: str,
    unit: str,
    rounds: Iterable[Sequence[float]],
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Line:
    """The line of what was measured round by round: pairs, ours first."""
    pairs = [(ours, against) for ours, against in rounds]
    ratios = [ours / against for ours, against in pairs]
    ratio = median(ratios)
    aim = at_least if at_least is not None else at_most
    met = None if aim is None else (ratio >= aim if at_least is not None else ratio <= aim)
    return Line(
        name,
        backend,
        median(ours for ours, _ in pairs),
        median(against for _, against in pairs),
        ratio,
        (max(ratios) - min(ratios)) / ratio,
        aim,
        met,
        unit,
    )


def interleaved(rounds: int, *measures: Callable[[], T]) -> list[tuple[T, ...]]:
    """So many rounds of all measures: in turns, so that a machine that slows down slows all.

    Every other round goes backwards: none of them always comes after the same other one.
    """
    found = []
    for number in range(rounds):
        order = range(len(measures)) if number % 2 == 0 else range(len(measures) - 1, -1, -1)
        figures = {place: measures[place]() for place in order}
        found.append(tuple(figures[place] for place in range(len(measures))))
    return found


def seconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def header() -> str:
    """The table's first line."""
    return _row(HEADER)


def shown(line: Line) -> str:
    """A line for the screen, as wide as all others."""
    met = {None: "", True: "yes", False: "NO"}[line.met]
    aim = "" if line.aim is None else f"{line.aim:g}"
    figures = (_figure(line.ours), _figure(line.against), line.unit, f"{line.ratio:.2f}", f"{line.spread:.2f}")
    return _row((line.name, line.backend, *figures, aim, met))


def write(path: Path, lines: Iterable[Line]) -> None:
    """Write the same for machines: a list of objects."""
    path.write_text(json.dumps([asdict(line) for line in lines], indent=2) + "\n")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _row(cells: Sequence[str]) -> str:
    left = (0, 1, 4)
    padded = (
        f"{cell:<{width}}" if place in left else f"{cell:>{width}}"
        for place, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True))
    )
    return " ".join(padded).rstrip()
