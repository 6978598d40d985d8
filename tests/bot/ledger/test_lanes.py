"""What the ledger knows of lanes: when they come by, what waits for them, how long their claims stand."""

from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.ledger.claims import Claimed
from bot.ledger.lanes import Waiting
from bot.ledger.ledger import Ledger
from guardrails.access import Role
from guardrails.documents import DeviceId
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome, CheckReport
from tests.bot.ledger.steps import (
    building,
    claim,
    claim_id_of,
    done,
    ended,
    new_claim_id,
    now_of,
    pending,
    received,
    travel,
)
from tests.facts import PURSE
from tests.mentions import LANE, OPERATOR, OTHER_LANE


def claim_for(ledger: Ledger, lease: timedelta | None) -> Claimed:
    pending(ledger)
    claimed = ledger.claims.claim_next(LANE, new_claim_id(), "template", PURSE, lease)
    assert claimed is not None
    return claimed


def left(ledger: Ledger, claimed: Claimed) -> timedelta:
    until = now_of(ledger, claimed.document).lease_until
    assert until is not None
    return until - ledger.db.time()


def near(expected: timedelta, found: timedelta) -> bool:
    return abs(expected - found) < timedelta(seconds=20)


@pytest.mark.parametrize(("wish", "minutes"), [(None, 2), (timedelta(minutes=45), 45)])
def test_a_claim_stands_as_long_as_it_was_granted(
    ledger: Ledger, ledger_clock: Clock, wish: timedelta | None, minutes: int
) -> None:
    """And as long again from each heartbeat on; a repeat of the claim says the same."""
    lease = timedelta(minutes=minutes)
    claimed = claim_for(ledger, wish)
    before = left(ledger, claimed)
    travel(ledger_clock, minutes=minutes - 1)
    ledger.claims.heartbeat(LANE, claim_id_of(claimed), "checking")

    assert lease == claimed.lease
    assert near(lease, before)
    assert near(lease, left(ledger, claimed))
    again = ledger.claims.claim_next(LANE, claim_id_of(claimed), "template", PURSE, None)
    assert again is not None
    assert (claimed.document.id, lease) == (again.document.id, again.lease)


def test_nobody_takes_over_before_a_long_lease_is_over(ledger: Ledger, ledger_clock: Clock) -> None:
    """Minutes pass between the jobs of a run in CI, with nobody there to beat; then it is taken as any other."""
    first = claim_for(ledger, timedelta(minutes=45))
    travel(ledger_clock, minutes=44)
    between = ledger.claims.claim_next(OTHER_LANE, new_claim_id(), "template", PURSE)
    travel(ledger_clock, minutes=2)
    second = claim(ledger, OTHER_LANE)

    assert between is None
    assert (first.document.id, timedelta(minutes=2)) == (second.document.id, second.lease)


def test_the_third_failure_fails_the_build_with_its_reason(ledger: Ledger, ledger_clock: Clock) -> None:
    """Whatever the lanes before had to say."""
    asked = pending(ledger)
    for detail in ("no title", "out of memory", "blank on a phone"):
        ledger.claims.report(LANE, claim_id_of(claim(ledger)), ended(BuildOutcome.BROKEN, detail=detail))
        travel(ledger_clock, minutes=5)

    now = now_of(ledger, asked)
    assert (Status.BUILD_FAILED, Reason.OUT_OF_TRIES, "blank on a phone") == (now.status, now.reason, now.detail)


def test_repairs_and_warnings_are_kept_with_the_attempt(ledger: Ledger) -> None:
    """Warnings beside findings, for operators."""
    claimed = building(ledger)
    check = CheckReport(check="browser", passed=True, warnings=("low contrast",))
    ledger.claims.report(LANE, claim_id_of(claimed), done(repairs=2, checks=(check,)))
    (attempt,) = ledger.queries.attempts(claimed.document.id)

    assert (2, [check.model_dump(mode="json")]) == (attempt.repairs, attempt.checks)


def test_what_waits_for_a_lane_and_since_when(ledger: Ledger, ledger_clock: Clock) -> None:
    """What could be claimed now, and nothing else: its wait begins when it could be for the first time."""
    nothing = ledger.lanes.waiting()
    received(ledger, "3kunjudged")
    first = pending(ledger)
    travel(ledger_clock, minutes=5)
    pending(ledger, "3ksecond")
    both = ledger.lanes.waiting()
    for _ in range(2):
        claim(ledger)

    assert (None, Waiting(2, first.updated_at)) == (nothing, both)
    assert ledger.lanes.waiting() is None


def test_the_wait_for_a_takeover_begins_at_the_end_of_the_lease(ledger: Ledger, ledger_clock: Clock) -> None:
    """And after a failure at the end of the pause."""
    lost, broken = building(ledger), building(ledger, "3kbroken")
    ledger.claims.report(LANE, claim_id_of(broken), ended(BuildOutcome.BROKEN, detail="crash"))
    at_first, again_at = ledger.lanes.waiting(), now_of(ledger, broken.document).not_before
    travel(ledger_clock, minutes=1)
    after_pause = ledger.lanes.waiting()
    claim(ledger, OTHER_LANE)
    travel(ledger_clock, seconds=70)
    waiting = ledger.lanes.waiting()

    assert at_first is None
    assert again_at is not None
    assert lost.document.lease_until is not None
    assert [Waiting(1, again_at), Waiting(1, lost.document.lease_until)] == [after_pause, waiting]


def test_lanes_at_work_are_known_with_their_steps(ledger: Ledger, ledger_clock: Clock) -> None:
    """The oldest claim first."""
    first = building(ledger)
    travel(ledger_clock, seconds=1)
    second = building(ledger, "3ksecond")
    ledger.claims.heartbeat(LANE, claim_id_of(second), "checking")
    works = ledger.lanes.at_work()

    assert [(first.document.id, "claimed"), (second.document.id, "checking")] == [
        (work.document_id, work.step) for work in works
    ]
    assert [("lane-1", "template", 1)] * 2 == [(work.device, work.generator, work.attempt) for work in works]
    assert works[0].since < works[0].lease_until


def test_a_lane_that_asks_is_noted_with_its_generator(ledger: Ledger) -> None:
    """An operator that does anything is no lane."""
    lane = ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "", Role.LANE, "", "token")
    olga = ledger.desk.add_device(OPERATOR, DeviceId("olga"), "", Role.OPERATOR, "", "other")
    ledger.desk.seen(olga.id)
    before = ledger.lanes.last_asked(), ledger.lanes.visits(timedelta(hours=1))
    ledger.lanes.asked(lane.id, "llm")
    noted = ledger.desk.device_of_token("token")

    assert noted is not None
    assert (None, None, None) == (before[0], before[1].seen_at, before[1].late_by)
    assert (noted.asked_at, "llm") == (ledger.lanes.last_asked(), noted.generator)
    assert noted.seen_at == ledger.lanes.visits(None).seen_at is not None


def test_how_late_a_schedule_is(ledger: Ledger, ledger_clock: Clock) -> None:
    """The time since the last visit beyond the interval; of no schedule nothing can be late."""
    ledger.desk.add_device(OPERATOR, DeviceId("lane-1"), "", Role.LANE, "", "token")
    ledger.lanes.asked(DeviceId("lane-1"), "template")
    travel(ledger_clock, minutes=25)
    early, late, unknown = (
        ledger.lanes.visits(every).late_by for every in (timedelta(minutes=30), timedelta(minutes=20), None)
    )

    assert (timedelta(), None) == (early, unknown)
    assert late is not None
    assert near(timedelta(minutes=5), late)
