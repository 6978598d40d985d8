"""Reading a post: is it addressed to us, and is it an ask or a command?"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import regex

from guardrails.documents import Did
from guardrails.text import clean

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


_COMMANDS = {word.value: word for word in CommandWord} | {"stop": CommandWord.CANCEL}


def read_post(record: Mapping[str, Any], our_did: Did) -> Request | Command | NotARequest:
    """Read a record of app.bsky.feed.post; never raises, whatever the record holds.

    It is ours when a mention facet names our DID, wherever the facet points; a handle in the text counts for nothing.
    """
    text = record.get("text")
    if not isinstance(text, str) or record.get("$type", "app.bsky.feed.post") != "app.bsky.feed.post":
        return NotARequest(NoRequest.NOT_A_POST)
    ours = [facet for facet in _dicts(record.get("facets")) if our_did in _mentioned(facet)]
    if not ours:
        return NotARequest(NoRequest.NOT_MENTIONED)
    left = clean(_without(text, ours))
    word = _COMMANDS.get(left.strip(_AROUND_COMMANDS).casefold())
    return Command(word) if word else Request(str(_TRAIL.sub("", _LEAD.sub("", left))))


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
