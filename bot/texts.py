"""Every sentence that the bot can say in public."""

from dataclasses import dataclass
from typing import Any

from guardrails.documents import Built
from guardrails.text import clean, clip, graphemes, utf8_len

# https://atproto.com/lexicons/app-bsky-feed#appbskyfeedpost
MAX_GRAPHEMES = 300
MAX_BYTES = 3000
_CARD_TITLE = 100
_CARD_DESCRIPTION = 200


@dataclass(frozen=True)
class Speech:
    """A text, its facets by UTF-8 byte offsets, its languages, and a link card where there is one."""

    text: str
    facets: tuple[dict[str, Any], ...]
    langs: tuple[str, ...]
    embed: dict[str, Any] | None = None


def built_reply(built: Built) -> Speech:
    """The answer to an ask: what was built and where. The link is never cut; ValueError when it alone is too long."""
    before, after = "Here it is: ", ""
    title = clean(built.title)
    if title:
        before, after = "", " is ready: "
    room = MAX_GRAPHEMES - graphemes(before + after + built.address)
    space = MAX_BYTES - utf8_len(before + after + built.address)
    if room < 1 or space < utf8_len("…"):
        raise ValueError("the link alone does not fit into a post")
    start = before + (clip(title, room, space) + after if title else "")
    return Speech(start + built.address, (_link(start, built.address),), ("en",), _card(built))


def _link(before: str, address: str) -> dict[str, Any]:
    start = utf8_len(before)
    return {
        "index": {"byteStart": start, "byteEnd": start + utf8_len(address)},
        "features": [{"$type": "app.bsky.richtext.facet#link", "uri": address}],
    }


def _card(built: Built) -> dict[str, Any]:
    return {
        "$type": "app.bsky.embed.external",
        "external": {
            "uri": built.address,
            "title": clip(clean(built.title), _CARD_TITLE, MAX_BYTES),
            "description": clip(clean(built.description), _CARD_DESCRIPTION, MAX_BYTES),
        },
    }
