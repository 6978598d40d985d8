"""The same ask posted again: deleted and posted anew, or with small edits."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

import regex

from guardrails.documents import AtUri, DocId
from guardrails.facts import Earlier, Facts
from guardrails.request import pointed_at
from guardrails.rules import Rules
from guardrails.said import PASS, Said, skip
from guardrails.text import folded
from guardrails.transitions import Reason, Status

_PIECE = 3
# What a sentence is set with.
_SIGNS = regex.compile(r"[.,;:!?\u2026'\"()\u2018-\u201f]")
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
    """The share of three-letter pieces that two texts have in common, 0 to 1 (Jaccard index), without looks and signs.

    Numbers are compared whole: "25/5" and "50/10" are two asks, however alike the rest is.
    """
    left, right = _bare(one), _bare(other)
    if left == right:
        return 1.0
    if _numbers(left) != _numbers(right):
        return 0.0
    pieces, others = _pieces(left), _pieces(right)
    return len(pieces & others) / len(pieces | others) if pieces and others else 0.0


def _bare(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", folded(text)).split())


def _pieces(text: str) -> set[str]:
    padded = f"  {text} "
    return {padded[at : at + _PIECE] for at in range(len(padded) - _PIECE + 1)}


def _numbers(text: str) -> list[str]:
    return "".join(sign if sign.isdigit() else " " for sign in text).split()
