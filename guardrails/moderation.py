"""Is it fit to be built: by words and patterns, and by what a moderation service says."""

from datetime import datetime

from guardrails.facts import Facts
from guardrails.rules import Rules
from guardrails.said import PASS, Said, hold, skip, unknown
from guardrails.text import folded
from guardrails.transitions import Reason


def is_it_fit(facts: Facts, rules: Rules, now: datetime) -> Said:
    """By the words of the ask and of what it points at."""
    context = (part for each in facts.mention.context for part in (each.text, *each.alts, each.card))
    return _judged((facts.mention.ask, *context), rules)


def judge_app(title: str, description: str, visible_text: str, rules: Rules) -> Said:
    """The same rules for a built app, by what its visitors read."""
    return _judged((title, description, visible_text), rules)


def does_the_service_object(facts: Facts, rules: Rules, now: datetime) -> Said:
    """By the moderation service, where there is one; while it does not answer, nothing is decided."""
    if not rules.moderation.url:
        return PASS
    if facts.moderated is None:
        return unknown("the moderation service did not answer yet")
    flagged = facts.moderated.categories
    if not flagged:
        return PASS
    told = f"the moderation service flags {', '.join(flagged)}"
    if set(flagged) <= set(rules.moderation.hold):
        return hold(Reason.SUSPECT, told)
    return skip(Reason.REFUSED_BY_RULES, told)


def _judged(texts: tuple[str, ...], rules: Rules) -> Said:
    words = set(" ".join(folded(text) for text in texts).split())
    for word in rules.fit.words:
        if folded(word) in words:
            return skip(Reason.REFUSED_BY_RULES, f"word: {word}")
    return PASS
