"""Reading a post: is it addressed to us, and is it an ask or a command?"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import regex

from guardrails.documents import Did, Mention
from guardrails.facets import encoded, mentions, without
from guardrails.phrases import PLEASE
from guardrails.text import clean, clip
from guardrails.words import spaced

_HANDLE_FIRST = regex.compile(r"^@[\w.-]+")
# What separates a mention from its sentence; a dot or a dash before a letter or a digit is part of the ask.
_LEAD = regex.compile(r"^(?:[\s,:;!?…]|[.–—-]+(?=[\s,:;!?…]|$))+")
_TRAIL = regex.compile(r"[\s,:;–—-]+$")


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
    """A command: the whole cleaned text is one of the words, but for looks, signs and a please."""

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
# A cluster may be of any size: what a lane is given stays within this many bytes for each.
_BYTES_PER_GRAPHEME = 32


def read_post(record: Mapping[str, Any], our_did: Did, *, mentioned: bool = True) -> Request | Command | NotARequest:
    """Read a record of app.bsky.feed.post; never raises, whatever the record holds.

    It is ours when a mention facet names our DID, wherever the facet points; a handle in the text counts for nothing.
    Where the post need not mention us (`mentioned` is False), it is read without a facet, too.
    """
    text = record.get("text")
    if not isinstance(text, str) or record.get("$type", "app.bsky.feed.post") != "app.bsky.feed.post":
        return NotARequest(NoRequest.NOT_A_POST)
    raw = encoded(text)
    ours = [each for each in mentions(record, raw) if our_did in each.dids]
    if mentioned and not ours:
        return NotARequest(NoRequest.NOT_MENTIONED)
    spans = [each.span for each in ours if each.span is not None]
    # Where no facet of ours fits the text, the handle that it begins with is taken for our mention.
    left = clean(without(raw, spans) if spans or not ours else _HANDLE_FIRST.sub("", text.strip()))
    word = _command_in(left)
    return Command(word) if word else Request(str(_TRAIL.sub("", _LEAD.sub("", left))))


def _command_in(text: str) -> CommandWord | None:
    words = spaced(text)
    bare = (left for begun in PLEASE.openings(words) for left in PLEASE.endings(begun))
    return next((word for left in bare if (word := _COMMANDS.get(" ".join(left.split())))), None)


def brief(mention: Mention, max_graphemes: int) -> Brief:
    """The ask as a lane is given it, cut where it is too long."""
    ask = clip(mention.ask, max_graphemes, _BYTES_PER_GRAPHEME * max_graphemes)
    return Brief(ask, ask != mention.ask)
