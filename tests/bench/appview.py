"""What the AppView sends of many asks, as bytes in the sandbox's shapes, each of another person and in other words."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import product
from typing import Any

from bot.bluesky.session import Account
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.notifications import list_notifications
from bot.sandbox.state import POST
from bot.sandbox.times import iso
from bot.sandbox.views import post_view, profile_detailed
from guardrails.documents import Did, split_at_uri
from guardrails.tid import tid_at

PAGE = 100
_HANDLE, _WORDS = "author.test", "words of its own"
_THINGS = ("tip splitter", "pomodoro timer", "tide table", "metronome", "chess clock", "star map", "unit converter")
_MORE = ("in blue", "with sound", "for two", "for my cat", "that counts down", "with large letters", "for the kitchen")


class Wire(Account):
    """An account whose server has its answers ready: what is measured is our side, from the bytes on.

    It lists so many mentions, newest first; none is another one's whose numbers begin elsewhere.
    """

    def __init__(self, many: int, now: datetime, begin: int = 0) -> None:
        self.now = now
        network = SandboxNetwork(lambda: now)
        ours, author = network.create_account("wright.test"), network.create_account(_HANDLE, display_name="An author")
        post = network.say(_HANDLE, f"@wright.test make me a {_WORDS}")
        state, record = network.state, network.repos.get(*split_at_uri(post.uri))
        [item] = list_notifications(state, ours.did)["notifications"]
        shapes = (item, post_view(state, ours.did, record), profile_detailed(state, ours.did, author.did))
        marks = (post.uri, post.cid, author.did, _HANDLE, _WORDS, iso(now))
        self.did = Did(ours.did)
        self.items: list[bytes] = []
        self._posts: dict[str, bytes] = {}
        self._profiles: dict[str, bytes] = {}
        asks = list(product(_THINGS, _MORE))
        for number in range(begin, begin + many):
            thing, more = asks[number % len(asks)]
            at, did = now - timedelta(milliseconds=number), f"did:plc:{number:024}".replace("0", "a").replace("1", "b")
            uri = f"at://{did}/{POST}/{tid_at(at)}"
            told = (uri, f"{post.cid[:-6]}{number:06}", did, f"a{number}.test", f"{thing} {more} {number}", iso(at))
            filled = [_replaced(json.dumps(shape), marks, told) for shape in shapes]
            self.items.append(filled[0])
            self._posts[uri], self._profiles[did] = filled[1:]

    def query(self, nsid: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a question that reading or judging asks, read out of its bytes."""
        given = params or {}
        match nsid:
            case "app.bsky.notification.listNotifications":
                start = int(given.get("cursor", 0))
                after = start + PAGE
                cursor = b',"cursor":"%d"' % after if after < len(self.items) else b""
                return _answer(b"notifications", self.items[start:after], cursor)
            case "app.bsky.feed.getPosts":
                return _answer(b"posts", (self._posts[uri] for uri in given["uris"]))
            case "app.bsky.actor.getProfiles":
                return _answer(b"profiles", (self._profiles[did] for did in given["actors"]))
        raise AssertionError(f"nobody asks {nsid} here")

    def procedure(self, nsid: str, body: Mapping[str, Any], *, writes: bool) -> dict[str, Any]:
        """That all was seen is taken as said."""
        return {}


def _replaced(text: str, marks: Iterable[str], told: Iterable[str]) -> bytes:
    for mark, instead in zip(marks, told, strict=True):
        text = text.replace(mark, instead)
    return text.encode()


def _answer(name: bytes, parts: Iterable[bytes], more: bytes = b"") -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(b'{"%b":[%b]%b}' % (name, b",".join(parts), more))
    return answer
