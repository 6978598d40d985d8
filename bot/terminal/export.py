"""`skywright export`: the history with what it is about, by sequence, as JSON lines or CSV."""

import csv
import dataclasses
import sys
from collections.abc import Callable, Iterator
from datetime import datetime

import typer

from bot.errors import NotDone
from bot.ledger.selection import Selection
from bot.operations.books import Exported
from bot.operations.port import Operations
from bot.terminal.opening import opened_operations
from bot.terminal.options import Filters
from bot.terminal.screen import print_json
from bot.terminal.selecting import says, selection_of
from guardrails.text import visible

PAGE = 1_000
# A spreadsheet takes a cell that begins like this for a formula.
_FORMULA = ("=", "+", "-", "@")


def export_command(filters: Filters, after: int | None, *, as_csv: bool) -> None:
    """Write every move after a sequence number, oldest first; the last number is told beside, to go on from."""
    with opened_operations() as operations:
        selection = selection_of(operations, filters)
        if after is not None and after > (last := operations.last_move()):
            raise NotDone(
                f"the ledger has {last} moves only: after a restore from an older copy numbers are given anew. Export "
                "from before it was restored"
            )
        seq = after if after is not None else _beginning(operations, selection)
        write = _as_csv() if as_csv else print_json
        try:
            for row in _all(operations, seq):
                if _fits(row, selection):
                    write(row)
                seq = row.seq
        finally:
            sys.stdout.flush()
            typer.echo(f"last: {seq}; `skywright export --after {seq}` goes on", err=True)


def _beginning(operations: Operations, selection: Selection) -> int:
    return operations.move_before(selection.since) if selection.since is not None else 0


def _all(operations: Operations, seq: int) -> Iterator[Exported]:
    while rows := operations.export(seq, PAGE):
        yield from rows
        seq = rows[-1].seq


def _fits(row: Exported, wanted: Selection) -> bool:
    """Whether a row is about what the filters leave; a status is where its document stands now."""
    return (
        (not wanted.statuses or row.status in wanted.statuses)
        and (not wanted.reasons or row.reason in wanted.reasons)
        and wanted.author in (None, row.author_did, row.author_handle)
        and wanted.lane in (None, row.device)
        and (wanted.since is None or row.at >= wanted.since)
        and says(row, wanted.text or "")
    )


def _as_csv() -> Callable[[Exported], None]:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    names = [field.name for field in dataclasses.fields(Exported)]
    writer.writerow(names)
    return lambda row: writer.writerow([_cell(getattr(row, name)) for name in names])


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    text = "" if value is None else visible(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text
