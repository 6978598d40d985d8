"""`skywright list`: documents, the newest first."""

from collections.abc import Sequence

from rich.text import Text

from bot.ledger.views import Document
from bot.terminal.lines import moment, short_id
from bot.terminal.moments import duration
from bot.terminal.opening import opened_ledger
from bot.terminal.screen import Screen, print_json, safe, status_text
from guardrails.text import clip
from guardrails.transitions import Status

COLUMNS = ("created", "id", "status", "reason", "author", "ask")
ASK = 60


def list_command(
    statuses: Sequence[Status], author: str | None, since: str | None, limit: int, *, as_json: bool
) -> None:
    """Print the documents that the filters leave; in a pipe with their whole ids."""
    with opened_ledger() as ledger:
        start = ledger.db.time() - duration(since) if since else None
        named = author.removeprefix("@") if author else None
        found = ledger.queries.newest(limit, statuses, named, start)
    if as_json:
        for document in found:
            print_json(document)
        return
    screen = Screen()
    if not found and screen.is_terminal:
        screen.print("nothing to show")
        return
    screen.rows(COLUMNS, [_row(document, short=screen.is_terminal) for document in found])


def _row(document: Document, *, short: bool) -> tuple[Text | str, ...]:
    ask = str(document.body.get("ask", ""))
    return (
        moment(document.created_at) if short else document.created_at.isoformat(),
        short_id(document.id) if short else document.id,
        status_text(document.status),
        document.reason.value,
        document.author_handle or document.author_did,
        safe(clip(ask, ASK, 4 * ASK) if short else ask),
    )
