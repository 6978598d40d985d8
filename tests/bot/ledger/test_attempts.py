"""How an attempt ends: stored, refused, given back, or failed, and what it spends."""

from functools import partial

import pytest

from bot.clock import Clock
from bot.errors import ClaimLost, LostRace
from bot.ledger.ledger import Ledger
from guardrails.documents import ClaimId
from guardrails.errors import IllegalMove, NotAllowed
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome, CheckReport
from tests.bot.ledger.steps import (
    building,
    claim,
    claim_id_of,
    claim_next,
    done,
    ended,
    now_of,
    pending,
    travel,
)
from tests.documents import newest
from tests.mentions import BOT, LANE, OPERATOR, OTHER_LANE


def test_a_finished_build_is_stored_with_its_attempt(ledger: Ledger) -> None:
    """What the reply is written from, what it cost, what the checks found."""
    first = building(ledger)
    checks = (CheckReport(check="files", passed=False, findings=("too large",)),)
    ledger.claims.report(LANE, claim_id_of(first), done(checks=checks, model="m", tokens_out=2**40, log_tail="end"))
    document = now_of(ledger, first.document)
    (attempt,) = ledger.queries.attempts(document.id)
    app = ledger.hosting.app(first.slug)

    assert document.result is not None
    assert ("Tip splitter", "a" * 64) == (document.result.title, document.result.sha256)
    assert ("done", "m", 2**40, "end") == (attempt.outcome, attempt.model, attempt.tokens_out, attempt.log_tail)
    assert [check.model_dump(mode="json") for check in checks] == attempt.checks
    assert app is not None
    assert (1, document.id) == (app.live_version, app.document_id)


def test_a_refusal_fails_the_build_at_once(ledger: Ledger) -> None:
    """With the reason that its asker is told."""
    first = building(ledger)
    status = ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.REFUSED, reason="no template fits"))
    now = now_of(ledger, first.document)

    assert (Status.BUILD_FAILED, Status.BUILD_FAILED) == (status, now.status)
    assert (Reason.BUILD_REFUSED, "no template fits", 0) == (now.reason, now.detail, now.failures)


def test_what_is_released_can_be_claimed_at_once(ledger: Ledger) -> None:
    """By anybody; it spends no budget."""
    first = building(ledger)
    ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.RELEASED, detail="stopping"))
    second = claim(ledger, OTHER_LANE)

    assert (first.slug, 2, 0) == (second.slug, second.version, second.document.failures)
    assert Reason.CLAIMED is second.document.reason


def test_what_is_to_be_retried_later_waits_as_long(ledger: Ledger, ledger_clock: Clock) -> None:
    """As the lane said; it spends no budget either."""
    first = building(ledger)
    ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.RETRY_LATER, after_seconds=600))

    travel(ledger_clock, seconds=590)
    assert claim_next(ledger) is None
    travel(ledger_clock, seconds=20)
    assert (2, 0) == ((second := claim(ledger)).version, second.document.failures)


def test_a_provider_that_stays_away_uses_up_the_clock(ledger: Ledger, ledger_clock: Clock) -> None:
    """However often it is retried no failure is spent, and when the time is over no lane gets it any more."""
    first = building(ledger).document
    for _ in range(23):
        held = now_of(ledger, first)
        ledger.claims.report(LANE, ClaimId(str(held.claim_id)), ended(BuildOutcome.RETRY_LATER, after_seconds=3600))
        travel(ledger_clock, hours=1, seconds=1)
        claim(ledger)
    last = now_of(ledger, first)
    ledger.claims.report(LANE, ClaimId(str(last.claim_id)), ended(BuildOutcome.RETRY_LATER, after_seconds=3600))
    travel(ledger_clock, hours=1, seconds=1)

    assert (24, 0, first.build_by) == (last.attempt, last.failures, last.build_by)
    assert claim_next(ledger) is None
    assert [first.id] == [document.id for document in ledger.documents.overdue(9)]


def test_a_broken_build_waits_longer_each_time_and_fails_at_the_third(ledger: Ledger, ledger_clock: Clock) -> None:
    """Three failures are the budget; the wait doubles, and the last reason is kept."""
    building(ledger)
    waits = []
    for _ in range(2):
        now = newest(ledger, 1)[0]
        ledger.claims.report(LANE, ClaimId(str(now.claim_id)), ended(BuildOutcome.BROKEN, detail="crash"))
        until = now_of(ledger, now).not_before
        assert until is not None
        waits.append(round((until - ledger.db.time()).total_seconds(), -1))
        assert claim_next(ledger) is None
        travel(ledger_clock, minutes=5)
        claim(ledger)
    last = newest(ledger, 1)[0]
    status = ledger.claims.report(LANE, ClaimId(str(last.claim_id)), ended(BuildOutcome.BROKEN, detail="blank"))

    assert [30, 60] == waits
    assert (Status.BUILD_FAILED, 3) == (status, now_of(ledger, last).failures)
    assert (Reason.OUT_OF_TRIES, "blank") == (now_of(ledger, last).reason, now_of(ledger, last).detail)


def test_lanes_that_vanish_spend_the_budget(ledger: Ledger, ledger_clock: Clock) -> None:
    """After the third lapsed lease the next lane finds nothing to claim, and the build has failed."""
    lost = pending(ledger)
    for _ in range(3):
        claim(ledger)
        travel(ledger_clock, minutes=3)
    waiting = pending(ledger, "3kwaiting")

    assert waiting.id == claim(ledger).document.id
    now = now_of(ledger, lost)
    assert (Status.BUILD_FAILED, Reason.OUT_OF_TRIES, 3, 3) == (now.status, now.reason, now.failures, now.attempt)
    assert "the lane was lost" == now.detail
    assert ["lost", "lost", "lost"] == [a.outcome for a in ledger.queries.attempts(now.id)]


def test_a_build_that_is_taken_from_its_lane_has_not_failed(ledger: Ledger) -> None:
    """Builds are paused at once: the lane hears it at its next call, and the next lane begins anew."""
    first = building(ledger)
    after = ledger.documents.void(OPERATOR, first.document)
    for call in (
        partial(ledger.claims.heartbeat, LANE, claim_id_of(first), "checking"),
        partial(ledger.claims.report, LANE, claim_id_of(first), done()),
    ):
        with pytest.raises(ClaimLost):
            call()
    (attempt,) = ledger.queries.attempts(after.id)
    second = claim(ledger, OTHER_LANE)

    assert (Status.BUILDING, Reason.PAUSED, None, None) == (after.status, after.reason, after.claim_id, after.step)
    assert ("voided", "paused") == (attempt.outcome, attempt.detail)
    assert (2, 0, first.slug) == (second.version, second.document.failures, second.slug)


def test_only_a_person_takes_a_build_from_a_lane_and_only_while_it_has_it(ledger: Ledger) -> None:
    """Neither the bot nor twice."""
    first = building(ledger).document
    with pytest.raises(NotAllowed):
        ledger.documents.void(BOT, first)
    after = ledger.documents.void(OPERATOR, first)

    for reading in (first, after):
        with pytest.raises(LostRace):
            ledger.documents.void(OPERATOR, reading)
    with pytest.raises(IllegalMove):
        ledger.documents.void(OPERATOR, pending(ledger, "3kpending"))
    assert [] == ledger.queries.under_claim()


def test_who_is_at_work_can_be_told(ledger: Ledger, ledger_clock: Clock) -> None:
    """Also when the lease is over and nobody has taken it over."""
    first = building(ledger).document
    pending(ledger, "3kpending")
    travel(ledger_clock, hours=1)

    assert [first.id] == [document.id for document in ledger.queries.under_claim()]
