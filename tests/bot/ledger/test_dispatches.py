"""When a workflow may be called: the ledger alone decides, whoever asks it and however often."""

from datetime import datetime, timedelta
from functools import partial
from itertools import count

import pytest

from bot.clock import Clock
from bot.ledger.dispatches import Dispatch, Pace
from bot.ledger.ledger import Ledger
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import travel

PACE = Pace(every=timedelta(minutes=1), again_after=timedelta(minutes=10), per_hour=3)
TARGET = "o/r:builder-lane.yml"
_ids = count(1)


def reserve(ledger: Ledger, asked_at: datetime | None = None, pace: Pace = PACE) -> Dispatch | None:
    return ledger.dispatches.reserve(TARGET, f"id-{next(_ids)}", asked_at, pace)


def reserved(ledger: Ledger, asked_at: datetime | None = None) -> Dispatch:
    dispatch = reserve(ledger, asked_at)
    assert dispatch is not None
    return dispatch


def test_a_call_again_for_the_same_work_carries_the_same_token(ledger: Ledger, ledger_clock: Clock) -> None:
    """After a while in which no lane came, and not earlier; GitHub may have run either."""
    first = reserved(ledger)
    ledger.dispatches.sent(first)
    travel(ledger_clock, minutes=9)
    too_early = reserve(ledger)
    travel(ledger_clock, minutes=2)
    second = reserved(ledger)

    assert too_early is None
    assert (first.token, 1, 2) == (second.token, first.tries, second.tries)


def test_a_lane_that_came_has_answered_the_call(ledger: Ledger, ledger_clock: Clock) -> None:
    """The next call is for other work: soon, and under another token."""
    first = reserved(ledger)
    travel(ledger_clock, seconds=30)
    asked_at = ledger.db.time()
    too_early = reserve(ledger, asked_at)
    travel(ledger_clock, seconds=40)
    second = reserved(ledger, asked_at)

    assert too_early is None
    assert (True, 1) == (first.token != second.token, second.tries)


def test_what_has_failed_is_left_alone_for_as_long_as_was_said(ledger: Ledger, ledger_clock: Clock) -> None:
    """Also when lanes come by in other ways; failures are counted until a call is taken."""
    first = reserved(ledger)
    ledger.dispatches.failed(first, timedelta(minutes=5))
    travel(ledger_clock, minutes=4)
    too_early = [reserve(ledger), reserve(ledger, ledger.db.time())]
    travel(ledger_clock, minutes=2)
    second = reserved(ledger)
    ledger.dispatches.failed(second, timedelta(minutes=5))
    travel(ledger_clock, minutes=6)
    third = reserved(ledger)
    ledger.dispatches.sent(third)

    assert [None, None] == too_early
    assert [(first.token, 0), (first.token, 1), (first.token, 2)] == [
        (each.token, each.failures) for each in (first, second, third)
    ]


def test_an_hour_has_so_many_calls(ledger: Ledger, ledger_clock: Clock) -> None:
    """And no more, whatever becomes of them."""
    ledger_clock.shift -= timedelta(minutes=ledger.db.time().minute)
    calls = 0
    for _ in range(20):
        calls += reserve(ledger, ledger.db.time()) is not None
        travel(ledger_clock, minutes=2)
    travel(ledger_clock, minutes=25)

    assert 3 == calls
    assert reserve(ledger) is not None


@pytest.mark.parametrize("is_first", [True, False])
def test_of_many_bots_one_calls(ledger: Ledger, ledger_clock: Clock, is_first: bool) -> None:
    """Also when the workflow was never called before."""
    if not is_first:
        reserved(ledger)
        travel(ledger_clock, minutes=11)
    answers = at_once([partial(reserve, ledger, None, Pace(per_hour=100)) for _ in range(6)])

    assert 5 == answers.count(None)


def test_what_a_crash_left_uncalled_is_called_in_its_time(ledger: Ledger, ledger_clock: Clock) -> None:
    """It was noted before it was made, so it is never one too many."""
    first = reserved(ledger)
    travel(ledger_clock, minutes=11)

    assert first.token == reserved(ledger).token
