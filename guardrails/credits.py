"""Tells a credit from an ask: a mention may only say who made something, or stand in a list of people."""

from collections.abc import Mapping
from typing import Any

import regex

from guardrails.asking import asks, parts
from guardrails.documents import Did
from guardrails.facets import decoded, encoded, mentions
from guardrails.phrases import (
    BY,
    COPIED,
    CREDITS_AFTER,
    CREDITS_BEFORE,
    CREDITS_BEHIND,
    I_MADE,
    JOINING,
    MADE,
    PLEASE,
    WITH,
)
from guardrails.words import spaced

# So many people in a row are greeted, followed or thanked; nobody asks them all for an app.
_A_LIST = 5
_LINK = regex.compile(r"\S*://\S+")


def is_a_credit(record: Mapping[str, Any], our_did: Did) -> bool:
    """Whether each mention of us in a post's record is a credit, or one of a list; one that fits no text is neither."""
    pieces, ours = _cut(record, our_did)
    places = [place for place, is_ours in enumerate(ours) if is_ours]
    return bool(places) and all(_is_credited(pieces, place) or _is_listed(pieces, place) for place in places)


def _cut(record: Mapping[str, Any], our_did: Did) -> tuple[list[str], list[bool]]:
    """The text cut at its mentions, and which of those are ours; there is one piece more than there are mentions."""
    text = record.get("text")
    raw = encoded(text) if isinstance(text, str) else b""
    pieces, ours, end = [], [], 0
    for span, dids in sorted((each.span, sorted(each.dids)) for each in mentions(record, raw) if each.span is not None):
        pieces.append(decoded(raw[end : span.start]))
        ours.append(our_did in dids)
        end = max(end, span.end)
    return [*pieces, decoded(raw[end:])], ours


def _is_credited(pieces: list[str], place: int) -> bool:
    """By what stands right before our mention, or right behind it; what may as well be an ask is none."""
    before, after = " ".join(pieces[: place + 1]), " ".join(pieces[place + 1 :])
    leading, following = min(JOINING.endings(spaced(before)), key=len), spaced(_LINK.sub("", after))
    said = _says_who_made_it(leading, following) or _may_say_who_made_it(leading, following, "?" in before + after)
    return said and not _is_asked(before, after) and PLEASE.find(spaced(after)) is None


def _says_who_made_it(leading: str, following: str) -> bool:
    maker = WITH.before(leading)
    with_us = maker is not None and (
        MADE.find(maker) is not None or (not maker.strip() and I_MADE.after(following) is not None)
    )
    return with_us or CREDITS_BEFORE.before(leading) is not None or CREDITS_AFTER.after(following) is not None


def _may_say_who_made_it(leading: str, following: str, is_question: bool) -> bool:
    """By words that say so only where nothing beside them can be an ask."""
    copied = COPIED.before(leading)
    if copied is not None:
        return not copied.strip() and not following.strip()
    if is_question or PLEASE.find(leading) is not None:
        return False
    behind, made = CREDITS_BEHIND.before(leading), BY.before(leading)
    if behind is not None:
        return bool(behind.strip()) or not following.strip()
    return made is not None and bool(made.strip())


def _is_listed(pieces: list[str], place: int) -> bool:
    """By how many are mentioned side by side with us, with nothing but commas and the like between them."""
    first = last = place
    while first > 0 and _joins(pieces[first]):
        first -= 1
    while last + 2 < len(pieces) and _joins(pieces[last + 1]):
        last += 1
    many = last - first + 1 >= _A_LIST
    return many and not _is_asked(" ".join(pieces[: first + 1]), " ".join(pieces[last + 1 :]))


def _joins(between: str) -> bool:
    return not JOINING.without(spaced(between)).strip()


def _is_asked(before: str, after: str) -> bool:
    """Whether any part of what leads up to a mention, or of what follows it, asks for something."""
    return any(asks(part) for text in (before, after) for part in parts(text))
