"""An ask whose app was taken down comes again: a person decides, whoever makes it."""

from datetime import datetime

from guardrails.dedupe import similarity
from guardrails.facts import Facts
from guardrails.pointing import pointed_at
from guardrails.rules import Rules
from guardrails.said import PASS, Said, hold
from guardrails.transitions import Reason


def was_it_taken_down(facts: Facts, rules: Rules, now: datetime) -> Said:
    """Nobody's ask says the same as one whose app was taken down, and its author's own is not like one; or it is held.

    The detail is the id of that one.
    """
    if facts.taken_down is not None:
        return hold(Reason.TAKEN_DOWN_BEFORE, facts.taken_down)
    about = pointed_at(facts.mention.ask, facts.mention.record)
    for lost in facts.lost:
        if lost.about == about and similarity(lost.ask, facts.mention.ask) >= rules.ask.same_similarity:
            return hold(Reason.TAKEN_DOWN_BEFORE, lost.id)
    return PASS
