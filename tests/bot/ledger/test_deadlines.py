"""Deadlines: compared inside the write, ended by the bot, never before their time."""

from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.errors import IllegalMove
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import (
    STARTS,
    building,
    claim_id_of,
    ended,
    held,
    now_of,
    pending,
    travel,
)
from tests.mentions import BOT, LANE, OPERATOR


def test_an_approval_in_time_counts(ledger: Ledger, ledger_clock: Clock) -> None:
    """The document then waits for a lane, with a window of its own."""
    asked = held(ledger)
    travel(ledger_clock, hours=71)
    approved = ledger.documents.approve(OPERATOR, asked)

    assert Status.PENDING_BUILD is approved.status
    assert approved.build_by is not None
    assert approved.build_by > ledger.db.time() + timedelta(hours=23)


def test_an_approval_too_late_is_lost_although_nobody_has_noticed(ledger: Ledger, ledger_clock: Clock) -> None:
    """The deadline is compared inside the write, not by a job that may not have run."""
    asked = held(ledger)
    travel(ledger_clock, hours=73)

    with pytest.raises(LostRace):
        ledger.documents.approve(OPERATOR, asked)
    assert (Status.SKIPPED, Reason.APPROVAL_EXPIRED) == _expired(ledger, asked)


def test_nothing_expires_before_its_time(ledger: Ledger, ledger_clock: Clock) -> None:
    """Whoever is early has lost."""
    documents = [held(ledger, "3kheld"), pending(ledger, "3kpend"), building(ledger, "3kbuild").document]
    travel(ledger_clock, hours=23)

    assert [] == ledger.documents.overdue(9)
    for document in documents:
        with pytest.raises(LostRace):
            ledger.documents.expire(BOT, now_of(ledger, document))


def test_a_build_that_no_lane_took_is_skipped(ledger: Ledger, ledger_clock: Clock) -> None:
    """Its build_by has passed."""
    document = pending(ledger)
    travel(ledger_clock, hours=25)

    assert [document.id] == [d.id for d in ledger.documents.overdue(9)]
    assert (Status.SKIPPED, Reason.NO_LANE) == _expired(ledger, document)


def test_a_lane_that_was_lost_at_the_end_is_an_error(ledger: Ledger, ledger_clock: Clock) -> None:
    """The lease is over, build_by has passed; the attempt is closed with it."""
    claimed = building(ledger)
    travel(ledger_clock, hours=25)

    assert (Status.ERROR, Reason.LANE_LOST) == _expired(ledger, claimed.document)
    assert ["voided"] == [a.outcome for a in ledger.queries.attempts(claimed.document.id)]
    assert [] == ledger.documents.overdue(9)


def test_a_released_build_that_nobody_took_again_is_an_error_too(ledger: Ledger, ledger_clock: Clock) -> None:
    """It has no lease to wait for."""
    claimed = building(ledger)
    ledger.claims.report(LANE, claim_id_of(claimed), ended(BuildOutcome.RELEASED))
    travel(ledger_clock, hours=25)

    assert (Status.ERROR, Reason.LANE_LOST) == _expired(ledger, now_of(ledger, claimed.document))


def test_a_lane_that_still_beats_past_build_by_is_left_alone(ledger: Ledger, ledger_clock: Clock) -> None:
    """Its lease is live."""
    claimed = building(ledger)
    travel(ledger_clock, hours=25)
    ledger.claims.heartbeat(LANE, claim_id_of(claimed), "generating")

    assert [] == ledger.documents.overdue(9)
    with pytest.raises(LostRace):
        ledger.documents.expire(BOT, now_of(ledger, claimed.document))


@pytest.mark.parametrize("status", [Status.RECEIVED, Status.BUILT, Status.REPLIED])
def test_what_has_no_deadline_cannot_expire(ledger: Ledger, status: Status) -> None:
    """Not even when asked to."""
    with pytest.raises(IllegalMove):
        ledger.documents.expire(BOT, STARTS[status](ledger))


def _expired(ledger: Ledger, document: Document) -> tuple[Status, Reason]:
    after = ledger.documents.expire(BOT, document)
    return after.status, after.reason
