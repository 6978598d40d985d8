"""What the bot says, as a post can carry it: its text, its facets by UTF-8 byte offsets, its card."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from bot.texts import Note, words
from guardrails.caps import Cap
from guardrails.documents import Built
from guardrails.text import clean, clip, graphemes, utf8_len

# https://atproto.com/lexicons/app-bsky-feed#appbskyfeedpost
MAX_GRAPHEMES = 300
MAX_BYTES = 3000
_CARD_TITLE = 100
_CARD_DESCRIPTION = 200
_REASON = 200
_REASON_BYTES = 1600
_SHOWN_PATH = 18


@dataclass(frozen=True)
class Speech:
    """A text, its facets by UTF-8 byte offsets, its language, and a link card where there is one."""

    text: str
    facets: tuple[dict[str, Any], ...]
    langs: tuple[str, ...]
    embed: dict[str, Any] | None = None


def built_reply(built: Built, lang: str = "en", thumb: Mapping[str, Any] | None = None) -> Speech:
    """The answer to an ask: what was built and a link to it, shown short and leading to the whole address.

    The link is never cut; ValueError when it does not fit into a post even so.
    """
    ready, shown, title = words(lang).ready, shown_link(built.address), clean(built.title)
    frame = ready.format(title="")
    room = MAX_GRAPHEMES - graphemes(frame + shown)
    space = MAX_BYTES - utf8_len(frame + shown)
    if room < 1 or space < utf8_len("…"):
        raise ValueError("the link alone does not fit into a post")
    start = ready.format(title=clip(title, room, space)) if title else words(lang).untitled
    return Speech(start + shown, (_link(start, shown, built.address),), (lang,), _card(built, thumb))


def note(kind: Note, lang: str = "en", *, reason: str = "", address: str = "") -> Speech:
    """One short, kind line; the reason is cut where it is too long, the address shown short and linked."""
    return _line(words(lang).notes[kind], lang, address, {"reason": as_reason(reason)})


def as_reason(text: str) -> str:
    """As much of what a lane gives as its reason as is said, whatever stands before it; cut nowhere else."""
    return clip(clean(text), _REASON, _REASON_BYTES)


def capped(cap: Cap, until: datetime, lang: str = "en", *, goes_on: bool, address: str = "") -> Speech:
    """Which cap is full and when it begins anew; whether the ask waits for that, or has to be asked again."""
    kind = Note.GOES_ON_AT if goes_on else Note.ASK_AFTER
    hour = f"{until.astimezone(UTC):%H:%M} UTC"
    return _line(words(lang).notes[kind], lang, address, {"cap": words(lang).caps[cap], "hour": hour})


def shown_link(address: str) -> str:
    """An address as it stands in a text: its own host and the beginning of its path, nothing that it is not."""
    parts = urlsplit(address)
    path = parts.path.rstrip("/")
    return parts.netloc + (path if len(path) <= _SHOWN_PATH else path[:_SHOWN_PATH] + "…")


def _line(sentence: str, lang: str, address: str, facts: Mapping[str, str]) -> Speech:
    """A sentence with its facts, and the address where it wants one, else at its end if there is one."""
    before, wanted, after = sentence.partition("{link}")
    start = before.format(**facts)
    if not wanted and not address:
        return Speech(clip(start, MAX_GRAPHEMES, MAX_BYTES), (), (lang,))
    shown = shown_link(address)
    room, space = MAX_GRAPHEMES - graphemes(shown) - 1, MAX_BYTES - utf8_len(shown) - 1
    start = start if wanted else f"{clip(start, room, space)} "
    return Speech(start + shown + after, (_link(start, shown, address),), (lang,))


def _link(before: str, shown: str, address: str) -> dict[str, Any]:
    start = utf8_len(before)
    return {
        "index": {"byteStart": start, "byteEnd": start + utf8_len(shown)},
        "features": [{"$type": "app.bsky.richtext.facet#link", "uri": address}],
    }


def _card(built: Built, thumb: Mapping[str, Any] | None) -> dict[str, Any]:
    external: dict[str, Any] = {
        "uri": built.address,
        "title": clip(clean(built.title), _CARD_TITLE, MAX_BYTES),
        "description": clip(clean(built.description), _CARD_DESCRIPTION, MAX_BYTES),
    }
    return {
        "$type": "app.bsky.embed.external",
        "external": external | ({"thumb": dict(thumb)} if thumb is not None else {}),
    }
