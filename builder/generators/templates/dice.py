"""Dice: so many, of so many sides, with something added."""

import re

from builder.generators.templates.page import Page
from builder.generators.templates.reading import NUMBER, whole

STRONG = re.compile(
    r"\b[1-9]\d?[dw](?:[2-9]|\d{2,4})\b|\b(?:dice|die|d\d{1,3})[- ](?:roll(?:er|ing|s)?|simulator|thrower|app"
    r"|tool|page)\b"
    rf"|\b(?:roll|throw)(?:s|ing)?\s+(?:(?:the|some|my|{NUMBER})\s+)*(?:virtual\s+|\d+[- ]sided\s+"
    rf"|[a-z]+-sided\s+)?(?:dice|die|d\d{{1,3}})\b"
    r"|\b(?:virtual|digital|online|\d+[- ]sided|twenty-sided|six-sided)\s+(?:dice|die)\b"
    r"|\b(?:some|a pair of|two|three|four|five|six|pair of)\s+dice\b(?!\s+(?:game|poker|tray|bag|set))"
    r"|^(?:\S+\s+){0,3}dice$"
    r"|\bwürfel(?:n|app|-app|\b(?!-?spiel))|\b(?:lanzar|tirar|lanzador de|tirador de)\s+(?:\w+\s+)?dados\b"
    r"|\b\w+\s+dados\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(dice|roll(?:s|er|ing)?|die|d(?:4|6|8|10|12|20|100))\b", re.IGNORECASE)
VETO = re.compile(
    r"\b(?:diced?\s+(?:up\s+)?(?:the\s+|some\s+)?(?:onion|tomato|carrot|vegetable|potato)\w*|(?:onion|tomato"
    r"|potato)\w*"
    r"|recipe|yahtzee|sushi|bread|sausage|spring|egg)\b",
    re.IGNORECASE,
)

MOST_DICE = 20
MOST_SIDES = 1000

_NOTATION = re.compile(r"\b([1-9]\d?)?\s?[dw]([2-9]|\d{2,4})\b(?:\s?([+-])\s?(\d{1,3})\b)?", re.IGNORECASE)
_SIDES = re.compile(rf"\b({NUMBER}|twenty|six)[- ](?:sided|seitig\w*|sides|faces|caras)\b", re.IGNORECASE)
_COUNT = re.compile(rf"\b({NUMBER})\s+(?:\S+[- ]sided\s+|normal\s+|virtual\s+)?(?:dice|dados|würfel)", re.IGNORECASE)
_PAIR = re.compile(r"\bpair of dice\b", re.IGNORECASE)


def read(ask: str) -> Page:
    """The dice that an ask names, two with six sides where it names none."""
    dice = [_die(found) for found in _NOTATION.finditer(ask)][:4] or [_in_words(ask)]
    added = sum(int(f"{found[3]}{found[4]}") for found in _NOTATION.finditer(ask) if found[3])
    sign = "+" if added > 0 else "\u2212"
    named = " + ".join(f"{count}d{sides}" for count, sides in dice) + (f" {sign} {abs(added)}" if added else "")
    least, most = sum(count for count, _ in dice) + added, sum(count * sides for count, sides in dice) + added
    return Page(
        file="dice.html",
        title=f"Dice roller {named}",
        description=f"Rolls from {least} to {most}; every side is as likely as any other.",
        settings={"dice": [{"count": count, "sides": sides} for count, sides in dice], "added": added},
    )


def _die(found: re.Match[str]) -> tuple[int, int]:
    return min(int(found[1] or 1), MOST_DICE), min(int(found[2]), MOST_SIDES)


def _in_words(ask: str) -> tuple[int, int]:
    sides = whole(found[1], 2, MOST_SIDES) if (found := _SIDES.search(ask)) else 6
    count = whole(found[1], 1, MOST_DICE) if (found := _COUNT.search(ask)) else 1 if _SIDES.search(ask) else 2
    return (2 if _PAIR.search(ask) else count), sides
