"""Posts by their addresses, and the thread around one."""

from collections.abc import Iterable
from typing import Any

from bot.sandbox.errors import XrpcError, internal_error
from bot.sandbox.state import POST, State, StoredRecord, parent_of, root_of
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
    if _stand_apart(state, viewer, post.did):
        return _blocked(state, viewer, post.uri)
    if post.breaks_gate:
        return _closed({"post": post_view(state, viewer, post)})
    return _closed(_with_replies(state, viewer, post, depth) | _parent(state, viewer, post, parent_height))


def _parent(state: State, viewer: str | None, post: StoredRecord, height: int) -> dict[str, Any]:
    uri = parent_of(post.value)
    if uri is None or height < 1:
        return {}
    if _stand_apart(state, post.did, _author(uri)):
        return {"parent": _blocked(state, viewer, uri)}
    parent = _standing_post(state, uri)
    if parent is None:
        return {"parent": {"uri": uri, "notFound": True, "$type": f"{_DEFS}#notFoundPost"}}
    if (root_of(parent.value) or parent.uri) != root_of(post.value):
        return {}
    if _stand_apart(state, viewer, parent.did):
        return {"parent": _blocked(state, viewer, uri)}
    node = {"post": post_view(state, viewer, parent)}
    return {"parent": _closed(node | _parent(state, viewer, parent, height - 1))}


def _with_replies(state: State, viewer: str | None, post: StoredRecord, depth: int) -> dict[str, Any]:
    node: dict[str, Any] = {"post": post_view(state, viewer, post)}
    if depth > 0:
        node["replies"] = [
            _blocked(state, viewer, reply.uri)
            if _stand_apart(state, viewer, reply.did)
            else _closed(_with_replies(state, viewer, reply, depth - 1))
            for reply in replies_to(state, post.uri)
            if not _stand_apart(state, post.did, reply.did)
        ]
    return node


def _closed(node: dict[str, Any]) -> dict[str, Any]:
    return {**node, "threadContext": {}, "$type": f"{_DEFS}#threadViewPost"}


def _standing_post(state: State, uri: str) -> StoredRecord | None:
    post = state.find_record(uri)
    return post if post is not None and f"/{POST}/" in post.uri and state.stands(post) else None


def _stand_apart(state: State, one: str | None, other: str) -> bool:
    return one is not None and one in state.repos and other in state.repos and state.blocked_either_way(one, other)


def _author(uri: str) -> str:
    return uri.removeprefix("at://").partition("/")[0]


def _blocked(state: State, viewer: str | None, uri: str) -> dict[str, Any]:
    author: dict[str, Any] = {"did": _author(uri)}
    if viewer is not None:
        author["viewer"] = block_state(state, viewer, _author(uri))
    return {"uri": uri, "blocked": True, "author": author, "$type": f"{_DEFS}#blockedPost"}
