"""What stands at an app's address: an app, the reason why it is gone, one that is being built, or nothing."""

import re
from dataclasses import dataclass
from datetime import datetime

from bot.errors import NoSuchDocument
from bot.ledger.hosting import App
from bot.ledger.ledger import Ledger
from bot.ledger.retention import KEPT_UNTIL
from bot.ledger.takedowns import REMOVED
from bot.ledger.views import Document
from guardrails.transitions import Reason, Status

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NOT_YET = frozenset({Status.RECEIVED, Status.AWAITING_APPROVAL, Status.PENDING_BUILD, Status.BUILDING})
_WHY_GONE = {
    Reason.DELETED: "The post that asked for it was deleted.",
    Reason.CANCELLED: "The person who asked for it has cancelled it.",
    Reason.OPTED_OUT: "The person who asked for it wants nothing from this bot any more.",
    Reason.FORGOTTEN: "The person who asked for it has withdrawn it.",
    Reason.TAKEN_DOWN: "It was taken down.",
    Reason.STOPPED: "The people who run this bot have stopped it.",
    Reason.DENIED: "The people who run this bot have stopped it.",
    Reason.DECLINED: "The people who run this bot have declined it.",
    Reason.APPROVAL_EXPIRED: "Nobody has looked at it in time.",
}
_WHY_REMOVED = "The people who run this bot have removed it."
_GONE = "It was withdrawn."


@dataclass(frozen=True)
class Live:
    """An app that anybody may open, at one version."""

    app: App
    version: int


@dataclass(frozen=True)
class Gone:
    """There was an app, or there was to be one; `why` is a sentence for people."""

    why: str


@dataclass(frozen=True)
class BeingBuilt:
    """The address is given out, and there may be an app soon; later, where the bot is resting.

    So it is with an app whose reply a person has to release.
    """

    resting_since: datetime | None = None


@dataclass(frozen=True)
class Nothing:
    """No app has this address, or its build has failed."""


Standing = Live | Gone | BeingBuilt | Nothing


def standing_of(ledger: Ledger, slug: str) -> Standing:
    """What stands at a slug, upper and lower case aside; any text will do."""
    folded = slug.lower()
    app = ledger.hosting.app(folded) if _SLUG.fullmatch(folded) else None
    if app is None:
        return Nothing()
    if app.gone_reason is not None:
        return Gone(_why_gone(app))
    try:
        document = ledger.queries.document(app.document_id)
    except NoSuchDocument:
        # Its build had failed before its history was removed: of all others the reason is kept.
        return Nothing()
    if _is_withdrawn(document):
        return Gone(_why(document.reason.value))
    if document.status in _NOT_YET if app.live_version is None else document.reply_held is not None:
        return BeingBuilt(resting_since(ledger))
    return Live(app, app.live_version) if app.live_version is not None else Nothing()


def resting_since(ledger: Ledger) -> datetime | None:
    """Since when the bot does not do all of its work, because people have paused it; None while it does."""
    return min((since for _, _, _, since in ledger.desk.switches_on()), default=None)


def _is_withdrawn(document: Document) -> bool:
    return document.withdrawn_at is not None or document.status is Status.SKIPPED


def _why_gone(app: App) -> str:
    if app.gone_reason == KEPT_UNTIL and app.kept_until is not None:
        return f"It was kept until {app.kept_until:%Y-%m-%d}, as its page had said from its first day."
    return _why(str(app.gone_reason))


def _why(reason: str) -> str:
    if reason == REMOVED:
        return _WHY_REMOVED
    known = reason in Reason.__members__.values()
    return _WHY_GONE.get(Reason(reason), _GONE) if known else reason
