"""Lists of people on Bluesky: who is on one, and how sure that is."""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import Account
from bot.bluesky.translate import Clock
from guardrails.documents import AtUri, Did
from guardrails.facts import Membership

# A list of more people than so many pages hold is never complete.
MOST_PAGES = 100
# How long a reading says who is on the list, and who is not: whoever was just put on it may ask at once.
ON_FOR = timedelta(minutes=10)
OFF_FOR = timedelta(minutes=1)
# Where it cannot be read any more, those who were on it still are, for so long.
STALE_FOR = timedelta(hours=24)
AGAIN_AFTER = timedelta(minutes=1)


@dataclass(frozen=True)
class ListRead:
    """Who was found on a list; not `complete` when a part of it could not be read."""

    members: frozenset[Did]
    complete: bool


def read_list(
    account: Account,
    uri: AtUri,
    over: Callable[[], bool] = lambda: False,
    *,
    limit: int = 100,
    pages: int = MOST_PAGES,
) -> ListRead:
    """Read a list page by page as far as it goes, or until it is `over`; nothing is raised."""
    members: set[Did] = set()
    cursor: str | None = None
    for _ in range(pages):
        if over():
            break
        try:
            found, whole, cursor = _page(account, uri, limit, cursor)
        except CallFailed:
            break
        members |= found
        if not whole:
            break
        if cursor is None:
            return ListRead(frozenset(members), True)
    return ListRead(frozenset(members), False)


class AllowList:
    """Who is on the list that the rules name, read anew when what is known is old; safe to use from several threads."""

    def __init__(self, now: Clock) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._uri: AtUri | None = None
        self._whole: _Kept | None = None
        self._part: _Kept | None = None

    def membership(
        self, account: Account, uri: str, dids: Iterable[Did], over: Callable[[], bool] = lambda: False
    ) -> Mapping[Did, Membership]:
        """Each one's place on the list; ON for everybody where the rules name none."""
        asked = tuple(dids)
        if not uri or not asked:
            return dict.fromkeys(asked, Membership.ON)
        with self._lock:
            if uri != self._uri:
                self._uri, self._whole, self._part = AtUri(uri), None, None
            if not all(self._is_sure(did) for did in asked):
                self._read(account, AtUri(uri), over)
            return {did: self._place(did) for did in asked}

    def _is_sure(self, did: Did) -> bool:
        """Whether a reading that names, or leaves out, this person is young enough."""
        whole = self._whole
        return whole is not None and self._age(whole) < (ON_FOR if did in whole.members else OFF_FOR)

    def _read(self, account: Account, uri: AtUri, over: Callable[[], bool]) -> None:
        if self._part is not None and self._age(self._part) < AGAIN_AFTER:
            return
        found = read_list(account, uri, over)
        kept = _Kept(found.members, self._now())
        if found.complete:
            self._whole, self._part = kept, None
        else:
            self._part = kept

    def _place(self, did: Did) -> Membership:
        if self._is_sure(did):
            return Membership.ON if self._whole is not None and did in self._whole.members else Membership.OFF
        known = [kept for kept in (self._whole, self._part) if kept is not None and self._age(kept) < STALE_FOR]
        return Membership.ON if any(did in kept.members for kept in known) else Membership.UNSURE

    def _age(self, kept: "_Kept") -> timedelta:
        return self._now() - kept.at


@dataclass(frozen=True)
class _Kept:
    members: frozenset[Did]
    at: datetime


def _page(account: Account, uri: AtUri, limit: int, cursor: str | None) -> tuple[set[Did], bool, str | None]:
    """The members on one page, whether all of them could be read, and where to go on."""
    params: dict[str, Any] = {"list": uri, "limit": limit}
    if cursor is not None:
        params["cursor"] = cursor
    answer = account.query("app.bsky.graph.getList", params)
    items, after = answer.get("items"), answer.get("cursor")
    if not isinstance(items, list) or not (after is None or isinstance(after, str)):
        raise CallFailed(Failure.NOT_SENT, "the page of a list cannot be read")
    members = [_member(item) for item in items]
    return {did for did in members if did is not None}, None not in members, after or None


def _member(item: object) -> Did | None:
    match item:
        case {"subject": {"did": str(did)}}:
            return Did(did)
    return None
