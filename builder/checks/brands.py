"""Finds pages that could be taken for somebody else's, made to get at what only they should be told."""

from collections.abc import Iterable, Iterator
from typing import Final

from builder.checks.markup import Markup
from guardrails import unfit
from guardrails.moderation import judge_app, read_by
from guardrails.rules import Rules
from guardrails.said import Outcome
from guardrails.words import Terms, listed

_BRANDS: Final = Terms(unfit.BRANDS)
_FALSE_FRIENDS: Final = Terms(unfit.FALSE_FRIENDS)
_GOING_ON: Final = Terms((*unfit.LOGINS, *listed("en: continue with, verify, confirm identity, unlock, pay now")))
_RULES: Final = Rules()
_LONGEST_READ: Final = 100_000


def brand_problems(markup: Markup, said_by_scripts: Iterable[str]) -> Iterator[str]:
    """By the words of the page and of its scripts, as the bot judges them when the app is reported."""
    spoken = (each for each in said_by_scripts if " " in each.strip())
    named = (each.get(name) for each in markup.elements for name in ("placeholder", "alt", "aria-label", "value"))
    text = " ".join("\n".join((*markup.texts, *named, *spoken))[:_LONGEST_READ].split())
    judged = judge_app(markup.title, "", text, _RULES)
    if judged.outcome is Outcome.SKIP:
        yield f"not to be shown: {judged.detail}"
    brand = _headline_brand(markup)
    asks = any(
        each.tag == "input" and each.get("type").lower() in ("", "text", "email", "tel") for each in markup.elements
    )
    if brand and asks and any(_GOING_ON.find(reading) for reading in read_by(text, _RULES)):
        yield f"it looks like a login of {brand}"


def _headline_brand(markup: Markup) -> str | None:
    pictures = (each.get("alt") for each in markup.elements if each.tag == "img")
    for headline in (markup.title, *markup.headings, *pictures):
        for reading in read_by(headline[:1000], _RULES):
            if brand := _BRANDS.find(_FALSE_FRIENDS.without(reading)):
                return brand
    return None
