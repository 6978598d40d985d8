"""The documents that a person means: one by name, or all that the filters leave."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from bot.ledger.selection import Place, Selection
from bot.ledger.views import Document
from bot.operations.port import Operations
from bot.terminal.moments import moment_back
from bot.terminal.options import Filters

# Only who looks for words in the history reads it so.
if TYPE_CHECKING:
    from bot.operations.books import Exported

PAGE = 500


def check_one_way(name: str | None, filters: Filters, version: int | None = None) -> None:
    """Return when either a document is named or filters say which are meant; typer.BadParameter otherwise.

    A version is that of a document that is named.
    """
    if name is None and not filters.are_there:
        raise typer.BadParameter("name a document, or say which: --status, --author, --since, --text, --reason, --lane")
    if name is not None and filters.are_there:
        raise typer.BadParameter(f"filters go without a document's name: leave out {name!r} or them")
    if name is None and version is not None:
        raise typer.BadParameter("--version goes with a document's name: of many, each is done at the version counted")


def selection_of(operations: Operations, filters: Filters) -> Selection:
    """What the filters mean now; typer.BadParameter for a moment that cannot be read."""
    return Selection(
        statuses=filters.statuses,
        author=author_of(filters),
        # Only what is told by how long ago it was needs the time of the other side.
        since=moment_back(filters.since, operations.me().at) if filters.since else None,
        text=filters.text,
        reasons=filters.reasons,
        lane=filters.lane,
    )


def author_of(filters: Filters) -> str | None:
    """Whose documents are meant: a DID or a handle as the ledger writes it."""
    author = filters.author.strip().removeprefix("@") if filters.author else ""
    return (author if author.startswith("did:") else author.lower()) or None


def says(row: "Exported", text: str) -> bool:
    """Whether what a move is about, or its detail, has each of these words somewhere in it."""
    words = f"{row.ask}\n{row.author_handle}\n{row.detail}".casefold()
    return all(word in words for word in text.casefold().split())


def documents_of(operations: Operations, selection: Selection, most: int) -> Iterator[Document]:
    """At most so many documents of a selection, newest first, read page by page."""
    place: Place | None = None
    while most > 0:
        page = operations.page(selection, min(most, PAGE), place)
        yield from page.documents
        most, place = most - len(page.documents), page.next
        if place is None:
            return
