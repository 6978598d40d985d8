"""Prints for people and for pipes; whatever others wrote is made visible first and is never read as markup."""

import dataclasses
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.terminal.failures import end_of_pipe
from bot.terminal.tables import GAP, widths_within
from guardrails.text import visible
from guardrails.transitions import Status

STYLES: Mapping[Status, str] = {
    Status.RECEIVED: "cyan",
    Status.AWAITING_APPROVAL: "bold yellow",
    Status.PENDING_BUILD: "blue",
    Status.BUILDING: "magenta",
    Status.BUILT: "green",
    Status.REPLIED: "bold green",
    Status.SKIPPED: "dim",
    Status.BUILD_FAILED: "red",
    Status.ERROR: "bold red",
}


class Screen(Console):
    """Standard output: colours on a terminal (NO_COLOR switches them off), plain text in a pipe."""

    def __init__(self) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, soft_wrap=True)

    def on_broken_pipe(self) -> NoReturn:
        """Whoever reads has had enough: no failure."""
        end_of_pipe()

    def rows(self, columns: Sequence[str], rows: Iterable[Sequence[Text | str]]) -> None:
        """A table on a terminal, where columns without room stand beneath their row, each with its name.

        In a pipe it is lines with tabs, the first with the columns' names.
        """
        names, cells = [safe(name, "bold") for name in columns], [[safe(cell) for cell in row] for row in rows]
        if not on_terminal():
            for row in (names, *cells):
                # Not printed as text, in which tabs would become spaces.
                self.file.write("\t".join(map(str, row)) + "\n")
            return
        widths = widths_within((names, *cells), self.width)
        self._row(names, widths)
        for row in cells:
            self._row(row, widths)
            beneath = list(zip(columns, row, strict=True))[len(widths) :]
            told = [Text(f"{name}: ", "dim").append_text(cell) for name, cell in beneath if cell]
            if told:
                self.print(Padding(Text("  ").join(told), (0, 0, 0, 4)), soft_wrap=False)

    def _row(self, cells: Sequence[Text], widths: Sequence[int]) -> None:
        row = Table.grid(padding=(0, GAP))
        for width in widths:
            row.add_column(width=width, overflow="fold")
        row.add_row(*cells[: len(widths)])
        self.print(row, soft_wrap=False)


def on_terminal() -> bool:
    """Whether somebody sits before standard output. Not what Rich goes by: FORCE_COLOR makes no terminal of a pipe."""
    return sys.stdout.isatty()


def safe(text: Text | str, style: str = "") -> Text:
    """Somebody's text as it may be shown: on one line, control and bidi characters spelled out."""
    return text if isinstance(text, Text) else Text(visible(text), style=style)


def status_text(status: Status) -> Text:
    """A status in its colour."""
    return Text(status.value, style=STYLES[status])


def to_json(value: object) -> str:
    """A value, dataclasses and times included, as one line of ASCII JSON: nothing in it can steer a terminal."""
    return json.dumps(value, default=_plain)


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    sys.stdout.write(to_json(value) + "\n")


def _plain(value: object) -> Any:  # noqa: ANN401 - whatever json takes
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    raise TypeError(f"{type(value).__name__} is no JSON")
