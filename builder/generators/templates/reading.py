"""Reading parameters from an ask: numbers in figures and words, and lists of things."""

import re
from collections.abc import Iterable

from guardrails.text import clean, clip

LONGEST_ASK = 3000

_WORDS = {
    1: "one ein eine einen uno una un",
    2: "two zwei dos",
    3: "three drei tres",
    4: "four vier cuatro",
    5: "five fünf cinco",
    6: "six sechs seis",
    7: "seven sieben siete",
    8: "eight acht ocho",
    9: "nine neun nueve",
    10: "ten zehn diez",
    11: "eleven elf once",
    12: "twelve zwölf doce",
    15: "fifteen fünfzehn quince",
    20: "twenty zwanzig veinte",
    25: "twenty-five fünfundzwanzig veinticinco",
    30: "thirty dreißig treinta",
    45: "forty-five fünfundvierzig",
    50: "fifty fünfzig cincuenta",
    60: "sixty sechzig sesenta",
}
_NUMBERS = {word: number for number, words in _WORDS.items() for word in words.split()}
NUMBER = rf"(?:[0-9]{{1,6}}(?:[.,][0-9]{{1,2}})?|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"

_AND = r"(?:and|und|y|e|et|&)"
_OR = r"(?:or|oder|ou|vs\.?|versus)"
_SEPARATOR = re.compile(rf"\s*[,;\n•|]\s*(?:(?:{_AND}|{_OR}|o)\s+)?|\s+{_OR}\s+", re.IGNORECASE)
_HAS_OR = re.compile(rf"\s{_OR}\s", re.IGNORECASE)
_LAST_AND = re.compile(rf"\s+{_AND}\s+", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*–—]|\d{1,2}[.)])\s+")
_POLITE = re.compile(r"[\s,]*\b(?:please|pls|plz|thanks|thank you|thx|bitte|danke|por favor|gracias)\b[\s.!]*$", re.I)
_EDGES = " \t.!?¿¡…\"'“”„‘’«»"


def tidy(text: str) -> str:
    """An ask cut to a sensible length, hidden characters gone, one blank between words; line ends stay."""
    lines = (clean(line) for line in text[:LONGEST_ASK].splitlines())
    return "\n".join(line for line in lines if line)


def number(text: str) -> float:
    """The value of what NUMBER matched."""
    known = _NUMBERS.get(text.lower())
    return float(text.replace(",", ".")) if known is None else float(known)


def whole(text: str, least: int, most: int) -> int:
    """The value of what NUMBER matched as a whole number, brought into a range."""
    return int(min(max(round(number(text)), least), most))


def things(text: str, most: int, longest: int) -> list[str]:
    """The things that a text lists ("a, b and c", "a or b", one a line), each once, at most so many and so long."""
    pieces = [_BULLET.sub("", piece) for piece in _SEPARATOR.split(_POLITE.sub("", text))]
    if pieces and not _HAS_OR.search(text):
        pieces[-1:] = _LAST_AND.split(pieces[-1])
    return _distinct((clip(piece.strip(_EDGES), longest, 4 * longest) for piece in pieces), most)


def listed(words: list[str], joined_by: str = "and") -> str:
    """The words as a sentence lists them: "a, b and c"."""
    return f" {joined_by} ".join(part for part in (", ".join(words[:-1]), words[-1]) if part) if words else ""


def _distinct(pieces: Iterable[str], most: int) -> list[str]:
    seen: dict[str, str] = {}
    for piece in pieces:
        if piece:
            seen.setdefault(piece.casefold(), piece)
    return list(seen.values())[:most]
