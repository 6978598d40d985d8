"""Who mentioned us: pages of notifications, read item by item."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.bluesky.cid import is_cid
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.posts import PostView
from bot.bluesky.session import Account
from guardrails.documents import POST_COLLECTION, AtUri, Did, is_did, split_at_uri

# What may be a request; the record of such a notification has to be a post.
POST_REASONS = frozenset({"mention", "reply", "quote"})

_TIME = re.compile(r"[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_MILLISECOND = timedelta(milliseconds=1)
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Notification:
    """One notification; `indexed_at` may lie far in the past, since authors choose it."""

    uri: AtUri
    cid: str
    author_did: Did
    author_handle: str
    reason: str
    indexed_at: datetime
    record: dict[str, Any] = field(repr=False)
    raw: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Unreadable:
    """An item that could not be read, kept as it came."""

    raw: object = field(repr=False)
    problem: str


@dataclass(frozen=True)
class Page:
    """A page, newest first; a page may be empty and still have a cursor."""

    items: tuple[Notification | Unreadable, ...]
    cursor: str | None


def list_page(account: Account, cursor: str | None = None, limit: int = 100) -> Page:
    """One page of notifications before the cursor, which is exclusive: see `later_cursor`; raises CallFailed."""
    params: dict[str, Any] = {"limit": limit, "priority": False}
    if cursor is not None:
        params["cursor"] = cursor
    answer = account.query("app.bsky.notification.listNotifications", params)
    items, after = answer.get("notifications"), answer.get("cursor")
    if not isinstance(items, list) or not (after is None or isinstance(after, str)):
        raise CallFailed(Failure.NOT_SENT, "the page of notifications cannot be read")
    return Page(tuple(_read(item) for item in items), after or None)


def read_view(view: PostView) -> Notification | Unreadable:
    """A post that mentions us as its notification would tell of it."""
    return _read({**view.raw, "reason": "mention"})


def later_cursor(cursor: str) -> str:
    """The cursor one millisecond later, so that items sharing its millisecond are seen; unchanged when it is no time.

    A whole page within one millisecond leads back to itself: a reader has to notice a cursor that does not move.
    """
    moment = _moment(cursor)
    if moment is None or moment == _FIRST or moment > _LAST - _MILLISECOND:
        return cursor
    return _iso(moment + _MILLISECOND)


def update_seen(account: Account, at: datetime) -> None:
    """Mark as seen for whoever opens the app; our own work never depends on it."""
    account.procedure("app.bsky.notification.updateSeen", {"seenAt": _iso(at)}, writes=False)


def _read(item: object) -> Notification | Unreadable:
    try:
        return _notification(item)
    except (ValueError, TypeError, KeyError) as problem:
        return Unreadable(item, _said(problem))


def _notification(item: object) -> Notification:
    if not isinstance(item, dict):
        raise TypeError("the item is not an object")
    author, record = _part(item, "author"), _part(item, "record")
    uri, reason = _text(item, "uri"), _text(item, "reason")
    split_at_uri(uri)
    cid, author_did = _text(item, "cid"), _text(author, "did")
    if not is_cid(cid):
        raise ValueError("cid is not a CID")
    if not is_did(author_did):
        raise ValueError("the author's did is not a DID")
    if reason in POST_REASONS and record.get("$type") != POST_COLLECTION:
        raise ValueError(f"a {reason} in a record of unknown type")
    indexed_at = _moment(_text(item, "indexedAt"))
    if indexed_at is None:
        raise ValueError("indexedAt is not a time")
    return Notification(
        uri=AtUri(uri),
        cid=cid,
        author_did=Did(author_did),
        author_handle=_text(author, "handle"),
        reason=reason,
        indexed_at=indexed_at,
        record=record,
        raw=item,
    )


def _part(item: dict[str, Any], key: str) -> dict[str, Any]:
    value = item[key]
    if not isinstance(value, dict):
        raise TypeError(f"{key} is not an object")
    return value


def _text(item: dict[str, Any], key: str) -> str:
    value = item[key]
    if not isinstance(value, str) or not value:
        raise TypeError(f"{key} is not a text")
    return value


def _said(problem: Exception) -> str:
    return f"{problem.args[0]} is missing" if isinstance(problem, KeyError) else str(problem)


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _moment(text: str) -> datetime | None:
    """The time in a text; years that a datetime cannot hold become its first or last moment."""
    if not _TIME.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        first = text.startswith(("-", "0000"))
        if first or text.startswith("+"):
            return _FIRST if first else _LAST
        return None
