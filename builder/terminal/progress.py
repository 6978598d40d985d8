"""The display of a lane at work, on a terminal: one line a claim with its step and its time, below the log."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from builder.terminal.screen import safe

Observe = Callable[[Mapping[str, object]], None]
_STEPS = frozenset({"claimed", "generating", "checking", "repairing", "publishing"})
_ENDS = frozenset({"reported", "late", "unreported"})


@dataclass(frozen=True)
class _Standing:
    document: str
    step: str
    since: float


class Board:
    """What stands at this moment, by the log's own events. `now` is a steady clock. Safe to use from any thread."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = Lock()
        self._standing: dict[str, _Standing] = {}
        self._spinner = Spinner("dots")

    def observe(self, event: Mapping[str, object]) -> None:
        """Take an event of the log."""
        name, claim = str(event.get("event", "")), str(event.get("claim", ""))
        with self._lock:
            if name in _ENDS:
                self._standing.pop(claim, None)
            elif name in _STEPS and claim:
                before = self._standing.get(claim)
                since = before.since if before is not None else self._now()
                self._standing[claim] = _Standing(str(event.get("document", "")), name, since)

    def __rich__(self) -> Table:
        """A line for each claim, the oldest first; nothing while nothing stands."""
        with self._lock:
            standing = list(self._standing.values())
        table = Table.grid(padding=(0, 1))
        for each in standing:
            seconds = int(self._now() - each.since)
            elapsed = Text(f"{seconds // 60}:{seconds % 60:02}", style="cyan")
            table.add_row(self._spinner, Text(f"{each.step:<10}", style="bold"), elapsed, safe(each.document))
        return table


@contextmanager
def progress_on(out: TextIO, *, as_json: bool) -> Iterator[tuple[TextIO, Observe]]:
    """Where a log goes, and what shows its events: a display below its lines on a terminal, nothing more elsewhere."""
    if as_json or not out.isatty():
        yield out, lambda _: None
        return
    board = Board(time.monotonic)
    with Live(board, console=Console(file=out), transient=True, refresh_per_second=4):
        # While the display lives, it prints what is written to standard output above itself.
        yield sys.stdout, board.observe
