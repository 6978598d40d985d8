"""The notifications of an account, derived from what others wrote: undone things vanish by themselves."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from bot.sandbox.errors import internal_error
from bot.sandbox.state import FOLLOW, LABELER, LIKE, POST, REPOST, State, StoredRecord, root_of, subject_of
from bot.sandbox.times import claimed_time, iso, to_millisecond
from bot.sandbox.views import mentioned, post_labels, profile_view, quoted
from guardrails.documents import split_at_uri

_YEAR = re.compile(r"\d{4}-")
_MOST_FILLS = 10


class Notice(NamedTuple):
    """One thing that somebody did to the account, and where it stands in the list."""

    record: StoredRecord
    reason: str
    subject: str | None
    sort_at: datetime


def list_notifications(
    state: State,
    viewer: str,
    *,
    limit: int = 50,
    cursor: str | None = None,
    reasons: Iterable[str] = (),
    priority: bool = False,
) -> dict[str, Any]:
    """One page, newest first: cut, filtered, and filled up to half; it may be short and still have a cursor."""
    everything = [it for it in notices(state, viewer) if not priority or state.link_to(viewer, FOLLOW, it.record.did)]
    wanted, shown = set(reasons), list[Notice]()
    seen_at, before = state.accounts[viewer].seen_at, _cursor_time(cursor) if cursor else None
    for _ in range(_MOST_FILLS):
        page, before = _cut(everything, before, limit - len(shown))
        found = [notice for notice in page if not wanted or notice.reason in wanted]
        if seen_at is None and cursor is None and found:
            seen_at = found[0].sort_at
        shown += [notice for notice in found if _is_shown(state, viewer, notice)]
        if before is None or 2 * len(shown) >= limit:
            break
    answer: dict[str, Any] = {"notifications": [_item(state, viewer, notice, seen_at) for notice in shown]}
    if before is not None:
        answer["cursor"] = iso(before)
    answer["priority"] = priority
    if seen_at is not None:
        answer["seenAt"] = iso(seen_at)
    return answer


def unread_count(state: State, viewer: str) -> int:
    """How many are newer than the last look; those that the list hides are counted too, as the real server does."""
    seen_at = state.accounts[viewer].seen_at
    return sum(1 for notice in notices(state, viewer) if seen_at is None or notice.sort_at > seen_at)


def see(state: State, viewer: str, moment: datetime) -> None:
    """Move the last look forward; an older moment changes nothing."""
    account = state.accounts[viewer]
    account.seen_at = max(account.seen_at or moment, to_millisecond(moment))


def notices(state: State, viewer: str) -> list[Notice]:
    """Everything that happened to the account, hidden things included, newest first."""
    found = [
        Notice(record, reason, subject, record.sort_at)
        for did in state.accounts
        if did != viewer
        for record, reason, subject in _done_by(state, did, viewer)
    ]
    return sorted(found, key=lambda notice: (notice.sort_at, notice.record.rkey), reverse=True)


def _done_by(state: State, did: str, viewer: str) -> Iterator[tuple[StoredRecord, str, str | None]]:
    for post in state.indexed(did, POST):
        reason = _reason(state, post, viewer)
        if reason is not None:
            yield post, *reason
    for collection, name in ((LIKE, "like"), (REPOST, "repost")):
        firsts: dict[str | None, StoredRecord] = {}
        for record in state.indexed(did, collection):
            # A second like of the same post, under another key, counts for nothing.
            firsts.setdefault(subject_of(record.value), record)
        for subject, record in firsts.items():
            if subject is not None and _is_own(state, subject, viewer):
                yield record, name, subject
    follow = state.link_to(did, FOLLOW, viewer)
    if follow is not None:
        yield follow, "follow", None


def _reason(state: State, post: StoredRecord, viewer: str) -> tuple[str, str | None] | None:
    if viewer in mentioned(post.value):
        return "mention", None
    quote = quoted(post.value)
    if quote is not None and _is_own(state, quote, viewer):
        return "quote", quote
    if post.breaks_gate:
        return None
    own = next((uri for uri in post.ancestors if _is_own(state, uri, viewer)), None)
    return ("reply", own) if own is not None else None


def _cut(everything: list[Notice], before: datetime | None, limit: int) -> tuple[list[Notice], datetime | None]:
    """The next page, and where the one after it begins; None at the end."""
    older = [notice for notice in everything if before is None or notice.sort_at < before]
    page = older[:limit]
    return page, page[-1].sort_at if len(older) > limit else None


def _is_own(state: State, uri: str, viewer: str) -> bool:
    return uri.startswith(f"at://{viewer}/") and state.find_record(uri) is not None


def _is_shown(state: State, viewer: str, notice: Notice) -> bool:
    author = notice.record.did
    account = state.accounts[viewer]
    thread_muted = notice.reason == "reply" and root_of(notice.record.value) in account.muted_threads
    return (
        account.active
        and state.stands(notice.record)
        and not state.blocked_either_way(viewer, author)
        and author not in account.mutes
        and not thread_muted
        and (notice.reason == "repost" or _is_reviewed(state, viewer, notice.record))
    )


def _is_reviewed(state: State, viewer: str, record: StoredRecord) -> bool:
    """Whether no default labeler wants to look first; those whom the viewer follows are shown all the same."""
    subjects = {record.did, record.uri}
    waits = any(it.val == "needs-review" and it.src == LABELER and it.uri in subjects for it in state.labels)
    return not waits or state.link_to(viewer, FOLLOW, record.did) is not None


def _item(state: State, viewer: str, notice: Notice, seen_at: datetime | None) -> dict[str, Any]:
    record = notice.record
    item: dict[str, Any] = {
        "uri": record.uri,
        "cid": record.cid,
        "author": profile_view(state, viewer, record.did),
        "reason": notice.reason,
    }
    if notice.subject is not None:
        item["reasonSubject"] = notice.subject
    return item | {
        "record": record.value,
        "isRead": seen_at is None or seen_at > notice.sort_at,
        "indexedAt": iso(notice.sort_at),
        "labels": post_labels(state, record) if split_at_uri(record.uri).collection == POST else [],
    }


def _cursor_time(cursor: str) -> datetime:
    if not _YEAR.match(cursor):
        raise internal_error(502)
    return claimed_time(cursor)
