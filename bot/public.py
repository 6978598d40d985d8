"""Which asks have a page that anybody may open, and where it is: no word of the post and nobody's name is on it."""

from pydantic import ValidationError

from bot.ledger.views import Document
from guardrails.transitions import NO_ASK, Reason

FOLDER = "m"
"""The first step of the path of such a page."""

# People who want only those to read them who are signed in say so with this label.
SIGNED_IN_ONLY = "!no-unauthenticated"

_NO_PAGE = (NO_ASK - {Reason.NOTHING_TO_BUILD}) | {
    Reason.NOT_OURS,
    Reason.BEFORE_FIRST_START,
    Reason.ALREADY_ANSWERED,
    Reason.DELETED,
    Reason.CANCELLED,
    Reason.OPTED_OUT,
    Reason.FORGOTTEN,
}


def has_page(document: Document, first: Document) -> bool:
    """Whether anybody may see how an ask stands; `first` is the one that it joined, or itself.

    Not before the author's labels are known, and nothing of what was taken back or down, forgotten, or is not there.
    """
    return all(_stands(each) for each in (document, first)) and _is_for_everybody(first)


def page_address(apps_url: str, document: Document) -> str | None:
    """Where the page of an ask is; None for one without."""
    return f"{apps_url}/{FOLDER}/{document.page}" if document.page is not None else None


def _stands(document: Document) -> bool:
    there = not document.is_taken_back and document.absent_since is None and not document.is_blank
    return there and document.reason not in _NO_PAGE


def _is_for_everybody(document: Document) -> bool:
    try:
        look = document.facts.look if document.facts is not None else None
    except ValidationError:
        return False
    if look is None or look.author is None:
        return False
    return all(label.val != SIGNED_IN_ONLY for label in look.author.labels)
