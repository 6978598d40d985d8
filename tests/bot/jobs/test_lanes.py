"""Operators hear of work that waits for a lane, once, and no more once one has come."""

from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot.clock import Clock
from bot.jobs.lanes import Looked, look_for_lanes_once
from bot.ledger.conditions import NO_LANE
from bot.ledger.conditions import PURSE as PURSE_CONDITION
from bot.ledger.ledger import Ledger
from bot.ledger.purse import Purse
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.switches import Switch
from tests.bot.ledger.steps import claim, pending, travel
from tests.bot.ledger.test_plans import asked_by
from tests.facts import PURSE
from tests.mentions import OPERATOR

LONGEST = timedelta(minutes=30)
LANE = DeviceId("lane-1")


def look(ledger: Ledger, purse: Purse = PURSE) -> Looked:
    return look_for_lanes_once(ledger, LONGEST, purse)


@pytest.fixture(autouse=True)
def a_lane(ledger: Ledger) -> None:
    ledger.desk.add_device(OPERATOR, LANE, "a lane", Role.LANE, "", "token")


def test_work_that_waits_for_long_is_told_once(ledger: Ledger, ledger_clock: Clock) -> None:
    """Since when, and when a lane asked for the last time; seven hours later it is the same news."""
    ledger.lanes.asked(LANE, "template")
    travel(ledger_clock, minutes=1)
    pending(ledger)
    travel(ledger_clock, minutes=29)
    in_time = look(ledger)
    travel(ledger_clock, minutes=2)
    with capture_logs() as logs:
        late = [look(ledger)]
        travel(ledger_clock, hours=7)
        late.append(look(ledger))
    (condition,) = ledger.conditions.standing()

    assert (Looked(1, is_late=False), [Looked(1, is_late=True)] * 2) == (in_time, late)
    assert (NO_LANE, ["no_lane"]) == (condition.name, [entry["event"] for entry in logs])
    assert "the last one asked for work at 20" in condition.detail


def test_where_no_lane_has_ever_come_that_is_told(ledger: Ledger, ledger_clock: Clock) -> None:
    """There may be none yet."""
    pending(ledger)
    travel(ledger_clock, minutes=31)
    look(ledger)

    assert ["none ever has"] == [each.detail.rpartition(": ")[2] for each in ledger.conditions.standing()]


def test_a_lane_that_comes_mends_it(ledger: Ledger, ledger_clock: Clock) -> None:
    """Also one that does not take everything that waits."""
    pending(ledger)
    pending(ledger, "3ksecond")
    travel(ledger_clock, minutes=31)
    before = look(ledger)
    ledger.lanes.asked(LANE, "template")
    claim(ledger)

    assert (Looked(2, is_late=True), Looked(1, is_late=False)) == (before, look(ledger))
    assert not ledger.conditions.stands(NO_LANE)


def test_work_that_is_taken_is_no_news_even_if_the_lane_is_lost(ledger: Ledger, ledger_clock: Clock) -> None:
    """Its wait begins anew at the end of the lease, and is told like any other."""
    pending(ledger)
    claim(ledger)
    travel(ledger_clock, minutes=31)
    soon = look(ledger)
    travel(ledger_clock, minutes=3)

    assert (Looked(1, is_late=False), Looked(1, is_late=True)) == (soon, look(ledger))


@pytest.mark.parametrize("by", ["a switch", "an empty purse"])
def test_what_nobody_could_claim_waits_for_no_lane(ledger: Ledger, ledger_clock: Clock, by: str) -> None:
    """Lanes are not what is missing."""
    pending(ledger)
    travel(ledger_clock, minutes=31)
    look(ledger)
    empty = replace(PURSE, day_micros=0)
    if by == "a switch":
        ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "an incident")

    assert Looked(0, is_late=False) == look(ledger, PURSE if by == "a switch" else empty)
    assert not ledger.conditions.stands(NO_LANE)


def test_an_empty_purse_is_told_although_no_lane_is_called(ledger: Ledger, ledger_clock: Clock) -> None:
    """Once there is work that waits, until there is money again."""
    small = replace(PURSE, day_micros=PURSE.estimate_micros - 1)
    with capture_logs() as logs:
        look(ledger, small)
        idle = ledger.conditions.standing()
        pending(ledger)
        for _ in range(2):
            look(ledger, small)
        (condition,) = ledger.conditions.standing()
        look(ledger)

    assert ([], []) == (idle, ledger.conditions.standing())
    assert (PURSE_CONDITION, "0.05 USD are spent until ") == (condition.name, condition.detail[:25])
    assert ["purse_empty", "purse_has_room"] == [entry["event"] for entry in logs]


def test_a_look_asks_once_what_builds_cost(ledger: Ledger) -> None:
    """However much of what it tells goes by that."""
    pending(ledger)

    assert 1 == sum("avg(" in statement for statement, _ in asked_by(ledger, look))
