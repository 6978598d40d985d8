"""`skywright list`: documents, the newest first."""

from rich.text import Text

from bot.ledger.views import Document
from bot.terminal.lines import moment, short_id
from bot.terminal.opening import opened_operations
from bot.terminal.options import Filters
from bot.terminal.screen import Screen, on_terminal, print_json, safe, status_text
from bot.terminal.selecting import documents_of, selection_of
from guardrails.text import clip

COLUMNS = ("created", "id", "status", "reason", "author", "ask")
ASK = 60


def list_command(filters: Filters, limit: int, *, as_json: bool) -> None:
    """Print the documents that the filters leave; in a pipe with their whole ids."""
    with opened_operations() as operations:
        found = list(documents_of(operations, selection_of(operations, filters), limit))
    if as_json:
        for document in found:
            print_json(document)
        return
    screen = Screen()
    if not found and on_terminal():
        screen.print("nothing to show")
        return
    screen.rows(COLUMNS, [_row(document, short=on_terminal()) for document in found])


def _status(document: Document) -> Text:
    """Where it stands, with a badge where its app was taken down: its status stays what it was."""
    status = status_text(document.status)
    return status if document.taken_down_at is None else status.append(" taken down", "bold red")


def _row(document: Document, *, short: bool) -> tuple[Text | str, ...]:
    ask = str(document.body.get("ask", ""))
    return (
        moment(document.created_at) if short else document.created_at.isoformat(),
        short_id(document.id) if short else document.id,
        _status(document) if short else document.status.value,
        document.reason.value,
        document.author_handle or document.author_did,
        safe(clip(ask, ASK, 4 * ASK) if short else ask),
    )
