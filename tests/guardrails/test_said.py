"""What several questions of one check come to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.said import PASS, Outcome, Said, first, hold, skip, unknown, wait
from guardrails.transitions import Reason
from tests.mentions import NOON

SKIP, HOLD, UNKNOWN = skip(Reason.BOT, "a bot"), hold(Reason.SUSPECT, "odd"), unknown("not told")


@pytest.mark.parametrize(
    ("found", "comes_to"),
    [
        ([], PASS),
        ([PASS, PASS], PASS),
        ([HOLD, PASS], HOLD),
        ([HOLD, UNKNOWN], UNKNOWN),
        ([HOLD, UNKNOWN, SKIP], SKIP),
        ([skip(Reason.LABELLED, "spam"), SKIP], skip(Reason.LABELLED, "spam")),
    ],
)
def test_what_refuses_comes_before_what_is_unknown_and_that_before_what_holds(
    found: list[Said], comes_to: Said
) -> None:
    """The first of its sort, and a pass when nothing was found."""
    assert comes_to == first(found)


@given(st.lists(st.sampled_from([PASS, SKIP, HOLD, UNKNOWN]), max_size=6))
def test_it_is_always_one_of_them(found: list[Said]) -> None:
    """Or a pass; and a pass only when all are."""
    assert first(found) in (*found, PASS)
    assert (PASS == first(found)) == (set(found) <= {PASS})


def test_an_outcome_carries_its_reason() -> None:
    """What is unknown has none, and only what waits has an end."""
    assert (Outcome.SKIP, Outcome.HOLD, Outcome.UNKNOWN) == (SKIP.outcome, HOLD.outcome, UNKNOWN.outcome)
    assert (Reason.BOT, Reason.SUSPECT, None) == (SKIP.reason, HOLD.reason, UNKNOWN.reason)
    assert Said(Outcome.WAIT, Reason.CAPPED, "full", NOON) == wait(Reason.CAPPED, "full", NOON)
