"""How the AppView shows accounts and posts to a viewer; a viewer of None is somebody who is not logged in."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bot.sandbox.state import (
    BLOCK,
    FOLLOW,
    LIKE,
    POST,
    PROFILE,
    REPOST,
    THREADGATE,
    State,
    StoredRecord,
    parent_of,
    root_of,
)
from bot.sandbox.times import claimed_time, iso

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def profile_basic(state: State, viewer: str | None, did: str) -> dict[str, Any]:
    """The author of a post."""
    account, profile = state.accounts[did], profile_record(state, did)
    view: dict[str, Any] = {"did": did, "handle": account.handle}
    if profile is not None and "displayName" in profile.value:
        view["displayName"] = profile.value["displayName"]
    view["associated"] = {"activitySubscription": {"allowSubscriptions": "followers"}}
    if viewer is not None:
        view["viewer"] = viewer_state(state, viewer, did)
    view["labels"] = account_labels(state, did)
    if profile is not None and "createdAt" in profile.value:
        view["createdAt"] = iso(claimed_time(profile.value["createdAt"]))
    return view


def profile_view(state: State, viewer: str | None, did: str) -> dict[str, Any]:
    """The author of a notification."""
    view, profile = profile_basic(state, viewer, did), profile_record(state, did)
    if profile is not None and profile.indexed_at is not None:
        if "description" in profile.value:
            view["description"] = profile.value["description"]
        view["indexedAt"] = iso(profile.indexed_at)
    return view


def profile_detailed(state: State, viewer: str | None, did: str) -> dict[str, Any]:
    """A profile with its counts."""
    view = profile_view(state, viewer, did)
    view["associated"] = {"lists": 0, "feedgens": 0, "starterPacks": 0, "labeler": False, **view["associated"]}
    followers = sum(1 for other in state.accounts.values() if other.active and state.link_to(other.did, FOLLOW, did))
    counts = {
        "followersCount": followers,
        "followsCount": sum(1 for _ in state.indexed(did, FOLLOW)),
        "postsCount": sum(1 for _ in state.indexed(did, POST)),
    }
    return {**view, **counts}


def viewer_state(state: State, viewer: str, did: str) -> dict[str, Any]:
    """What stands between the viewer and an account: mutes, blocks, follows."""
    view: dict[str, Any] = {
        "muted": did in state.accounts[viewer].mutes,
        "mutedOnlyReposts": False,
        "mutedOnlyQuoteposts": False,
        **block_state(state, viewer, did),
    }
    for key, link in (
        ("following", state.link_to(viewer, FOLLOW, did)),
        ("followedBy", state.link_to(did, FOLLOW, viewer)),
    ):
        if link is not None:
            view[key] = link.uri
    return view


def block_state(state: State, viewer: str, did: str) -> dict[str, Any]:
    """Who blocks whom, as a blocked post tells it."""
    from_viewer, from_other = state.link_to(viewer, BLOCK, did), state.link_to(did, BLOCK, viewer)
    view: dict[str, Any] = {"blockedBy": from_other is not None}
    if from_viewer is not None:
        view["blocking"] = from_viewer.uri
    return view


def account_labels(state: State, did: str) -> list[dict[str, Any]]:
    """The labels on an account: those of labelers, and those that its profile gives itself."""
    profile = profile_record(state, did)
    subjects = {did, f"at://{did}/{PROFILE}/self"}
    return _labels_on(state, subjects) + (_self_labels(profile) if profile is not None else [])


def post_labels(state: State, post: StoredRecord) -> list[dict[str, Any]]:
    """The labels on a post; those on its author are not repeated."""
    return _labels_on(state, {post.uri}) + _self_labels(post)


def post_view(state: State, viewer: str | None, post: StoredRecord) -> dict[str, Any]:
    """A post as getPosts and threads show it."""
    view: dict[str, Any] = {
        "uri": post.uri,
        "cid": post.cid,
        "author": profile_basic(state, viewer, post.did),
        "record": post.value,
    }
    embed = _embed_view(post)
    if embed is not None:
        view["embed"] = embed
    view |= {
        "bookmarkCount": 0,
        "replyCount": len(replies_to(state, post.uri)),
        "repostCount": _count_about(state, REPOST, post.uri),
        "likeCount": _count_about(state, LIKE, post.uri),
        "quoteCount": _quotes(state, post.uri),
        "indexedAt": iso(post.sort_at),
    }
    if viewer is not None:
        view["viewer"] = _post_viewer(state, viewer, post)
    view["labels"] = post_labels(state, post)
    gate = gate_of(state, post.uri) if parent_of(post.value) is None else None
    if gate is not None:
        view["threadgate"] = {"uri": gate.uri, "cid": gate.cid, "record": gate.value, "lists": []}
    return view


def replies_to(state: State, uri: str) -> list[StoredRecord]:
    """The posts shown under this one, oldest first: those of its thread that its gate let in."""
    above = state.find_record(uri)
    root = (root_of(above.value) if above is not None else None) or uri
    replies = [
        post
        for did in state.accounts
        for post in state.indexed(did, POST)
        if parent_of(post.value) == uri and root_of(post.value) == root
        if state.stands(post) and not post.breaks_gate
    ]
    return sorted(replies, key=lambda post: (post.sort_at, post.rkey))


def may_reply(state: State, did: str, root_uri: str) -> bool:
    """Whether the thread's gate lets this account answer; the thread's owner always may."""
    root, gate = state.find_record(root_uri), gate_of(state, root_uri)
    if gate is None or root is None or root.did == did or "allow" not in gate.value:
        return True
    return any(_rule_admits(state, rule, did, root) for rule in gate.value["allow"])


def gate_of(state: State, root_uri: str) -> StoredRecord | None:
    """The thread gate of a root post; only its own author can set one."""
    root = state.find_record(root_uri)
    gate = state.find_record(f"at://{root.did}/{THREADGATE}/{root.rkey}") if root is not None else None
    return gate if gate is not None and gate.valid and gate.indexed_at is not None else None


def mentioned(value: Mapping[str, Any]) -> set[str]:
    """The DIDs in a post's mention facets."""
    return {
        feature["did"]
        for facet in value.get("facets", [])
        for feature in facet["features"]
        if feature.get("$type") == "app.bsky.richtext.facet#mention"
    }


def quoted(value: Mapping[str, Any]) -> str | None:
    """The at-uri that a post embeds, alone or beside media."""
    match value.get("embed"):
        case {"$type": "app.bsky.embed.record", "record": {"uri": str(uri)}}:
            return uri
        case {"$type": "app.bsky.embed.recordWithMedia", "record": {"record": {"uri": str(uri)}}}:
            return uri
    return None


def profile_record(state: State, did: str) -> StoredRecord | None:
    """The account's profile, if it has one and the AppView knows it."""
    return next(state.indexed(did, PROFILE), None)


def _rule_admits(state: State, rule: Mapping[str, Any], did: str, root: StoredRecord) -> bool:
    match rule.get("$type"):
        case "app.bsky.feed.threadgate#mentionRule":
            return did in mentioned(root.value)
        case "app.bsky.feed.threadgate#followingRule":
            return state.link_to(root.did, FOLLOW, did) is not None
        case "app.bsky.feed.threadgate#followerRule":
            return state.link_to(did, FOLLOW, root.did) is not None
    return False


def _post_viewer(state: State, viewer: str, post: StoredRecord) -> dict[str, Any]:
    root = root_of(post.value) or post.uri
    view: dict[str, Any] = {"bookmarked": False, "threadMuted": root in state.accounts[viewer].muted_threads}
    if post.breaks_gate or gate_of(state, root) is not None:
        # Nobody may answer what the gate itself kept out.
        view["replyDisabled"] = post.breaks_gate or not may_reply(state, viewer, root)
    view["embeddingDisabled"] = False
    for key, collection in (("like", LIKE), ("repost", REPOST)):
        link = state.link_to(viewer, collection, post.uri)
        if link is not None:
            view[key] = link.uri
    return view


def _embed_view(post: StoredRecord) -> dict[str, Any] | None:
    match post.value.get("embed"):
        case {"$type": "app.bsky.embed.external", "external": external}:
            view = {key: external[key] for key in ("uri", "title", "description")}
            match external.get("thumb"):
                case {"ref": {"$link": cid}}:
                    view["thumb"] = f"https://bsky.public.url/img/feed_thumbnail/plain/{post.did}/{cid}"
            return {"external": view, "$type": "app.bsky.embed.external#view"}
    return None


def _labels_on(state: State, subjects: set[str]) -> list[dict[str, Any]]:
    return [
        {"src": label.src, "uri": label.uri, "val": label.val, "cts": iso(label.cts)}
        for label in state.labels
        if label.uri in subjects
    ]


def _self_labels(record: StoredRecord) -> list[dict[str, Any]]:
    claimed = record.value.get("createdAt")
    cts = iso(_EPOCH if claimed is None else claimed_time(claimed))
    values = record.value.get("labels", {}).get("values", [])
    return [{"src": record.did, "uri": record.uri, "cid": record.cid, "val": it["val"], "cts": cts} for it in values]


def _count_about(state: State, collection: str, uri: str) -> int:
    return sum(
        1
        for account in state.accounts.values()
        if account.active
        if state.link_to(account.did, collection, uri) is not None
    )


def _quotes(state: State, uri: str) -> int:
    return sum(1 for did in state.accounts for post in state.indexed(did, POST) if quoted(post.value) == uri)
