"""Flashcards: two sides each, from the ask or from a little deck."""

import re

from builder.generators.templates.decks import deck
from builder.generators.templates.page import Page
from guardrails.text import clip

STRONG = re.compile(
    r"\bflash[- ]?cards?\b(?!\s+(?:reader|game))|\b(?:vocab(?:ulary)?|study|learning|revision|index"
    r"|memory)[- ](?:flash)?cards?\b(?!\s+(?:reader|game|slot))"
    r"|\bvocab(?:ulary)?[- ](?:trainer|app|practice|drill)\b"
    r"|\bkarteikarten\b|\blernkarten\b|\bvokabel(?:trainer|karten|n lernen)\b"
    r"|\btarjetas (?:de (?:memoria|estudio|vocabulario|aprendizaje)|didácticas)\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(flash-?cards?|vocab(?:ulary)?|memori[sz]e|deck|vokabeln?|vocabulario)\b", re.IGNORECASE)
VETO = re.compile(r"\b(?:deck of cards|slide ?decks?|pitch deck|poker|sd card|memory card)\b", re.IGNORECASE)

MOST_CARDS = 60
LONGEST_SIDE = 120

_PAIR = re.compile(r"\s*(?:=>|=|→|->|:|\s[-–—]\s)\s*")
_SEPARATOR = re.compile(
    r"\s*[,;\n|]\s*(?:(?:and|und|y)\s+(?=[^=]+=))?|\s+(?:and|und|y)\s+(?=[^=,;\n]{1,80}=)", re.IGNORECASE
)
_POLITE = re.compile(r"(?<=[^\W_])[ ,]+(?:please|bitte|por favor)[.!]*\s*$", re.IGNORECASE)
_BEFORE = re.compile(r"^.{0,200}?:(?=[^:]{0,400}?(?:=|→|->|\s[-–—]\s|:))\s*", re.DOTALL)
_WITH = re.compile(
    r"^.{0,200}?\b(?:with|mit|con|for|für|para)\b\s+(?=[^=→]{1,60}(?:=|→|->))", re.DOTALL | re.IGNORECASE
)
_ANYTHING = re.compile(r"^.{0,200}?cards?\b\s*(?=[^=→]{1,60}(?:=|→|->))", re.DOTALL | re.IGNORECASE)
_SUBJECT_BEFORE = re.compile(r"\b([A-ZÄÖÜ][\w-]{2,20})\s+(?:vocab(?:ulary)?\s+)?(?:flash[- ]?)?cards?\b")
_SUBJECT_AFTER = re.compile(
    r"cards?\b[^:=.\n]{0,20}?\s(?:for|about|on|of|to (?:learn|study|practi[sc]e"
    r"|memori[sz]e))\s+(?:the\s+)?(?!me\b|us\b)([^:=.,!?\n]{2,40}?)"
    r"(?=\s+(?:with|please)\b|\s*(?:[:=.,!?\n]|$))",
    re.IGNORECASE,
)


def read(ask: str) -> Page:
    """The cards that an ask lists as `front = back`; else a little deck of its subject, else none yet."""
    subject = _subject(ask)
    listed = _cards(ask)
    known = deck(ask)
    cards = listed or (known.cards if known else [])
    if not subject and known:
        subject = known.name
    told = "Add your own cards, turn" if not cards else f"{len(cards)} cards to begin with: turn"
    return Page(
        file="flashcards.html",
        title=f"Flashcards: {subject}" if subject else "Flashcards",
        description=f"{told} them over and repeat those that you missed.",
        settings={"cards": [list(card) for card in cards]},
    )


def _cards(ask: str) -> list[tuple[str, str]]:
    for lead in (_BEFORE, _WITH, _ANYTHING):
        rest = lead.sub("", ask, count=1)
        if rest != ask and (pairs := _pairs(rest)):
            return pairs
    return _pairs(ask.partition("\n")[2])


def _pairs(text: str) -> list[tuple[str, str]]:
    cards = []
    for piece in _SEPARATOR.split(_POLITE.sub("", text))[:MOST_CARDS]:
        front, *back = (side.strip(' \t.!"“”„*•') for side in _PAIR.split(piece, maxsplit=1))
        if front and back and back[0]:
            cards.append((clip(front, LONGEST_SIDE, 480), clip(back[0], LONGEST_SIDE, 480)))
    return cards


def _subject(ask: str) -> str:
    found = _SUBJECT_BEFORE.search(ask)
    if found and found[1].lower() not in (
        "make",
        "build",
        "create",
        "the",
        "some",
        "study",
        "learning",
        "vocabulary",
        "vocab",
    ):
        return found[1]
    found = _SUBJECT_AFTER.search(ask)
    return clip(found[1][:1].upper() + found[1][1:], 40, 160) if found else ""
