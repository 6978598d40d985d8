"""The pipeline: checks in order, the first that refuses ends it, and what is not known decides nothing."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.documents import Mention
from guardrails.outlook import Outlook, View
from guardrails.transitions import Reason
from guardrails.verdicts import (
    BEFORE_THE_LOOK,
    CHECKS,
    PASS,
    RULES_VERSION,
    Check,
    Facts,
    Outcome,
    Said,
    can_we_answer,
    is_it_new,
    is_it_ours,
    is_there_anything_to_build,
    judge,
)
from tests.mentions import HANDLE, NOON, OUR_DID, mention, post

SKIP = Said(Outcome.SKIP, Reason.REFUSED_BY_RULES, "no")
HOLD = Said(Outcome.HOLD, Reason.POLICY, "ask somebody")
WAIT = Said(Outcome.WAIT, detail="tomorrow", until=NOON + timedelta(days=1))
UNKNOWN = Said(Outcome.UNKNOWN, detail="no answer")
OPEN = Outlook(View.OPEN)
SAYINGS = st.lists(st.sampled_from([PASS, SKIP, HOLD, WAIT, UNKNOWN]), max_size=8)


def saying(said: Said, number: int = 0, asked: list[int] | None = None) -> Check:
    """A check that always says the same, and notes that it was asked."""

    def check(_: Facts) -> Said:
        if asked is not None:
            asked.append(number)
        return said

    return check


def facts(body: Mention | None = None, *, answered: bool = False, outlook: Outlook | None = OPEN) -> Facts:
    return Facts(body or mention(), OUR_DID, answered, outlook)


def outcome_of(*sayings: Said) -> tuple[Outcome, Reason | None]:
    judgement = judge(facts(), NOON, [saying(said) for said in sayings])
    return judgement.outcome, judgement.reason


def test_nothing_against_it_is_a_pass() -> None:
    """With the reason that the move needs."""
    assert (Outcome.PASS, Reason.PASSED) == outcome_of(PASS, PASS)
    assert (Outcome.PASS, Reason.PASSED) == outcome_of()


@pytest.mark.parametrize("said", [SKIP, WAIT, UNKNOWN])
def test_what_refuses_or_waits_ends_the_questions(said: Said) -> None:
    """Later checks, which may cost a call, are not asked."""
    asked: list[int] = []
    judge(facts(), NOON, [saying(PASS, 1, asked), saying(said, 2, asked), saying(PASS, 3, asked)])

    assert [1, 2] == asked


def test_the_first_skip_gives_the_reason() -> None:
    """Not the second."""
    assert (Outcome.SKIP, Reason.COMMAND) == outcome_of(PASS, Said(Outcome.SKIP, Reason.COMMAND), SKIP)


def test_a_hold_stands_unless_something_refuses_later() -> None:
    """No person is asked about what the rules refuse anyway, or do not know yet."""
    later = Said(Outcome.HOLD, Reason.UNKNOWN_TOO_LONG)

    assert (Outcome.HOLD, Reason.POLICY) == outcome_of(HOLD, later, PASS)
    assert (Outcome.SKIP, Reason.REFUSED_BY_RULES) == outcome_of(HOLD, SKIP)
    assert (Outcome.UNKNOWN, None) == outcome_of(HOLD, UNKNOWN)
    assert (Outcome.WAIT, None) == outcome_of(HOLD, WAIT)


@given(SAYINGS)
def test_not_knowing_never_decides(sayings: list[Said]) -> None:
    """A pass means that every check passed; a skip or a hold was said, and nothing unsure came before it."""
    judgement = judge(facts(), NOON, [saying(said) for said in sayings])
    heard = [verdict.outcome for verdict in judgement.verdicts]

    if judgement.outcome is Outcome.PASS:
        assert [Outcome.PASS] * len(sayings) == heard
    else:
        assert judgement.outcome in heard
    if judgement.outcome in (Outcome.PASS, Outcome.HOLD, Outcome.SKIP):
        assert not {Outcome.WAIT, Outcome.UNKNOWN} & set(heard)
    else:
        assert judgement.outcome is heard[-1]


def test_every_verdict_is_dated_and_names_check_and_rules() -> None:
    """So that an old decision can be replayed against a new set."""
    judgement = judge(facts(), NOON)

    names = ["is_it_ours", "is_it_new", "is_there_anything_to_build", "can_we_answer"]
    assert names == [v.check for v in judgement.verdicts]
    assert {(RULES_VERSION, NOON)} == {(v.rules, v.at) for v in judgement.verdicts}


def test_a_check_without_a_name_still_has_a_verdict() -> None:
    """Such as a configured object."""

    class Configured:
        def __call__(self, _: Facts) -> Said:
            return WAIT

    verdict = judge(facts(), NOON, [Configured()]).verdicts[0]

    assert ("check", WAIT.until, "tomorrow") == (verdict.check, verdict.until, verdict.detail)


def test_the_cheap_checks_come_first() -> None:
    """Whose it is, then whether it is new, then what is asked, and only then a look at the network."""
    assert (is_it_ours, is_it_new, is_there_anything_to_build) == BEFORE_THE_LOOK
    assert (*BEFORE_THE_LOOK, can_we_answer) == CHECKS


def test_our_own_post_is_never_answered() -> None:
    """Not even when an operator injects it."""
    own = mention(author=OUR_DID, by_operator=True)

    assert "our own post" == is_it_ours(facts(own)).detail


def test_an_operators_word_stands_for_the_mention() -> None:
    """A post without a facet is then ours."""
    without: dict[str, Any] = {"record": post("make me a timer"), "text": "make me a timer"}

    assert PASS == is_it_ours(facts(mention(by_operator=True, **without)))
    assert Outcome.SKIP is is_it_ours(facts(mention(**without))).outcome
    assert PASS == is_it_ours(facts())


def test_what_is_answered_is_not_new() -> None:
    """A second reply would be worse than none."""
    assert Reason.ALREADY_ANSWERED is is_it_new(facts(answered=True)).reason
    assert PASS == is_it_new(facts())


def test_what_was_there_before_the_bot_is_not_new() -> None:
    """A fresh ledger does not answer last year's mentions."""
    assert Reason.BEFORE_FIRST_START is is_it_new(facts(mention(stale=True))).reason


@pytest.mark.parametrize("ask", ["", "!?", "🎉" * 300, "\u3164".strip("\u3164")])
def test_an_ask_without_a_letter_or_a_digit_builds_nothing(ask: str) -> None:
    """An empty mention, or 300 emoji."""
    assert Reason.NOTHING_TO_BUILD is is_there_anything_to_build(facts(mention(ask=ask))).reason


@pytest.mark.parametrize("ask", ["タイマー", "7", "a", "калькулятор"])
def test_an_ask_in_any_script_may_be_built(ask: str) -> None:
    """Letters are letters."""
    assert PASS == is_there_anything_to_build(facts(mention(ask=ask)))


def test_a_command_builds_nothing() -> None:
    """It is kept as what it was."""
    said = is_there_anything_to_build(facts(mention(ask="stop", record=post(f"{HANDLE} stop"))))

    assert (Outcome.SKIP, Reason.COMMAND, "cancel") == (said.outcome, said.reason, said.detail)


def test_what_would_not_be_seen_is_not_built() -> None:
    """The reason is kept for the operator."""
    said = can_we_answer(facts(outlook=Outlook(View.CLOSED, "the author blocks us")))

    assert Said(Outcome.SKIP, Reason.CANNOT_REPLY, "the author blocks us") == said


@pytest.mark.parametrize("view", [View.GONE, View.AWAY, View.UNCLEAR])
def test_an_absence_decides_nothing(view: View) -> None:
    """It may be a delay, and the author may come back."""
    assert Said(Outcome.UNKNOWN, detail="not found") == can_we_answer(facts(outlook=Outlook(view, "not found")))


def test_a_post_that_nobody_looked_at_is_not_judged_to_its_end() -> None:
    """No look is no pass."""
    assert Outcome.UNKNOWN is judge(facts(outlook=None), NOON).outcome
    assert Outcome.PASS is judge(facts(outlook=OPEN), NOON).outcome


def test_facts_are_not_changed_by_judging() -> None:
    """The same facts judged again give the same verdicts."""
    known = facts()

    assert judge(known, NOON) == judge(replace(known), NOON)
