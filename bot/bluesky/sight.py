"""What became of somebody's post, as the AppView shows it to us: seen, gone, blocked, its author away, or unclear."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.labels import calls_itself_bot, labels_in
from bot.bluesky.patience import Patience
from bot.bluesky.posts import PostView, get_posts
from bot.bluesky.session import Account
from guardrails.documents import AtUri, split_at_uri
from guardrails.facts import Label

# https://atproto.com/lexicons/app-bsky-feed#appbskyfeedgetposts
BATCH = 25

_NOT_FOUND = "the post is not found"
_AWAY = {"AccountTakedown", "AccountDeactivated", "AccountSuspended"}


class Seen(StrEnum):
    """How a post looks from our account."""

    VISIBLE = "visible"

    GONE = "gone"
    """Not found while its author is there: deleted, taken down by itself or not indexed yet; one look cannot tell."""

    BLOCKED_BY_AUTHOR = "blocked-by-author"
    BLOCKED_BY_US = "blocked-by-us"

    AUTHOR_AWAY = "author-away"
    """Its author's account is deactivated, taken down or deleted."""

    UNCLEAR = "unclear"
    """It could not be asked, or the answers do not fit together: nothing follows from it."""


class Closed(StrEnum):
    """Why our reply in a thread would not be seen, or would not be welcome."""

    GATED = "gated"
    """The AppView would hide our reply: the thread's gate keeps us out, or it kept the post itself out."""

    ROOT_GONE = "root-gone"
    ROOT_AUTHOR_AWAY = "root-author-away"
    ROOT_AUTHOR_BLOCKS_US = "root-author-blocks-us"
    ROOT_AUTHOR_BLOCKED = "root-author-blocked"


@dataclass(frozen=True)
class Sight:
    """One look at a post; `cid`, `record` and `reply_disabled` are those of a visible one, `detail` is for people."""

    kind: Seen
    cid: str | None = None
    reply_disabled: bool = False
    record: dict[str, Any] | None = field(default=None, repr=False)
    author_handle: str | None = None
    detail: str = ""
    by_bot: bool = False
    """Its author says in the profile to be a bot."""
    labels: tuple[Label, ...] = ()
    """On the post; those on its author are the author's."""
    retry_at: datetime | None = None
    """When the server wants to be asked again, where it is unclear and that was told."""

    @property
    def root(self) -> AtUri | None:
        """The root that the post itself names, which is what the AppView goes by; None when it begins a thread."""
        match self.record:
            case {"reply": {"root": {"uri": str(uri)}}}:
                return AtUri(uri)
        return None


@dataclass(frozen=True)
class ThreadSight:
    """A look at a post and at the root of its thread; `root` is None where the post is the root or is not visible."""

    post: Sight
    root: Sight | None = None

    @property
    def clear(self) -> bool:
        """Whether both could be looked at."""
        return Seen.UNCLEAR not in {self.post.kind, self.root.kind if self.root else None}

    @property
    def closed(self) -> Closed | None:
        """Why nothing should be said under a post that is visible; None when it may, or when the root is unclear.

        A root that is gone is a rule of ours: the AppView would still show the reply under the post.
        """
        if self.post.reply_disabled:
            return Closed.GATED
        return _CLOSED_BY_ROOT.get(self.root.kind) if self.root else None


_CLOSED_BY_ROOT = {
    Seen.GONE: Closed.ROOT_GONE,
    Seen.AUTHOR_AWAY: Closed.ROOT_AUTHOR_AWAY,
    Seen.BLOCKED_BY_AUTHOR: Closed.ROOT_AUTHOR_BLOCKS_US,
    Seen.BLOCKED_BY_US: Closed.ROOT_AUTHOR_BLOCKED,
}


def look_at(account: Account, uris: Sequence[AtUri], over: Callable[[], bool] = lambda: False) -> dict[AtUri, Sight]:
    """One look at each of any number of posts; whatever fails is UNCLEAR, nothing is raised.

    Once it is `over` nothing more is asked, and what was not asked is UNCLEAR.
    """
    sights: dict[AtUri, Sight] = {}
    for uri in dict.fromkeys(uris):
        try:
            split_at_uri(uri)
        except ValueError as problem:
            sights[uri] = _unclear(str(problem))
    asked = [uri for uri in dict.fromkeys(uris) if uri not in sights]
    look = _Look(account, over)
    for start in range(0, len(asked), BATCH):
        sights |= look.at(asked[start : start + BATCH])
    return {uri: sights[uri] for uri in uris}


def look_at_threads(
    account: Account, uris: Sequence[AtUri], over: Callable[[], bool] = lambda: False
) -> dict[AtUri, ThreadSight]:
    """The same with the root of each post's thread, all roots looked at together; nothing is raised."""
    posts = look_at(account, uris, over)
    roots = look_at(account, [post.root for post in posts.values() if post.root is not None], over)
    return {uri: ThreadSight(post, roots[post.root] if post.root else None) for uri, post in posts.items()}


def which_are_visible(account: Account, uris: Sequence[AtUri]) -> set[AtUri] | None:
    """Which of at most BATCH replies of ours can be opened by everybody; None when it cannot be told.

    By their addresses alone: in a thread our PDS shows us our own post before anybody else sees it. A reply that a gate
    hides is visible in this sense; `out_of_place` tells.
    """
    try:
        return get_posts(account, uris).keys() & set(uris)
    except CallFailed:
        return None


def out_of_place(account: Account, post: AtUri, reply: AtUri, patience: Patience) -> str | None:
    """Why our reply to a post is not found in its thread, "" when it is; None when it cannot be told.

    To be asked once everybody can open the reply: before, our PDS shows it to us where it belongs. Nothing is asked
    once the patience is over.
    """
    if patience.is_over:
        return None
    try:
        answer = account.query("app.bsky.feed.getPostThread", {"uri": post, "depth": 1, "parentHeight": 1})
    except CallFailed as failed:
        patience.note(failed)
        return _NOT_FOUND if failed.failure is Failure.REFUSED else None
    match answer.get("thread"):
        case {"notFound": True}:
            return _NOT_FOUND
        case {"blocked": True}:
            return "a block stands before the post"
        case {"post": {"record": dict(record)}, **thread}:
            if reply not in _uris_of(thread.get("replies")):
                return "it is not shown below the post"
            is_above = "parent" in thread or "reply" not in record
            return "" if is_above else "the post names another root than the post above it does"
    return None


class _Look:
    """One round of questions, broken off when the server wants to hear no more of them or does not answer."""

    def __init__(self, account: Account, over: Callable[[], bool]) -> None:
        self._account = account
        self._patience = Patience(over)
        self._unasked: Sight | None = None

    def at(self, uris: Sequence[AtUri]) -> dict[AtUri, Sight]:
        """A batch of posts; those that are absent are asked about one by one."""
        ended = self._ended()
        if ended:
            return dict.fromkeys(uris, ended)
        try:
            views = get_posts(self._account, uris)
        except CallFailed as failed:
            if failed.failure is Failure.REFUSED and len(uris) > 1:
                # One that the server cannot read must not hide the others.
                return {uri: sight for uri in uris for sight in self.at([uri]).values()}
            return dict.fromkeys(uris, self._failed(failed))
        return {uri: _visible(views[uri]) if uri in views else self._absent(uri) for uri in uris}

    def _absent(self, uri: AtUri) -> Sight:
        ended = self._ended()
        if ended:
            return ended
        try:
            return _from_thread(self._account, uri) or _from_author(self._account, uri)
        except CallFailed as failed:
            return self._failed(failed)

    def _failed(self, failed: CallFailed) -> Sight:
        self._patience.note(failed)
        sight = _unclear(str(failed), failed.retry_at)
        if self._patience.is_over:
            self._unasked = sight
        return sight

    def _ended(self) -> Sight | None:
        """What is said of everything that is not asked about any more, None while there is time and an answer."""
        if self._unasked is None and self._patience.is_over:
            self._unasked = _unclear("no time was left to look")
        return self._unasked


def _uris_of(nodes: object) -> set[str]:
    uris = set()
    for node in nodes if isinstance(nodes, list) else []:
        match node:
            case {"post": {"uri": str(uri)}}:
                uris.add(uri)
    return uris


def _visible(view: PostView) -> Sight:
    return Sight(
        Seen.VISIBLE,
        view.cid,
        view.reply_disabled,
        view.record,
        view.author_handle,
        by_bot=calls_itself_bot(view.author_did, labels_in(view.raw.get("author"))),
        labels=labels_in(view.raw),
    )


def _from_thread(account: Account, uri: AtUri) -> Sight | None:
    """Who blocks whom; None when the post is not found."""
    params = {"uri": uri, "depth": 0, "parentHeight": 0}
    try:
        answer = account.query("app.bsky.feed.getPostThread", params)
    except CallFailed as failed:
        if failed.failure is Failure.REFUSED and failed.error == "NotFound":
            return None
        raise
    match answer.get("thread"):
        case {"notFound": True}:
            return None
        case {"blocked": True, "author": {"viewer": dict(viewer)}}:
            return _blocked(viewer) or _unclear("blocked, and it is not said by whom")
    return _unclear("absent by its address, present in its thread")


def _from_author(account: Account, uri: AtUri) -> Sight:
    """Why a post is not found: a block that may hide it and an author who is away come before its being gone."""
    try:
        profile = account.query("app.bsky.actor.getProfile", {"actor": split_at_uri(uri).did})
    except CallFailed as failed:
        if failed.failure is Failure.REFUSED and (failed.error in _AWAY or failed.message == "Profile not found"):
            return Sight(Seen.AUTHOR_AWAY, detail=f"{failed.error}: {failed.message}")
        raise
    match profile:
        case {"did": str(did), "handle": str(handle)} if did == split_at_uri(uri).did:
            viewer = profile.get("viewer")
            sight = (_blocked(viewer) if isinstance(viewer, dict) else None) or Sight(Seen.GONE, detail="not found")
            return replace(sight, author_handle=handle)
    return _unclear("the answer about the author cannot be read")


def _blocked(viewer: dict[str, Any]) -> Sight | None:
    """A block of theirs counts before ours: lifting ours would not help."""
    if viewer.get("blockedBy") is True:
        return Sight(Seen.BLOCKED_BY_AUTHOR, detail="the author blocks us")
    if viewer.get("blocking") or viewer.get("blockingByList"):
        return Sight(Seen.BLOCKED_BY_US, detail="we block the author")
    return None


def _unclear(detail: str, retry_at: datetime | None = None) -> Sight:
    return Sight(Seen.UNCLEAR, detail=detail, retry_at=retry_at)
