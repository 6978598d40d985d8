"""Reading a post: is it addressed to us, and is it an ask or a command?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import regex

from guardrails.documents import Did, Mention
from guardrails.text import clean, clip, folded

MENTION_FEATURE = "app.bsky.richtext.facet#mention"
_HANDLE_FIRST = regex.compile(r"^@[\w.-]+")
# What separates a mention from its sentence; a dot or a dash before a letter or a digit is part of the ask.
_LEAD = regex.compile(r"^(?:[\s,:;!?…]|[.–—-]+(?=[\s,:;!?…]|$))+")
_TRAIL = regex.compile(r"[\s,:;–—-]+$")
_AROUND_COMMANDS = " ,:;.!?-–—…\"'“”‘’()"


class CommandWord(StrEnum):
    """A word that is a command when it is the whole post."""

    HELP = "help"
    STATUS = "status"
    CANCEL = "cancel"
    RETRY = "retry"
    DELETE = "delete"
    FORGET_ME = "forget me"
    REMEMBER_ME = "remember me"


class NoRequest(StrEnum):
    """Why a record is not addressed to us."""

    NOT_A_POST = "not_a_post"
    NOT_MENTIONED = "not_mentioned"


@dataclass(frozen=True)
class Request:
    """An ask: the text without our mention, cleaned; empty when nothing is left."""

    ask: str


@dataclass(frozen=True)
class Command:
    """A command: the whole cleaned text is one of the words."""

    word: CommandWord


@dataclass(frozen=True)
class NotARequest:
    """Not for us."""

    reason: NoRequest


class Brief(NamedTuple):
    """What a lane is given to build: the ask, and whether it was cut."""

    ask: str
    was_cut: bool


_COMMANDS = {word.value: word for word in CommandWord} | {"stop": CommandWord.CANCEL}


_THANKS = regex.compile(r"(?:many )?(?:thanks|thank you|thx|ty|danke|gracias|merci|obrigad[oa]|ありがとう)\W*", regex.I)
_CREDIT = regex.compile(r"(?:built|made|created) (?:with|by) $|\bvia $", regex.I)
_CHANGE = regex.compile(r"(?:make it|can you add|now with|bigger|smaller)\b.*", regex.I)
_ELSEWHERE = regex.compile(r"(?:please )?(?:build|make) (?:this|it|that)(?: please)?\W*|this(?: please)?\W*|", regex.I)


def read_post(record: Mapping[str, Any], our_did: Did, *, mentioned: bool = True) -> Request | Command | NotARequest:
    """Read a record of app.bsky.feed.post; never raises, whatever the record holds.

    It is ours when a mention facet names our DID, wherever the facet points; a handle in the text counts for nothing.
    Where the post need not mention us (`mentioned` is False), it is read without a facet, too.
    """
    text = record.get("text")
    if not isinstance(text, str) or record.get("$type", "app.bsky.feed.post") != "app.bsky.feed.post":
        return NotARequest(NoRequest.NOT_A_POST)
    ours = [facet for facet in _dicts(record.get("facets")) if our_did in _mentioned(facet)]
    if mentioned and not ours:
        return NotARequest(NoRequest.NOT_MENTIONED)
    left = clean(_without(text, ours) if ours else text)
    word = _COMMANDS.get(left.strip(_AROUND_COMMANDS).casefold())
    return Command(word) if word else Request(str(_TRAIL.sub("", _LEAD.sub("", left))))


def brief(mention: Mention, max_graphemes: int) -> Brief:
    """The ask as a lane is given it, cut where it is too long."""
    ask = clip(mention.ask, max_graphemes, 10 * max_graphemes)
    return Brief(ask, ask != mention.ask)


def is_thanks(ask: str) -> bool:
    """Whether it thanks us, and says nothing else."""
    return _THANKS.fullmatch(folded(ask)) is not None


def is_a_credit(record: Mapping[str, Any], our_did: Did) -> bool:
    """Whether our mention only says who made something, or stands in a list of people."""
    text = str(record.get("text", ""))
    raw = text.encode("utf-8", "surrogatepass")
    ours = [facet for facet in _dicts(record.get("facets")) if our_did in _mentioned(facet)]
    ranges = [span for facet in ours if (span := _range(facet, raw)) is not None]
    return any(_CREDIT.search(folded(raw[:start].decode("utf-8", "surrogatepass")) + " ") for start, _ in ranges)


def is_a_revision(ask: str) -> bool:
    """Whether it wants a change of something that is there already."""
    return _CHANGE.fullmatch(folded(ask)) is not None


def points_elsewhere(ask: str) -> bool:
    """Whether it says so little that what is to be built stands in the post that it replies to, or quotes."""
    return _ELSEWHERE.fullmatch(folded(ask)) is not None


def _dicts(value: object) -> Iterable[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _mentioned(facet: Mapping[str, Any]) -> set[object]:
    return {
        feature.get("did")
        for feature in _dicts(facet.get("features"))
        if feature.get("$type") == MENTION_FEATURE and isinstance(feature.get("did"), str)
    }


def _without(text: str, facets: Iterable[Mapping[str, Any]]) -> str:
    """The text with the facets' byte ranges taken out; a leading handle instead, where no range fits the text."""
    raw = text.encode("utf-8", "surrogatepass")
    ranges = sorted({r for r in (_range(facet, raw) for facet in facets) if r is not None})
    if not ranges:
        return str(_HANDLE_FIRST.sub("", text.strip()))
    left, end = b"", 0
    for start, stop in ranges:
        left += raw[end:start] + b" "
        end = max(end, stop)
    return (left + raw[end:]).decode("utf-8", "surrogatepass")


def _range(facet: Mapping[str, Any], raw: bytes) -> tuple[int, int] | None:
    """A facet's byte range, when it lies within the text and on character boundaries."""
    index = facet.get("index")
    start, stop = (index.get("byteStart"), index.get("byteEnd")) if isinstance(index, Mapping) else (None, None)
    if type(start) is not int or type(stop) is not int or not 0 <= start < stop <= len(raw):
        return None
    inside = all(at == len(raw) or raw[at] & 0xC0 != 0x80 for at in (start, stop))
    return (start, stop) if inside else None
