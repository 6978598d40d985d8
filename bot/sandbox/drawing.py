"""Posts as the pages draw them: names, the text in pieces, the card, and the lines between answers."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from bot.sandbox.facets import pieces
from bot.sandbox.state import POST, State
from bot.sandbox.times import claimed_time
from bot.sandbox.views import post_view
from guardrails.documents import split_at_uri

_MOST_POSTS = 50


@dataclass(frozen=True)
class Card:
    """A link card; `href` is empty when the link is not one for the web."""

    href: str
    host: str
    title: str
    description: str
    image: str | None


@dataclass(frozen=True)
class Drawn:
    """One post, or in `gap` why there is none; lines lead to the post above and to the one below."""

    gap: str = ""
    name: str = ""
    handle: str = ""
    initial: str = ""
    hue: int = 0
    profile: str = ""
    link: str = ""
    age: str = ""
    moment: str = ""
    text: tuple[tuple[str, str], ...] = ()
    card: Card | None = None
    counts: tuple[tuple[str, int], ...] = ()
    labels: tuple[str, ...] = ()
    focus: bool = False
    line_above: bool = False
    line_below: bool = False


def draw_thread(thread: Mapping[str, Any], now: datetime) -> list[Drawn]:
    """The posts of a thread from the top: its parents, the post itself, and the answers, branch after branch."""
    above: list[Drawn] = []
    node = thread.get("parent")
    while node is not None:
        above.insert(0, replace(_draw_node(node, now), line_below=True, line_above="parent" in node))
        node = node.get("parent")
    focus = replace(_draw_node(thread, now), focus=True, line_above=bool(above))
    answers = [drawn for reply in thread.get("replies", []) for drawn in _branch(reply, now, line_above=False)]
    return [*above, focus, *answers]


def draw_posts(state: State, dids: list[str]) -> list[Drawn]:
    """The newest posts of these accounts."""
    posts = [post for did in dids for post in state.indexed(did, POST) if state.stands(post)]
    posts.sort(key=lambda post: (post.sort_at, post.rkey), reverse=True)
    now = state.clock()
    return [_draw_post(post_view(state, None, post), now) for post in posts[:_MOST_POSTS]]


def _branch(node: Mapping[str, Any], now: datetime, *, line_above: bool) -> list[Drawn]:
    replies = node.get("replies", [])
    drawn = [replace(_draw_node(node, now), line_above=line_above, line_below=bool(replies))]
    for nth, reply in enumerate(replies):
        drawn += _branch(reply, now, line_above=nth == 0)
    return drawn


def _draw_node(node: Mapping[str, Any], now: datetime) -> Drawn:
    if node.get("notFound"):
        return Drawn(gap="Deleted post")
    if node.get("blocked"):
        return Drawn(gap="Blocked post")
    return _draw_post(node["post"], now)


def _draw_post(view: Mapping[str, Any], now: datetime) -> Drawn:
    author, record, did = view["author"], view["record"], view["author"]["did"]
    name = author.get("displayName") or author["handle"]
    written = claimed_time(view["indexedAt"])
    profile = f"/profile/{quote(author['handle'])}"
    found = pieces(record["text"], record.get("facets", []))
    labels = dict.fromkeys(label["val"] for label in (*author["labels"], *view["labels"]))
    return Drawn(
        name=name,
        handle=author["handle"],
        initial=name.strip()[:1].upper() or "?",
        hue=hashlib.sha256(did.encode()).digest()[0] % 12,
        profile=profile,
        link=f"{profile}/post/{split_at_uri(view['uri']).rkey}",
        age=_age(now - written),
        moment=f"{written:%H:%M} UTC · {written:%b} {written.day}, {written.year}",
        text=tuple((piece.text, _href(piece.feature)) for piece in found),
        card=_card(did, record.get("embed")),
        counts=tuple((key, view[f"{key}Count"]) for key in ("reply", "repost", "like")),
        labels=tuple(labels),
    )


def _href(feature: Mapping[str, Any] | None) -> str:
    match feature:
        case {"$type": "app.bsky.richtext.facet#link", "uri": str(uri)}:
            return _web_link(uri)
        case {"$type": "app.bsky.richtext.facet#mention", "did": str(did)}:
            return f"/profile/{quote(did)}"
    return ""


def _card(did: str, embed: object) -> Card | None:
    match embed:
        case {"$type": "app.bsky.embed.external", "external": external}:
            href = _web_link(external["uri"])
            image = None
            match external.get("thumb"):
                case {"ref": {"$link": str(cid)}}:
                    image = f"/sandbox/image/{quote(did)}/{quote(cid)}"
            host = urlsplit(href).netloc if href else ""
            return Card(href, host, external["title"], external["description"], image)
    return None


def _web_link(uri: str) -> str:
    """The link if it leads to the web, else nothing: a post may hold any scheme."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    return uri if parts.scheme.lower() in {"http", "https"} and parts.netloc else ""


def _age(age: timedelta) -> str:
    seconds = int(age.total_seconds())
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{max(0, seconds)}s" if seconds >= 5 else "now"
