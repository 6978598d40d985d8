"""The documents of a ledger, for whoever wants to see what became of them."""

from collections.abc import Sequence
from typing import Any

from bot.ledger.ledger import Ledger
from bot.ledger.pages import MOST
from bot.ledger.selection import Place, Selection
from bot.ledger.views import Document
from guardrails.transitions import Status


def newest(ledger: Ledger, limit: int, statuses: Sequence[Status] = (), **wanted: Any) -> list[Document]:
    """At most so many documents of a selection, newest first."""
    found: list[Document] = []
    place: Place | None = None
    while len(found) < limit:
        page, place = ledger.pages.page(Selection(tuple(statuses), **wanted), min(MOST, limit - len(found)), place)
        found += page
        if place is None:
            break
    return found
