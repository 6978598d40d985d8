"""The pipeline: checks in order, the first that refuses ends it, and what is not known decides nothing."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.authors import is_the_author_welcome, may_this_author_ask
from guardrails.caps import Cap, does_it_go_round, how_much
from guardrails.dedupe import is_it_the_same_ask
from guardrails.documents import DocId, Mention
from guardrails.facts import Conversation, Facts, Standing
from guardrails.moderation import does_the_service_object, is_it_fit
from guardrails.outlook import View
from guardrails.rules import Rules
from guardrails.said import PASS, Outcome, Said
from guardrails.takedowns import was_it_taken_down
from guardrails.transitions import Reason
from guardrails.verdicts import (
    BEFORE_THE_LOOK,
    CHECKS,
    Check,
    can_we_answer,
    does_a_person_want_to_look,
    is_it_a_change,
    is_it_new,
    is_it_ours,
    is_what_it_points_at_known,
    judge,
    what_is_asked,
    without_place,
)
from tests.guardrails.known import DAY_ENDS, RULES, context, known, look, ruled
from tests.mentions import HANDLE, NOON, OUR_DID, facet, mention, post

SKIP = Said(Outcome.SKIP, Reason.REFUSED_BY_RULES, "no")
HOLD = Said(Outcome.HOLD, Reason.POLICY, "ask somebody")
WAIT = Said(Outcome.WAIT, Reason.CAPPED, detail="tomorrow", until=NOON + timedelta(days=1))
UNKNOWN = Said(Outcome.UNKNOWN, detail="no answer")
SAYINGS = st.lists(st.sampled_from([PASS, SKIP, HOLD, WAIT, UNKNOWN]), max_size=8)
OUR_ANSWER = Conversation(answered=DocId("mention:did:plc:alice:3kearlier"))


def saying(said: Said, number: int = 0, asked: list[int] | None = None) -> Check:
    """A check that always says the same, and notes that it was asked."""

    def check(_: Facts, __: Rules, ___: datetime) -> Said:
        if asked is not None:
            asked.append(number)
        return said

    return check


def outcome_of(*sayings: Said, rules: Rules = RULES) -> tuple[Outcome, Reason | None]:
    judgement = judge(known(), rules, NOON, [saying(said) for said in sayings])
    return judgement.outcome, judgement.reason


def said_of(check: Check, body: Mention | None = None, **more: Any) -> Said:
    return check(known(body, **more), RULES, NOON)


def test_nothing_against_it_is_a_pass() -> None:
    """With the reason that the move needs."""
    assert (Outcome.PASS, Reason.PASSED) == outcome_of(PASS, PASS)
    assert (Outcome.PASS, Reason.PASSED) == outcome_of()


@pytest.mark.parametrize("said", [SKIP, WAIT, UNKNOWN])
def test_what_refuses_or_waits_ends_the_questions(said: Said) -> None:
    """Later checks, which may cost a call, are not asked."""
    asked: list[int] = []
    judge(known(), RULES, NOON, [saying(PASS, 1, asked), saying(said, 2, asked), saying(PASS, 3, asked)])

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
    assert (Outcome.WAIT, Reason.CAPPED) == outcome_of(HOLD, WAIT)


def test_where_nobody_decides_a_hold_is_a_skip() -> None:
    """And only a hold: what passes still passes, and what is not known is still asked again."""
    nobody = ruled(approval={"policy": "none"})

    assert (Outcome.SKIP, Reason.NOBODY_DECIDES) == outcome_of(HOLD, PASS, rules=nobody)
    assert (Outcome.PASS, Reason.PASSED) == outcome_of(PASS, rules=nobody)
    assert (Outcome.UNKNOWN, None) == outcome_of(HOLD, UNKNOWN, rules=nobody)


@given(SAYINGS)
def test_not_knowing_never_decides(sayings: list[Said]) -> None:
    """A pass means that every check passed; a skip or a hold was said, and nothing unsure came before it."""
    judgement = judge(known(), RULES, NOON, [saying(said) for said in sayings])
    heard = [verdict.outcome for verdict in judgement.verdicts]

    if judgement.outcome is Outcome.PASS:
        assert [Outcome.PASS] * len(sayings) == heard
    else:
        assert judgement.outcome in heard
    if judgement.outcome in (Outcome.PASS, Outcome.HOLD, Outcome.SKIP):
        assert not {Outcome.WAIT, Outcome.UNKNOWN} & set(heard)
    else:
        assert judgement.outcome is heard[-1]


@given(SAYINGS)
def test_every_check_up_to_the_end_is_heard_once_and_in_order(sayings: list[Said]) -> None:
    """What ends the questions is the last verdict that is kept, and the only one of its sort."""
    ends = (Outcome.SKIP, Outcome.WAIT, Outcome.UNKNOWN)
    judgement = judge(known(), RULES, NOON, [saying(said) for said in sayings])
    until = next((place for place, said in enumerate(sayings, 1) if said.outcome in ends), len(sayings))

    assert [said.outcome for said in sayings[:until]] == [verdict.outcome for verdict in judgement.verdicts]


def test_whoever_comes_too_late_for_the_last_place_waits_as_if_it_had_been_full() -> None:
    """What was said before stands, and what came after the caps was not asked."""
    passed = judge(known(), RULES, NOON)
    waits = without_place(passed, Cap.ALL_DAY, DAY_ENDS, RULES, NOON)

    assert (Outcome.WAIT, Reason.CAPPED) == (waits.outcome, waits.reason)
    assert passed.verdicts[: CHECKS.index(how_much)] == waits.verdicts[:-1]
    assert ("how_much", "all_day", DAY_ENDS) == (
        waits.verdicts[-1].check,
        waits.verdicts[-1].detail,
        waits.verdicts[-1].until,
    )


def test_every_verdict_is_dated_and_names_check_and_rules() -> None:
    """So that an old decision can be replayed against a new set."""
    judgement = judge(known(), RULES, NOON)

    assert [getattr(check, "__name__", "") for check in CHECKS] == [v.check for v in judgement.verdicts]
    assert {(RULES.version, NOON)} == {(v.rules, v.at) for v in judgement.verdicts}


def test_a_check_without_a_name_still_has_a_verdict() -> None:
    """Such as a configured object."""

    class Configured:
        def __call__(self, _: Facts, __: Rules, ___: datetime) -> Said:
            return WAIT

    verdict = judge(known(), RULES, NOON, [Configured()]).verdicts[0]

    assert ("check", WAIT.until, "tomorrow") == (verdict.check, verdict.until, verdict.detail)


def test_the_cheap_checks_come_first() -> None:
    """Whose it is, whether it is new, who asks, what is asked; then the network, how much, and people last.

    Whether a thread goes round comes before what would still be answered in it.
    """
    cheap = (
        is_it_ours,
        is_it_new,
        is_the_author_welcome,
        what_is_asked,
        does_it_go_round,
        is_it_a_change,
        is_it_the_same_ask,
        was_it_taken_down,
        is_it_fit,
    )
    dear = (
        can_we_answer,
        may_this_author_ask,
        is_what_it_points_at_known,
        does_the_service_object,
        how_much,
        does_a_person_want_to_look,
    )

    assert cheap == BEFORE_THE_LOOK
    assert (*cheap, *dear) == CHECKS


def test_our_own_post_is_never_answered() -> None:
    """Not even when an operator injects it."""
    own = mention(author=OUR_DID, by_operator=True)

    assert "our own post" == said_of(is_it_ours, own).detail


def test_an_operators_word_stands_for_the_mention() -> None:
    """A post without a facet is then ours."""
    without: dict[str, Any] = {"record": post("make me a timer"), "text": "make me a timer"}

    assert PASS == said_of(is_it_ours, mention(by_operator=True, **without))
    assert Reason.NOT_OURS is said_of(is_it_ours, mention(**without)).reason
    assert PASS == said_of(is_it_ours)


@pytest.mark.parametrize(
    ("text", "by_asker", "outcome"),
    [
        ("delete", True, Outcome.PASS),
        ("delete", False, Outcome.SKIP),
        ("make it blue", True, Outcome.SKIP),
        ("delete the old rows", True, Outcome.SKIP),
    ],
)
def test_right_under_our_answer_its_asker_may_command_without_a_mention(
    text: str, by_asker: bool, outcome: Outcome
) -> None:
    """Nobody else may, and nothing but a command is ours there."""
    body = mention(text=text, ask=text, record=post(text))
    conversation = OUR_ANSWER.model_copy(update={"by_asker": by_asker})

    assert outcome is said_of(is_it_ours, body, conversation=conversation).outcome


def test_what_is_answered_is_not_new() -> None:
    """A second reply would be worse than none."""
    assert Reason.ALREADY_ANSWERED is said_of(is_it_new, answered=True).reason
    assert PASS == said_of(is_it_new)


def test_what_was_there_before_the_bot_is_not_new() -> None:
    """A fresh ledger does not answer last year's mentions."""
    assert Reason.BEFORE_FIRST_START is said_of(is_it_new, mention(stale=True)).reason


REPLY = post(HANDLE, reply={"parent": {"uri": "at://did:plc:bob/app.bsky.feed.post/3kbob"}})
QUOTE = post(HANDLE, embed={"record": {"uri": "at://did:plc:bob/app.bsky.feed.post/3kbob"}})


@pytest.mark.parametrize(
    "ask", ["", "!?", "\U0001f389" * 300, "hi", "ok"], ids=["empty", "signs", "emoji", "hello", "nod"]
)
def test_an_ask_that_says_nothing_builds_nothing(ask: str) -> None:
    """An empty mention, 300 emoji, or a hello."""
    assert Reason.NOTHING_TO_BUILD is said_of(what_is_asked, mention(ask=ask)).reason


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        ("", None),
        ("\U0001f446", None),
        ("^", None),
        ("please", None),
        ("!?", Reason.NOTHING_TO_BUILD),
        ("\U0001f44f\U0001f44f\U0001f44f", Reason.THANKS),
        ("\U0001f64f\u2764\ufe0f", Reason.THANKS),
        ("\U0001f389" * 300, Reason.THANKS),
        ("hi", Reason.THANKS),
        ("ok", Reason.THANKS),
    ],
)
def test_under_a_post_only_what_points_at_it_asks_for_that(ask: str, reason: Reason | None) -> None:
    """Applause for a post or a hello to somebody is no ask, and needs no answer."""
    for record in (REPLY, QUOTE):
        assert reason is said_of(what_is_asked, mention(ask=ask, record=record)).reason


def test_praise_is_thanks_under_an_answer() -> None:
    """Elsewhere it may say what is wanted; a wish for a change is no thanks."""
    kind = mention(ask="my kids love it, thanks")

    assert Reason.THANKS is said_of(what_is_asked, kind, conversation=OUR_ANSWER).reason
    assert PASS == said_of(what_is_asked, kind)
    assert PASS == said_of(what_is_asked, mention(ask="love it, make it blue"), conversation=OUR_ANSWER)


@pytest.mark.parametrize("ask", ["タイマー", "7", "a", "калькулятор"])
def test_an_ask_in_any_script_may_be_built(ask: str) -> None:
    """Letters are letters."""
    assert PASS == said_of(what_is_asked, mention(ask=ask))


def test_a_command_builds_nothing() -> None:
    """It is kept as what it was."""
    said = said_of(what_is_asked, mention(ask="stop", record=post(f"{HANDLE} stop")))

    assert (Outcome.SKIP, Reason.COMMAND, "cancel") == (said.outcome, said.reason, said.detail)


def test_thanks_build_nothing() -> None:
    """They are no ask, and need no answer."""
    assert Reason.THANKS is said_of(what_is_asked, mention(ask="thank you so much!")).reason


def test_a_credit_builds_nothing() -> None:
    """Whoever shows an app with our name on it asks for none."""
    text = f"My tip splitter, built with {HANDLE}"

    assert Reason.CREDIT is said_of(what_is_asked, mention(ask="My tip splitter, built with", record=post(text))).reason


def test_a_wish_to_change_an_answer_is_a_revision() -> None:
    """Under our answer only: anywhere else the same words are an ask, or point at a post."""
    blue = mention(ask="make it blue")

    assert Reason.REVISION is said_of(is_it_a_change, blue, conversation=OUR_ANSWER).reason
    assert PASS == said_of(is_it_a_change, blue)
    assert PASS == said_of(is_it_a_change, mention(ask="make me a dice roller"), conversation=OUR_ANSWER)


def test_an_ask_that_is_cut_passes_and_says_so() -> None:
    """What is as long as may be is whole."""
    short = ruled(ask={"max_graphemes": 20})

    assert PASS == what_is_asked(known(mention(ask="t" * 20)), short, NOON)
    assert Said(Outcome.PASS, detail="cut at 20 graphemes") == what_is_asked(known(mention(ask="t" * 21)), short, NOON)


def test_what_would_not_be_seen_is_not_built() -> None:
    """The reason is kept for the operator."""
    said = said_of(can_we_answer, look=look(View.CLOSED, "the author blocks us"))

    assert Said(Outcome.SKIP, Reason.CANNOT_REPLY, "the author blocks us") == said


@pytest.mark.parametrize("view", [View.GONE, View.AWAY, View.UNCLEAR])
def test_an_absence_decides_nothing(view: View) -> None:
    """It may be a delay, and the author may come back."""
    assert Said(Outcome.UNKNOWN, detail="not found") == said_of(can_we_answer, look=look(view, "not found"))


def test_a_post_that_nobody_looked_at_is_not_judged_to_its_end() -> None:
    """No look is no pass."""
    assert Outcome.UNKNOWN is judge(known(look=None), RULES, NOON).outcome
    assert Outcome.PASS is judge(known(), RULES, NOON).outcome


@pytest.mark.parametrize(
    ("ask", "around", "outcome"),
    [
        ("build this", (context("a chess clock"),), Outcome.PASS),
        ("build this", (context(alts=["a drawing of a chess clock"]),), Outcome.PASS),
        ("build this", (context(card="Chess clock: how it works"),), Outcome.PASS),
        ("", (context("🎉"), context("a chess clock", quoted=True)), Outcome.PASS),
        ("build this", (context("🎉"),), Outcome.SKIP),
        ("build this", (), Outcome.SKIP),
        ("make me a chess clock", (), Outcome.PASS),
    ],
)
def test_what_points_at_nothing_builds_nothing(ask: str, around: tuple[Any, ...], outcome: Outcome) -> None:
    """Words, a picture's text or a link's card are something."""
    said = said_of(is_what_it_points_at_known, mention(ask=ask, context=around))

    assert (outcome, outcome is Outcome.SKIP) == (said.outcome, said.reason is Reason.NOTHING_TO_BUILD)


@pytest.mark.parametrize(
    ("policy", "more", "held"),
    [
        ("all", {}, True),
        ("first_time", {"first_time": True}, True),
        ("first_time", {"first_time": False}, False),
        ("first_time", {"first_time": True, "standing": frozenset({Standing.ALLOWED})}, False),
        ("held", {"first_time": True, "price_micros": 900_000}, False),
        ("price", {"price_micros": 250_001}, True),
        ("price", {"price_micros": 250_000}, False),
        ("none", {"first_time": True, "price_micros": 900_000}, False),
    ],
)
def test_a_person_looks_by_policy(policy: str, more: dict[str, Any], held: bool) -> None:
    """At all, at first-timers whom nobody vouched for, at what is dear, or at what a check holds only."""
    said = does_a_person_want_to_look(known(**more), ruled(approval={"policy": policy}), NOON)

    assert (held, held) == (said.outcome is Outcome.HOLD, said.reason is Reason.POLICY)


def test_facts_are_not_changed_by_judging() -> None:
    """The same facts judged again, also after they were stored, give the same verdicts."""
    facts = known()

    assert judge(facts, RULES, NOON) == judge(facts.model_copy(deep=True), RULES, NOON)
    assert judge(facts, RULES, NOON) == judge(Facts.model_validate_json(facts.model_dump_json()), RULES, NOON)


def test_another_set_of_rules_signs_with_another_version() -> None:
    """Two that say the same sign alike."""
    assert ruled(caps={"at_once": 3}).version != RULES.version
    assert Rules().version == RULES.version


ANYTHING = st.text(st.characters())


@given(ANYTHING, ANYTHING, st.booleans(), st.integers(-5, 400), st.integers(-5, 400))
def test_any_post_gets_an_answer(text: str, around: str, ours: bool, start: int, length: int) -> None:
    """Whatever it says, and whatever it points at: never an exception."""
    record = {"text": text, "facets": [facet(start, start + length)] if ours else "none"}
    body = mention(ask=text, text=text, record=record, context=(context(around, alts=[text], card=around),))

    for conversation in (Conversation(), OUR_ANSWER):
        assert judge(known(body, conversation=conversation), RULES, NOON).outcome in Outcome


@given(sayings=SAYINGS, many=st.integers(0, 8))
def test_what_was_let_through_before_is_not_asked_again(sayings: list[Said], many: int) -> None:
    """The judgement is what it would have been."""
    asked: list[int] = []

    def check(number: int) -> Check:
        def said(facts: Facts, rules: Rules, now: datetime) -> Said:
            asked.append(number)
            return sayings[number]

        return said

    checks = [check(number) for number in range(len(sayings))]
    whole, first = judge(known(), RULES, NOON, checks), judge(known(), RULES, NOON, checks[:many])
    asked.clear()
    let_through = first.outcome in (Outcome.PASS, Outcome.HOLD)

    assert whole == judge(known(), RULES, NOON, checks, first.verdicts if let_through else ())
    assert not let_through or all(number >= many for number in asked)
