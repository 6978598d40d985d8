"""The same ask posted again: deleted and posted anew, or with small edits."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache

import regex

from guardrails.documents import AtUri, DocId
from guardrails.facts import Earlier, Facts
from guardrails.phrases import POLITE
from guardrails.pointing import pointed_at
from guardrails.rules import Rules
from guardrails.said import PASS, Said, skip
from guardrails.text import folded
from guardrails.transitions import Reason, Status
from guardrails.words import listed, spaced

# What a sentence is set with.
_SIGNS = regex.compile(r"[.,;:!?\u2026'\"()\u2018-\u201f]")
# Where words are not set apart, each run of one script is one.
_UNSPACED = regex.compile(r"[\p{Han}\p{Katakana}\p{Hiragana}]")
_WORD = regex.compile(r"\p{Han}+|[\p{Katakana}ー]+|\p{Hiragana}+|[^\s\p{Han}\p{Katakana}\p{Hiragana}]+")
_HYPHENS = regex.compile(r"[-\u2010\u2011_]")
# Ask for nothing, wherever they stand.
_SMALL = frozenset(
    listed("""
    en: a, an, the, me, please, pls, plz
    de: ein, eine, einen, mir, bitte
    es, pt: un, una, um, uma
    fr: un, une, moi, stp
    ja: を
""")
)
_NUMBERS = {
    spaced(word).strip(): str(number)
    for number, words in {
        0: "zero, null, cero, zéro",
        2: "two, zwei, dos, deux, dois, duas",
        3: "three, drei, tres, trois, três",
        4: "four, vier, cuatro, quatre, quatro",
        5: "five, fünf, cinco, cinq",
        6: "six, sechs, seis",
        7: "seven, sieben, siete, sept, sete",
        8: "eight, acht, ocho, huit, oito",
        9: "nine, neun, nueve, neuf, nove",
        10: "ten, zehn, diez, dix, dez",
        11: "eleven, elf, onze",
        12: "twelve, zwölf, doce, douze, doze",
        20: "twenty, zwanzig, veinte, vingt, vinte",
        30: "thirty, dreißig, treinta, trente, trinta",
        50: "fifty, fünfzig, cincuenta, cinquante, cinquenta",
        100: "hundred, hundert, cien, cent, cem",
    }.items()
    for word in words.split(", ")
}
# In a shorter word, or at its beginning, one other letter may make another word: cats and bats, plan and plane.
_LONG = 6
# What stands, or was answered: a second ask joins it. Any other end leaves the asker free to ask anew.
STANDS = frozenset(
    {
        Status.RECEIVED,
        Status.AWAITING_APPROVAL,
        Status.PENDING_BUILD,
        Status.BUILDING,
        Status.BUILT,
        Status.REPLIED,
    }
)


def is_it_the_same_ask(facts: Facts, rules: Rules, now: datetime) -> Said:
    """An earlier ask of the same author that still stands, or was answered, and says the same; its id is the detail."""
    same = same_ask(facts, rules, now)
    return skip(Reason.SAME_ASK, same.id) if same is not None else PASS


def same_ask(facts: Facts, rules: Rules, now: datetime) -> Earlier | None:
    """The oldest ask that this one repeats, None when there is none; "build this" repeats one about the same post."""
    since = now - timedelta(hours=rules.ask.same_hours)
    about = pointed_at(facts.mention.ask, facts.mention.record)
    for earlier in sorted(facts.earlier, key=lambda each: each.at):
        fits = earlier.status in STANDS and earlier.at >= since and earlier.about == about
        if fits and similarity(earlier.ask, facts.mention.ask) >= rules.ask.same_similarity:
            return earlier
    return None


def joined_id(detail: str) -> DocId:
    """The document that a verdict of `is_it_the_same_ask` names."""
    return DocId(detail)


def ask_digest(ask: str, about: Sequence[AtUri]) -> str | None:
    """By which an ask is known again, whoever makes it: its words without looks and signs, and the posts it points at.

    None where nothing is left of either. The words cannot be had back from it.
    """
    said = _bare(ask)
    if not said and not about:
        return None
    return hashlib.sha256("\n".join((said, *about)).encode("utf-8", "surrogatepass")).hexdigest()


def similarity(one: str, other: str) -> float:
    """The share of letters that two asks have in common, 0 to 1: each misspelling takes one letter off.

    They are compared word by word, without looks and signs, politeness at both ends and small words such as "a". One
    letter too many, too few, wrong or swapped is a misspelling in a word of six or more that keeps its first; so is a
    word written in two. Where any word has no counterpart in its place, it is another ask: 0. A number has none but
    itself, in figures or as a word.
    """
    left, right = _words(one), _words(other)
    if left == right:
        return 1.0 if left or _bare(one) == _bare(other) else 0.0
    misspelt = _misspellings(left, right)
    letters = max(sum(map(len, left)), sum(map(len, right)))
    return 0.0 if misspelt is None else max(0.0, 1 - misspelt / letters)


def _bare(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", folded(text)).split())


# Each ask of an author is compared with the same few.
@lru_cache(maxsize=256)
def _words(text: str) -> tuple[str, ...]:
    """What an ask is compared by."""
    spelled = "".join([f" {word} " for word in _HYPHENS.sub(" ", _bare(text)).split()])
    begun = min(POLITE.openings(spelled), key=len)
    said = min(POLITE.endings(begun), key=len)
    wanted = said if said.strip() else spelled
    found = wanted.split() if wanted.isascii() or not _UNSPACED.search(wanted) else _WORD.findall(wanted)
    return tuple([_NUMBERS.get(word, word) for word in found if word not in _SMALL])


def _misspellings(one: Sequence[str], other: Sequence[str]) -> int | None:
    """By how many misspellings two rows of words differ, None when by more than that."""
    left, right, many = [*one], [*other], 0
    while left and right:
        if left[-1] == right[-1]:
            taken = 1, 1
        elif "".join(left[-2:]) == right[-1] and right[-1].isalpha():
            taken, many = (2, 1), many + 1
        elif left[-1] == "".join(right[-2:]) and left[-1].isalpha():
            taken, many = (1, 2), many + 1
        elif _is_misspelt(left[-1], right[-1]):
            taken, many = (1, 1), many + 1
        else:
            return None
        del left[-taken[0] :], right[-taken[1] :]
    return None if left or right else many


def _is_misspelt(one: str, other: str) -> bool:
    """Whether two long words with the same first letter are one, but for a letter."""
    short, long = sorted((one, other), key=len)
    if len(long) < _LONG or one[0] != other[0] or not (one.isalpha() and other.isalpha()):
        return False
    at = next((at for at, (mine, theirs) in enumerate(zip(short, long, strict=False)) if mine != theirs), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return swapped or short[at + 1 :] == long[at + 1 :]
