"""Whether a text asks for something: part by part, by how each begins, or ends where the verb stands last."""

from collections.abc import Iterator
from typing import NamedTuple

import regex

from guardrails.phrases import APPS, ASKS, ASKS_AT_END, CAN_YOU, NO_ASKS, NOUNS, POLITE, THERE, WONDERS
from guardrails.words import spaced

_LINK = regex.compile(r"\S*://\S+")
# A full stop ends a sentence before a space only: not in 2.5, nor in example.com.
_END = regex.compile(r"([!?\u2026\u3002\uff01\uff1f\n]+|\.+(?=\s|$)|[,;:()\u2013\u2014]|\s-+\s)")


class Part(NamedTuple):
    """A sentence, or what stands between commas in one, as `spaced` writes it."""

    words: str
    is_question: bool


def parts(text: str) -> tuple[Part, ...]:
    """The parts of a text in which there is a word, without links."""
    cut = [*_END.split(_LINK.sub(" ", text)), ""]
    said = ((spaced(piece), end) for piece, end in zip(cut[::2], cut[1::2], strict=True))
    return tuple(Part(words, "?" in end or "\uff1f" in end) for words, end in said if words)


def asks(part: Part) -> bool:
    """Whether a part begins as an ask does, whatever politeness goes before it, or asks whether we can do something."""
    if any(map(_begins_as_an_ask, POLITE.openings(part.words))):
        return True
    if ASKS_AT_END.before(min(POLITE.endings(part.words), key=len)) is not None:
        return True
    wished = _behind_can_you(part.words)
    return any(_begins_as_an_ask(rest) or (part.is_question and WONDERS.after(rest) is None) for rest in wished)


def ends_in_an_app(words: str) -> bool:
    """Whether it ends with an app of its own: with nothing right before it that says that it is the one there."""
    before = APPS.before(words)
    return before is not None and THERE.before(before) is None


def _begins_as_an_ask(words: str) -> bool:
    """A verb of making with something behind it that lets it be one: "code: ..." and "design by ..." name things."""
    wanted = ASKS.after(words)
    return wanted is not None and bool(wanted.strip()) and NOUNS.after(wanted) is None and NO_ASKS.after(words) is None


def _behind_can_you(words: str) -> Iterator[str]:
    """What is left behind each "can you", wherever it stands."""
    if not CAN_YOU.may_stand_in(words):
        return
    said = words.split()
    for at in range(len(said)):
        rest = CAN_YOU.after("".join(f" {word} " for word in said[at:]))
        if rest is not None:
            yield rest
