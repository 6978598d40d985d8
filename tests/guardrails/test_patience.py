"""What cannot be told is asked about again, less and less often, and then it is for a person to decide."""

from datetime import timedelta
from typing import Any

import pytest

from guardrails.outlook import Outlook, View
from guardrails.patience import ASK_AGAIN_AFTER, ASK_AGAIN_BY, ask_again_at, settled, unknown_since
from guardrails.rules import Approval
from guardrails.said import Outcome
from guardrails.transitions import Reason
from guardrails.verdicts import judge
from tests.guardrails.known import HOUR_ENDS, known, look, ruled, used
from tests.mentions import NOON

UNTOLD = known(look=None)
HOURS = timedelta(hours=24)
OUTCOMES = {Outcome.PASS: known(), Outcome.SKIP: known(answered=True), Outcome.UNKNOWN: UNTOLD}


def since(then: timedelta) -> dict[str, Any]:
    return {"unknown_since": NOON - then}


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("then", [None, timedelta(hours=23), timedelta(hours=25)])
def test_only_what_was_unknown_for_long_is_held(outcome: Outcome, then: timedelta | None) -> None:
    """A first look decides nothing, and what can be told is decided by what is told."""
    rules = ruled()
    facts = OUTCOMES[outcome].model_copy(update=since(then) if then else {})
    judgement = judge(facts, rules, NOON)
    held = outcome is Outcome.UNKNOWN and then is not None and then > HOURS
    after = settled(judgement, facts, rules, NOON)

    assert (Outcome.HOLD if held else outcome) == after.outcome
    assert held or after == judgement


def test_what_is_held_says_what_could_not_be_told() -> None:
    """For the person who decides."""
    facts = UNTOLD.model_copy(update=since(HOURS))
    after = settled(judge(facts, ruled(), NOON), facts, ruled(), NOON)
    last = after.verdicts[-1]

    assert (Outcome.HOLD, Reason.UNKNOWN_TOO_LONG) == (after.outcome, after.reason)
    assert (Outcome.HOLD, Reason.UNKNOWN_TOO_LONG, "not looked at yet") == (last.outcome, last.reason, last.detail)


def test_where_nobody_decides_it_is_skipped() -> None:
    """As every hold is."""
    rules = ruled(approval={"policy": Approval.NONE})
    facts = UNTOLD.model_copy(update=since(HOURS))
    after = settled(judge(facts, rules, NOON), facts, rules, NOON)

    assert (Outcome.SKIP, Reason.NOBODY_DECIDES) == (after.outcome, after.reason)


def test_how_long_it_may_be_unknown_is_a_rule() -> None:
    """Counted in hours."""
    rules = ruled(moderation={"unknown_hours": 0.5})
    facts = UNTOLD.model_copy(update=since(timedelta(minutes=31)))

    assert Outcome.HOLD is settled(judge(facts, rules, NOON), facts, rules, NOON).outcome


def test_it_is_unknown_since_the_first_time() -> None:
    """And not any more once something can be told."""
    before = NOON - timedelta(hours=3)
    again = UNTOLD.model_copy(update=since(timedelta(hours=3)))

    assert NOON == unknown_since(judge(UNTOLD, ruled(), NOON), UNTOLD, NOON)
    assert before == unknown_since(judge(again, ruled(), NOON), again, NOON)
    assert None is unknown_since(judge(known(**since(timedelta(hours=3))), ruled(), NOON), again, NOON)


@pytest.mark.parametrize(
    ("then", "wait"),
    [
        (None, ASK_AGAIN_AFTER),
        (timedelta(seconds=2), ASK_AGAIN_AFTER),
        (timedelta(minutes=4), timedelta(minutes=4)),
        (timedelta(hours=4), ASK_AGAIN_BY),
        (timedelta(seconds=-5), ASK_AGAIN_AFTER),
    ],
)
def test_it_is_asked_about_less_and_less_often(then: timedelta | None, wait: timedelta) -> None:
    """Within bounds, whatever a clock does."""
    facts = known(look=look(), **(since(then) if then is not None else {}))

    assert NOON + wait == ask_again_at(judge(UNTOLD, ruled(), NOON), facts, NOON)


@pytest.mark.parametrize(
    ("told", "wait"), [(timedelta(minutes=2), timedelta(minutes=2)), (timedelta(hours=2), ASK_AGAIN_BY)]
)
def test_it_is_asked_about_when_a_server_has_said_so(told: timedelta, wait: timedelta) -> None:
    """But no later than it would be at last, since a question that comes too early costs nothing."""
    unclear = known(look=look(outlook=Outlook(View.UNCLEAR, "too many questions", NOON + told)))

    assert NOON + wait == ask_again_at(judge(unclear, ruled(), NOON), unclear, NOON)


def test_what_waits_for_a_cap_is_judged_when_that_begins_anew() -> None:
    """However long that is."""
    capped = known(look=look(), used=used(author_hour=99))

    assert HOUR_ENDS == ask_again_at(judge(capped, ruled(), NOON), capped, NOON)
