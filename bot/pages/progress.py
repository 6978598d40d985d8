"""How an ask stands, as its public page tells it: what the bot is doing, what came of it, or why nothing did."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from bot.bluesky.identity import is_handle
from bot.bluesky.posts import named_post
from bot.jobs.commands import first_of
from bot.jobs.notes import waits_for
from bot.ledger.hosting import App
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from bot.pages.standing import BeingBuilt, Gone, Live, Nothing, resting_since, standing_of
from bot.pages.why_not import why_not
from bot.public import has_page
from guardrails.documents import is_did
from guardrails.transitions import Reason, Status

LONGEST_PASTE = 500
"""In characters: what is longer is the link of no post."""
_NAME = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Progress:
    """What a page says. While the ask `goes_on` the page looks again; `app` is there once it may be opened."""

    heading: str
    text: str
    goes_on: bool = False
    app: App | None = None
    resting_since: datetime | None = None


def progress_at(ledger: Ledger, page: str) -> Progress | None:
    """What the page of this name says; None where there is none, or nothing that everybody may see."""
    document = ledger.public.at(page) if _NAME.fullmatch(page) else None
    return _progress(ledger, document) if document is not None else None


def page_for(ledger: Ledger, pasted: str) -> str | None:
    """The name of the page for the pasted link of a post; None for all that has none, whatever the cause.

    A handle counts as the one that its author asked under: nobody is asked about it.
    """
    named = named_post(pasted) if len(pasted) <= LONGEST_PASTE else None
    if named is None or not (is_did(named.who) or is_handle(named.who)):
        return None
    document = ledger.public.asked_in(named.who, named.rkey)
    return document.page if document is not None and _progress(ledger, document) is not None else None


def _progress(ledger: Ledger, document: Document) -> Progress | None:
    first = first_of(ledger, document)
    if not has_page(document, first):
        return None
    return _with_an_app(ledger, first) or _without(ledger, first)


def _with_an_app(ledger: Ledger, document: Document) -> Progress | None:
    """None where there is no app, not yet, or another one is to be built."""
    standing = standing_of(ledger, document.slug) if document.slug is not None else Nothing()
    match standing:
        case Live(app) if document.status is Status.BUILT:
            return Progress("It is ready", "The bot is about to answer with the link.", goes_on=True, app=app)
        case Live(app) if document.status is Status.REPLIED:
            return Progress("It is ready", "The bot has answered with the link.", app=app)
        case Live(app) if document.reason is Reason.SEND_REFUSED:
            return Progress("It is ready", why_not(document.reason), app=app)
        case Gone(why):
            return Progress("This app is gone", why)
        case BeingBuilt(resting) if document.status is Status.BUILT:
            told = "It is built, and a person looks at it before it is shown."
            return Progress("Almost ready", told, goes_on=True, resting_since=resting)
        case Live() | BeingBuilt() | Nothing():
            return None
        case never:
            assert_never(never)


def _without(ledger: Ledger, document: Document) -> Progress:
    match document.status:
        case Status.RECEIVED:
            heading, told = "Received", "The bot has it, and has not decided about it yet."
        case Status.AWAITING_APPROVAL:
            heading, told = "Waiting for a person", "Somebody looks at it before it is built."
        case Status.PENDING_BUILD:
            heading, told = "Queued", "It waits for its turn to be built."
        case Status.BUILDING | Status.BUILT:
            heading, told = "Being built", "The bot is working on it right now."
        case Status.SKIPPED | Status.BUILD_FAILED | Status.ERROR | Status.REPLIED:
            return Progress("Not built", why_not(document.reason))
        case never:
            assert_never(never)
    waits = waits_for(document, ledger.db.time())
    if waits is not None:
        told = f"It waits for room, and goes on after {waits.until:%Y-%m-%d %H:%M} UTC."
    return Progress(heading, told, goes_on=True, resting_since=resting_since(ledger))
