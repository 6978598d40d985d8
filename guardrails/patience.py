"""How long what cannot be told is asked about, and how often."""

from datetime import datetime, timedelta

from guardrails.facts import Facts
from guardrails.judgement import Judgement
from guardrails.rules import Approval, Rules
from guardrails.said import Outcome
from guardrails.transitions import Reason

ASK_AGAIN_AFTER = timedelta(seconds=5)
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


def ask_again_at(judgement: Judgement, facts: Facts, now: datetime) -> datetime:
    """When to judge again what is not decided: when its last verdict says so, and what cannot be told within bounds.

    Else after as long again as it has been unknown already.
    """
    until = judgement.verdicts[-1].until
    if judgement.outcome is not Outcome.UNKNOWN and until is not None:
        return until
    unknown_for = now - (facts.unknown_since or now)
    # Whatever a server has told: for what is asked too early there is no call.
    return min(until or now + max(unknown_for, ASK_AGAIN_AFTER), now + ASK_AGAIN_BY)
