"""The documents that a person means: one by name, or all that the filters leave."""

from collections.abc import Iterator
from datetime import datetime

import typer

from bot.ledger.selection import Place, Selection
from bot.ledger.views import Document
from bot.operations.port import Operations
from bot.terminal.moments import moment_back
from bot.terminal.options import Filters

PAGE = 500


def check_one_way(name: str | None, filters: Filters) -> None:
    """Return when either a document is named or filters say which are meant; typer.BadParameter otherwise."""
    if name is None and not filters.are_there:
        raise typer.BadParameter("name a document, or say which: --status, --author, --since, --text, --reason, --lane")
    if name is not None and filters.are_there:
        raise typer.BadParameter(f"filters go without a document's name: leave out {name!r} or them")


def selection_of(filters: Filters, now: datetime) -> Selection:
    """What the filters mean at this moment; typer.BadParameter for a moment that cannot be read."""
    author = filters.author.strip().removeprefix("@") if filters.author else None
    return Selection(
        statuses=filters.statuses,
        author=author if author is None or author.startswith("did:") else author.lower(),
        since=moment_back(filters.since, now) if filters.since else None,
        text=filters.text,
        reasons=filters.reasons,
        lane=filters.lane,
    )


def documents_of(operations: Operations, selection: Selection, most: int) -> Iterator[Document]:
    """At most so many documents of a selection, newest first, read page by page."""
    place: Place | None = None
    while most > 0:
        page = operations.page(selection, min(most, PAGE), place)
        yield from page.documents
        most, place = most - len(page.documents), page.next
        if place is None:
            return
