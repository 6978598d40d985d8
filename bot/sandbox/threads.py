"""Posts by their addresses, and the thread around one."""

from collections.abc import Iterable
from typing import Any

from bot.sandbox.errors import XrpcError, internal_error
from bot.sandbox.state import POST, State, StoredRecord, parent_of
from bot.sandbox.views import block_state, post_view, replies_to

_DEFS = "app.bsky.feed.defs"


def get_posts(state: State, viewer: str, uris: Iterable[str]) -> list[dict[str, Any]]:
    """The posts that the viewer may see, each once; the others are absent without a word."""
    views = []
    for uri in dict.fromkeys(uris):
        if not uri.startswith("at://did:"):
            raise internal_error(502)
        post = _standing_post(state, uri)
        if post is not None and not state.blocked_either_way(viewer, post.did):
            views.append(post_view(state, viewer, post))
    return views


def get_thread(
    state: State, viewer: str | None, uri: str, *, depth: int = 6, parent_height: int = 80
) -> dict[str, Any]:
    """The post with its parents up to the first gap and its replies down to `depth`; NotFound when it is gone."""
    post = _standing_post(state, uri)
    if post is None:
        raise XrpcError(400, "NotFound", f"Post not found: {uri}")
    if viewer is not None and state.blocked_either_way(viewer, post.did):
        return _blocked(state, viewer, post)
    node = _with_replies(state, viewer, post, depth)
    if parent_height > 0:
        node |= _parents(state, viewer, post, parent_height)
    return _closed(node)


def _parents(state: State, viewer: str | None, post: StoredRecord, height: int) -> dict[str, Any]:
    uri = parent_of(post.value)
    if uri is None:
        return {}
    parent = _standing_post(state, uri)
    if parent is None:
        return {"parent": {"uri": uri, "notFound": True, "$type": f"{_DEFS}#notFoundPost"}}
    if viewer is not None and state.blocked_either_way(viewer, parent.did):
        return {"parent": _blocked(state, viewer, parent)}
    node = {"post": post_view(state, viewer, parent)}
    if height > 1:
        node |= _parents(state, viewer, parent, height - 1)
    return {"parent": _closed(node)}


def _with_replies(state: State, viewer: str | None, post: StoredRecord, depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"post": post_view(state, viewer, post)}
    if depth > 0:
        node["replies"] = [
            _closed(_with_replies(state, viewer, reply, depth - 1))
            for reply in replies_to(state, post.uri)
            if viewer is None or not state.blocked_either_way(viewer, reply.did)
            if not state.blocked_either_way(post.did, reply.did)
        ]
    return node


def _closed(node: dict[str, Any]) -> dict[str, Any]:
    return {**node, "threadContext": {}, "$type": f"{_DEFS}#threadViewPost"}


def _standing_post(state: State, uri: str) -> StoredRecord | None:
    post = state.find_record(uri)
    return post if post is not None and f"/{POST}/" in post.uri and state.stands(post) else None


def _blocked(state: State, viewer: str, post: StoredRecord) -> dict[str, Any]:
    author = {"did": post.did, "viewer": block_state(state, viewer, post.did)}
    return {"uri": post.uri, "blocked": True, "author": author, "$type": f"{_DEFS}#blockedPost"}
