"""`skywright audit`: what operators have done, the newest first."""

from collections.abc import Iterator

from bot.operations.books import Audited
from bot.operations.port import Operations
from bot.terminal.lines import moment
from bot.terminal.opening import opened_operations
from bot.terminal.screen import Screen, on_terminal, print_json
from guardrails.text import clip

COLUMNS = ("seq", "at", "by", "action", "target", "detail")
PAGE, DETAIL = 500, 100


def audit_command(limit: int, before: int | None, *, as_json: bool) -> None:
    """Print at most so many rows of the audit log, those before a sequence number."""
    with opened_operations() as operations:
        rows = list(_newest(operations, limit, before))
    if as_json:
        for row in rows:
            print_json(row)
        return
    screen = Screen()
    if not rows and on_terminal():
        screen.print("nothing is in the audit log")
        return
    screen.rows(COLUMNS, [_row(row, short=on_terminal()) for row in rows])


def _newest(operations: Operations, limit: int, before: int | None) -> Iterator[Audited]:
    while limit > 0:
        rows = operations.audit(before, min(limit, PAGE))
        yield from rows
        if len(rows) < min(limit, PAGE):
            return
        limit, before = limit - len(rows), rows[-1].seq


def _row(row: Audited, *, short: bool) -> tuple[str, ...]:
    detail = clip(row.detail, DETAIL, 4 * DETAIL) if short else row.detail
    at = moment(row.at) if short else row.at.isoformat()
    return (str(row.seq), at, row.device, row.action, row.target, detail)
