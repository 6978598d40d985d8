"""How long what cannot be told is asked about, and how often."""

from datetime import datetime, timedelta

from guardrails.facts import Facts
from guardrails.rules import Approval, Rules
from guardrails.said import Outcome
from guardrails.transitions import Reason
from guardrails.verdicts import Judgement

ASK_AGAIN_AFTER = timedelta(minutes=1)
# What has been unknown for long is asked about less often.
ASK_AGAIN_BY = timedelta(minutes=10)


def settled(judgement: Judgement, facts: Facts, rules: Rules, now: datetime) -> Judgement:
    """What still cannot be told after the rules' hours is for a person, who may not be there, to decide.

    A first look alone decides nothing, however late it is.
    """
    since = facts.unknown_since
    if judgement.outcome is not Outcome.UNKNOWN or since is None:
        return judgement
    if now - since < timedelta(hours=rules.moderation.unknown_hours):
        return judgement
    *earlier, last = judgement.verdicts
    held = last.model_copy(update={"outcome": Outcome.HOLD, "reason": Reason.UNKNOWN_TOO_LONG})
    if rules.approval.policy is Approval.NONE:
        return Judgement(Outcome.SKIP, Reason.NOBODY_DECIDES, (*earlier, held))
    return Judgement(Outcome.HOLD, Reason.UNKNOWN_TOO_LONG, (*earlier, held))


def unknown_since(judgement: Judgement, facts: Facts, now: datetime) -> datetime | None:
    """Since when nothing can be told of an ask, None once something is."""
    return (facts.unknown_since or now) if judgement.outcome is Outcome.UNKNOWN else None


def ask_again_at(facts: Facts, now: datetime) -> datetime:
    """When to ask again: after as long again as it has been unknown already, within bounds."""
    unknown_for = now - (facts.unknown_since or now)
    return now + min(max(unknown_for, ASK_AGAIN_AFTER), ASK_AGAIN_BY)
