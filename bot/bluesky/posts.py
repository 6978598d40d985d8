"""Other people's posts: as they are now, and the link that names one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from bot.bluesky.cid import is_cid
from bot.bluesky.errors import CallFailed, Failure, NotAPost
from bot.bluesky.identity import is_handle
from bot.bluesky.session import Account
from guardrails.documents import POST_COLLECTION, AtUri, Did, is_did, split_at_uri

_PROFILE_POST = re.compile(r"/profile/(?P<who>[^/]+)/post/(?P<rkey>[A-Za-z0-9._:~-]{1,512})/?")
_POST_URI = re.compile(rf"at://(?P<who>[^/]+)/{re.escape(POST_COLLECTION)}/(?P<rkey>[A-Za-z0-9._:~-]{{1,512}})")


@dataclass(frozen=True)
class PostView:
    """A post as the AppView shows it to us now; `viewer` and labels are in `raw`."""

    uri: AtUri
    cid: str
    author_did: Did
    author_handle: str
    reply_disabled: bool
    record: dict[str, Any] = field(repr=False)
    raw: dict[str, Any] = field(repr=False)


class NamedPost(NamedTuple):
    """A post by its author, a DID or a handle in small letters, and its record key."""

    who: str
    rkey: str


def get_post(account: Account, uri: AtUri) -> PostView | None:
    """The post, or None when it is not shown to us: deleted, blocked either way, taken down, or not indexed yet.

    Raises NotAPost for anything but the at-uri of a record with a DID, CallFailed when the AppView cannot be asked.
    """
    try:
        split_at_uri(uri)
    except ValueError as problem:
        raise NotAPost(str(problem)) from None
    answer = account.query("app.bsky.feed.getPosts", {"uris": [uri]})
    posts = answer.get("posts")
    if not isinstance(posts, list):
        raise CallFailed(Failure.NOT_SENT, "the answer about a post cannot be read")
    for post in posts:
        view = view_from(post)
        if view.uri == uri:
            return view
    return None


def get_posts(account: Account, uris: Sequence[AtUri]) -> dict[AtUri, PostView]:
    """Those of at most 25 posts that are shown to us; one that cannot be read counts as absent. Raises CallFailed."""
    posts = account.query("app.bsky.feed.getPosts", {"uris": list(uris)}).get("posts")
    if not isinstance(posts, list):
        raise CallFailed(Failure.NOT_SENT, "the answer about posts cannot be read")
    return {view.uri: view for view in _readable(posts)}


def view_from(post: object) -> PostView:
    """A post out of an answer of the AppView; CallFailed when it cannot be read."""
    match post:
        case {
            "uri": str(uri),
            "cid": str(cid),
            "author": {"did": str(did), "handle": str(handle)},
            "record": dict(record),
            **rest,
        } if isinstance(post, dict) and is_cid(cid) and is_did(did):
            return PostView(AtUri(uri), cid, Did(did), handle, _reply_disabled(rest), record, post)
    raise CallFailed(Failure.NOT_SENT, "the answer about a post cannot be read")


def named_post(text: str) -> NamedPost | None:
    """The post that an at-uri or a web address names, asked of nobody; None for anything else."""
    text = text.strip()
    named = _POST_URI.fullmatch(text) or _web_address(text)
    if named is None:
        return None
    who = unquote(named["who"])
    return NamedPost(who if is_did(who) else who.removeprefix("@").lower(), named["rkey"])


def resolve_link(account: Account, text: str) -> AtUri:
    """The at-uri, with a DID, of the post that an at-uri or a web address names; NotAPost for anything else."""
    named = named_post(text)
    if named is None:
        raise NotAPost("not the link of a post: expected at://… or https://…/profile/NAME/post/KEY")
    return AtUri(f"at://{_did_of(account, named.who)}/{POST_COLLECTION}/{named.rkey}")


def _readable(posts: list[object]) -> Iterator[PostView]:
    for post in posts:
        try:
            yield view_from(post)
        except CallFailed:
            continue


def _web_address(text: str) -> re.Match[str] | None:
    try:
        address = urlsplit(text)
    except ValueError:
        return None
    return _PROFILE_POST.fullmatch(address.path) if address.scheme in {"http", "https"} and address.netloc else None


def _did_of(account: Account, who: str) -> Did:
    if is_did(who):
        return Did(who)
    if not is_handle(who):
        raise NotAPost("the link names neither a handle nor a DID")
    try:
        did = account.query("com.atproto.identity.resolveHandle", {"handle": who}).get("did")
    except CallFailed as failed:
        if failed.failure is Failure.REFUSED:
            raise NotAPost(f"nobody is called {who}") from None
        raise
    if not isinstance(did, str) or not is_did(did):
        raise CallFailed(Failure.NOT_SENT, f"the PDS did not say who {who} is")
    return Did(did)


def _reply_disabled(post: Mapping[object, object]) -> bool:
    viewer = post.get("viewer")
    return isinstance(viewer, dict) and viewer.get("replyDisabled") is True
