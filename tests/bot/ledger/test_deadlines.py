"""Deadlines: compared inside the write, ended by the bot, never before their time."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.errors import LostRace
from bot.ledger.finishing import Inspected
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.errors import IllegalMove
from guardrails.said import hold
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import (
    STARTS,
    building,
    built,
    claim,
    claim_id_of,
    done,
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


def doubtful(ledger: Ledger) -> Document:
    """A build whose reply waits for a person since its report."""
    claimed = building(ledger)
    ledger.claims.report(LANE, claim_id_of(claimed), done(), Inspected(hold(Reason.SUSPECT, "odd")))
    return now_of(ledger, claimed.document)


def too_old(ledger: Ledger) -> Document:
    """A build whose reply waits for a person since it was too old."""
    return ledger.decisions.hold_reply(BOT, built(ledger), "old")


@pytest.mark.parametrize("start", [doubtful, too_old])
def test_a_reply_that_nobody_released_ends_and_its_app_goes(
    ledger: Ledger, ledger_clock: Clock, start: Callable[[Ledger], Document]
) -> None:
    """As an approval that nobody gave: its asker is told, and what was built still counts."""
    kept = start(ledger)
    travel(ledger_clock, hours=71)
    early = ledger.documents.overdue(9)
    travel(ledger_clock, hours=2)
    (overdue,) = ledger.documents.overdue(9)
    after = ledger.documents.expire(BOT, overdue)
    app = ledger.hosting.app(str(kept.slug))

    assert ([], kept.id) == (early, overdue.id)
    assert (Status.ERROR, Reason.APPROVAL_EXPIRED, True, None) == (
        after.status,
        after.reason,
        after.note_due,
        after.reply_held,
    )
    assert (kept.places, "approval_expired") == (after.places, app.gone_reason if app else None)


def test_a_person_may_still_have_it_said_after_all(ledger: Ledger, ledger_clock: Clock) -> None:
    """Its app is there again, also when it is built once more; and nothing waits for anybody any more."""
    kept = doubtful(ledger)
    travel(ledger_clock, hours=73)
    expired = ledger.documents.expire(BOT, kept)
    again = ledger.documents.send_again(OPERATOR, expired)
    app = ledger.hosting.app(str(kept.slug))

    assert (1, None) == (app.live_version, app.gone_at) if app else False
    assert [again.id] == [each.id for each in ledger.queries.ready_to_answer(9)]
    assert [] == ledger.documents.overdue(9)


def test_a_reply_that_was_released_does_not_expire(ledger: Ledger, ledger_clock: Clock) -> None:
    """Whoever is too late with either has lost."""
    kept = too_old(ledger)
    released = ledger.decisions.release_reply(OPERATOR, kept)
    travel(ledger_clock, hours=73)

    assert [] == ledger.documents.overdue(9)
    for each in (kept, released):
        with pytest.raises(LostRace):
            ledger.documents.expire(BOT, each)


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


def voided(ledger: Ledger) -> Document:
    """A build that an operator has taken from its lane."""
    return ledger.documents.void(OPERATOR, building(ledger).document)


def lapsed(ledger: Ledger) -> Document:
    """A build whose lane has gone."""
    return building(ledger).document


@pytest.mark.parametrize("start", [pending, voided, lapsed])
def test_the_time_for_a_lane_stands_still_while_builds_are_paused(
    ledger: Ledger, ledger_clock: Clock, start: Callable[[Ledger], Document]
) -> None:
    """However long that is; what was let in meanwhile has its time from then on, and all ends as ever afterwards."""
    document = start(ledger)
    travel(ledger_clock, hours=1)
    ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "a bad model")
    travel(ledger_clock, hours=25)
    let_in = pending(ledger, "3klater")
    travel(ledger_clock, hours=25)
    overdue = ledger.documents.overdue(9)
    for each in (document, let_in):
        with pytest.raises(LostRace):
            ledger.documents.expire(BOT, each)
    ledger.desk.release(OPERATOR, Switch.PAUSE_BUILDS)
    times = [now_of(ledger, each).build_by for each in (document, let_in)]
    now = ledger.db.time()

    assert [] == overdue == ledger.documents.overdue(9)
    assert [23, 24] == [round((time - now) / timedelta(hours=1), 2) for time in times if time is not None]
    assert [document.id, let_in.id] == [claim(ledger).document.id for _ in range(2)]
    travel(ledger_clock, hours=25)
    assert [document.id, let_in.id] == [each.id for each in ledger.documents.overdue(9)]


def test_a_clock_that_was_put_back_in_a_pause_takes_no_time_away(ledger: Ledger, ledger_clock: Clock) -> None:
    """It ends before it began."""
    document = pending(ledger)
    ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "a bad model")
    travel(ledger_clock, hours=-2)
    ledger.desk.release(OPERATOR, Switch.PAUSE_BUILDS)

    assert document.build_by == now_of(ledger, document).build_by


@pytest.mark.parametrize(
    ("switch", "start"), [(Switch.PAUSE_BUILDS, held), (Switch.PAUSE_BUILDS, too_old), (Switch.PAUSE_REPLIES, pending)]
)
def test_no_other_time_stands_still(
    ledger: Ledger, ledger_clock: Clock, switch: Switch, start: Callable[[Ledger], Document]
) -> None:
    """A person can decide, and a lane can build, whatever else is paused."""
    document = start(ledger)
    ledger.desk.throw(OPERATOR, switch, "an incident")
    travel(ledger_clock, hours=73)
    (overdue,) = ledger.documents.overdue(9)
    ledger.desk.release(OPERATOR, switch)

    assert document.id == overdue.id
    assert now_of(ledger, document).version + 1 == ledger.documents.expire(BOT, overdue).version


@pytest.mark.parametrize("status", [Status.RECEIVED, Status.REPLIED])
def test_what_has_no_deadline_cannot_expire(ledger: Ledger, status: Status) -> None:
    """Not even when asked to."""
    with pytest.raises(IllegalMove):
        ledger.documents.expire(BOT, STARTS[status](ledger))


def _expired(ledger: Ledger, document: Document) -> tuple[Status, Reason]:
    after = ledger.documents.expire(BOT, document)
    return after.status, after.reason
