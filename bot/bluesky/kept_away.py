"""What our account keeps away from itself: people whom it mutes or blocks, and notifications that it does not want."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import Account

_PAGE = 100
EVERYBODY = "all"


@dataclass(frozen=True)
class Some:
    """How many there are; `more` says that there are more than were counted."""

    n: int
    more: bool = False

    def __str__(self) -> str:
        return f"{self.n} or more" if self.more else str(self.n)


@dataclass(frozen=True)
class KeptAway:
    """How many accounts and lists are muted, and how many accounts blocked. Raises CallFailed, as everything here."""

    muted: Some
    muted_lists: Some
    blocked: Some


def kept_away(account: Account) -> KeptAway:
    """Whom we do not hear, since somebody has set that in an app."""
    return KeptAway(
        muted=_some(account, "app.bsky.graph.getMutes", "mutes"),
        muted_lists=_some(account, "app.bsky.graph.getListMutes", "lists"),
        blocked=_some(account, "app.bsky.graph.getBlocks", "blocks"),
    )


def who_may_notify(account: Account, reasons: Iterable[str]) -> dict[str, str | None]:
    """Whose mentions, replies, … are notified by the account's settings: `all`, `follows`; None for nobody's."""
    preferences = account.query("app.bsky.notification.getPreferences").get("preferences")
    if not isinstance(preferences, dict):
        raise CallFailed(Failure.NOT_SENT, "the answer about notifications cannot be read")
    return {reason: _whose(preferences.get(reason)) for reason in reasons}


def _whose(wanted: object) -> str | None:
    match wanted:
        case {"list": False}:
            return None
        case {"include": str(include)}:
            return include
    return EVERYBODY


def _some(account: Account, nsid: str, key: str) -> Some:
    answer = account.query(nsid, {"limit": _PAGE})
    found = answer.get(key)
    if not isinstance(found, list):
        raise CallFailed(Failure.NOT_SENT, "the answer about who is kept away cannot be read")
    return Some(len(found), more=bool(answer.get("cursor")))
