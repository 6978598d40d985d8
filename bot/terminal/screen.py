"""Prints for people and for pipes; whatever others wrote is made visible first and is never read as markup."""

import dataclasses
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.terminal.failures import end_of_pipe
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
        """A table on a terminal; lines with tabs in a pipe, the first with the columns' names."""
        if not self.is_terminal:
            for row in (columns, *rows):
                # Not printed as text, in which tabs would become spaces.
                self.file.write("\t".join(str(safe(cell)) for cell in row) + "\n")
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*(safe(cell) for cell in row))
        self.print(table, soft_wrap=False)


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
