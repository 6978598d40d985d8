"""Tells thanks, praise, applause and a hello from an ask; what may be thanks as well as an ask is never built."""

from collections.abc import Sequence

import regex

from guardrails.asking import Part, asks, ends_in_an_app, parts
from guardrails.phrases import (
    A_THING,
    ABOUT_IT,
    APPS,
    AROUND_THANKS,
    CAN_YOU,
    DEVICES,
    FOR,
    GLAD,
    GLAD_AT_END,
    GREETINGS,
    HOW_MUCH,
    PLEASE,
    POLITE,
    THANKED_AT_END,
    THANKING,
    THANKS,
    WISHES,
)
from guardrails.pointing import OTHERS, points_elsewhere
from guardrails.words import spaced

# What is longer says something.
_LONGEST_HELLO = 60
_PICTURE = regex.compile(r"[\p{Extended_Pictographic}\p{Regional_Indicator}]")


def is_thanks(ask: str) -> bool:
    """Whether it thanks or praises, and says nothing else; or thanks for something, and no part of it asks."""
    said = OTHERS.sub("", ask)
    words = spaced(said)
    return _is_nothing_but_thanks(words) or (_thanks_for_something(words) and not _is_anything_asked(parts(said)))


def is_praise(ask: str) -> bool:
    """Whether what is said right under an answer of ours praises it in any part, and asks in none."""
    said = parts(OTHERS.sub("", ask))
    return any(map(praises, said)) and not _is_anything_asked(said)


def is_a_reaction(ask: str) -> bool:
    """Whether there is nothing in it but a hello, a nod, or pictures that clap, laugh or weep."""
    said = OTHERS.sub("", ask)
    words = spaced(said)
    if not words:
        return _PICTURE.search(said) is not None and not points_elsewhere(ask)
    if len(words) > _LONGEST_HELLO or PLEASE.find(words) is not None or CAN_YOU.find(words) is not None:
        return False
    return not POLITE.without(GREETINGS.without(words)).strip()


def praises(part: Part) -> bool:
    """Whether a part of what is said under an answer of ours is about that, and kind."""
    words = part.words
    if _is_nothing_but_thanks(words) or _thanks_for_something(words) or _ends_kindly(words):
        return True
    before, glad, behind = _cut_at_the_first_kind_word(words)
    if not glad:
        return False
    is_about_it = ABOUT_IT.find(before) is not None or ABOUT_IT.after(behind) is not None
    return is_about_it or GLAD.after(behind) is not None or _is_nothing_but_praise(words)


def _is_nothing_but_thanks(words: str) -> bool:
    left = THANKS.without(words)
    return left != words and not AROUND_THANKS.without(left).strip()


def _thanks_for_something(words: str) -> bool:
    if THANKED_AT_END.before(words) is not None:
        return True
    thanked = (THANKING.after(left) for left in POLITE.openings(words))
    return any(FOR.after(left) is not None for rest in thanked if rest is not None for left in HOW_MUCH.openings(rest))


def _is_anything_asked(said: Sequence[Part]) -> bool:
    return any(asks(part) or _is_wished_for(part.words) or _names_a_thing(part.words) for part in said)


def _is_wished_for(words: str) -> bool:
    return PLEASE.before(words) is not None or WISHES.find(words) is not None


def _names_a_thing(words: str) -> bool:
    if _is_nothing_but_praise(words) or _ends_kindly(words) or _thanks_for_something(words):
        return False
    if any((thing := A_THING.after(left)) is not None and thing.strip() for left in POLITE.openings(words)):
        return True
    return ends_in_an_app(words) and ABOUT_IT.find(words) is None


def _is_nothing_but_praise(words: str) -> bool:
    left = THANKS.without(GLAD.without(words))
    if left == words:
        return False
    for beside in (AROUND_THANKS, A_THING, APPS, DEVICES):
        left = beside.without(left)
    return not left.strip()


def _ends_kindly(words: str) -> bool:
    return GLAD.before(words) is not None or GLAD_AT_END.before(min(AROUND_THANKS.endings(words), key=len)) is not None


def _cut_at_the_first_kind_word(words: str) -> tuple[str, bool, str]:
    if not GLAD.may_stand_in(words):
        return words, False, ""
    said = words.split()
    for at in range(len(said)):
        behind = GLAD.after("".join(f" {word} " for word in said[at:]))
        if behind is not None:
            return "".join(f" {word} " for word in said[:at]), True, behind
    return words, False, ""
