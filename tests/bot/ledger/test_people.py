"""Whom operators deny or allow: rows that hold from now on, until a moment, and end what is open."""

from datetime import timedelta
from functools import partial

import pytest

from bot.clock import Clock
from bot.errors import LostRace
from bot.ledger.ledger import Ledger
from guardrails.access import Caller
from guardrails.errors import NotAllowed
from guardrails.facts import Standing
from guardrails.transitions import Reason, Status
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import (
    STARTS,
    accept,
    built,
    claim,
    claim_id_of,
    done,
    now_of,
    pending,
    received,
    ref_of,
    replied,
    sending,
    travel,
)
from tests.mentions import ALICE, BOB, BOT, LANE, OPERATOR, VIEWER

OPEN = [Status.RECEIVED, Status.AWAITING_APPROVAL, Status.PENDING_BUILD, Status.BUILDING, Status.BUILT]


def standing(ledger: Ledger) -> set[Standing]:
    return set(ledger.people.standing_of([ALICE])[ALICE])


def test_most_people_stand_like_anybody(ledger: Ledger) -> None:
    """Everybody who is asked about is answered for."""
    ledger.people.deny(OPERATOR, BOB, "spam")

    assert {ALICE: frozenset(), BOB: {Standing.DENIED}} == ledger.people.standing_of([ALICE, BOB])
    assert {} == ledger.people.standing_of([])


def test_the_last_word_of_an_operator_counts(ledger: Ledger) -> None:
    """Who is allowed is not denied any more, and the other way round; lifted, neither."""
    ledger.people.deny(OPERATOR, ALICE, "spam")
    ledger.people.allow(OPERATOR, ALICE, "a friend")
    allowed = standing(ledger)
    ledger.people.deny(OPERATOR, ALICE, "spam after all")
    denied = standing(ledger)

    assert ({Standing.ALLOWED}, {Standing.DENIED}) == (allowed, denied)
    assert [True, False] == [ledger.people.lift(OPERATOR, ALICE) for _ in range(2)]
    assert set() == standing(ledger)


def test_a_row_says_who_and_why(ledger: Ledger) -> None:
    """Said again, it is the newer word."""
    now = ledger.db.time()
    ledger.people.deny(OPERATOR, ALICE, "spam")
    ledger.people.deny(OPERATOR, ALICE, "rude", now + timedelta(days=7))
    (row,) = ledger.people.rows()

    assert (ALICE, Standing.DENIED, "rude", "olga") == (row.did, row.standing, row.reason, row.device)
    assert (now + timedelta(days=7), True) == (row.until, row.at >= now)


def test_a_word_may_hold_for_a_time(ledger: Ledger, ledger_clock: Clock) -> None:
    """After that the person stands like anybody; the row still tells what was said."""
    ledger.people.deny(OPERATOR, ALICE, "calm down", ledger.db.time() + timedelta(hours=1))
    travel(ledger_clock, minutes=59)
    before = standing(ledger)
    travel(ledger_clock, minutes=2)

    assert ({Standing.DENIED}, set()) == (before, standing(ledger))
    assert [ALICE] == [row.did for row in ledger.people.rows()]


@pytest.mark.parametrize("caller", [BOT, LANE, VIEWER])
def test_only_an_operator_denies_allows_and_lifts(ledger: Ledger, caller: Caller) -> None:
    """And nothing is left of the attempt."""
    calls = (
        partial(ledger.people.deny, caller, ALICE, "spam"),
        partial(ledger.people.allow, caller, ALICE, "a friend"),
        partial(ledger.people.lift, caller, ALICE),
        partial(ledger.people.unpublished, caller, "timer-x"),
    )
    for call in calls:
        with pytest.raises(NotAllowed):
            call()
    assert [] == ledger.people.rows()


@pytest.mark.parametrize("status", OPEN)
def test_who_is_denied_has_no_open_work(ledger: Ledger, status: Status) -> None:
    """It is stopped wherever it stands, told with the reason, and counts for nothing that was not built."""
    document = STARTS[status](ledger)
    others = pending(ledger, "3kbob", author=BOB)
    stopped = ledger.people.deny(OPERATOR, ALICE, "spam")
    after = now_of(ledger, document)

    assert (document.id,) == stopped
    assert (Status.SKIPPED, Reason.DENIED, "spam") == (after.status, after.reason, after.detail)
    assert ("stop", "olga") == ((told := ledger.feed.after(0, 99)[-1]).name, told.device)
    assert others == now_of(ledger, others)


@pytest.mark.parametrize("status", [Status.REPLIED, Status.BUILD_FAILED, Status.ERROR, Status.SKIPPED])
def test_what_has_ended_stays_as_it_is(ledger: Ledger, status: Status) -> None:
    """To deny is no take-down."""
    document = STARTS[status](ledger)

    assert () == ledger.people.deny(OPERATOR, ALICE, "spam")
    assert document == now_of(ledger, document)


def test_a_reply_that_is_on_its_way_goes_out(ledger: Ledger) -> None:
    """Nobody could say whether it is out already."""
    send = sending(ledger)

    assert () == ledger.people.deny(OPERATOR, ALICE, "spam")
    ledger.sends.answered(BOT, send, ref_of(send))
    assert Status.REPLIED is ledger.queries.document(str(send.document_id)).status


@pytest.mark.slow
def test_what_is_judged_meanwhile_is_either_stopped_or_lost(ledger: Ledger) -> None:
    """By facts from before the row: no document of a denied person is left to be built."""
    for number in range(10):
        document = received(ledger, f"3k{number}")
        answers = at_once(
            [partial(accept, ledger, document), partial(ledger.people.deny, OPERATOR, ALICE, "spam")],
        )
        assert [] == [each for each in answers if isinstance(each, Exception) and not isinstance(each, LostRace)]

        assert (Status.SKIPPED, Reason.DENIED) == ((after := now_of(ledger, document)).status, after.reason)


def test_the_app_of_somebody_who_is_denied_goes_and_comes_back_with_a_new_build(ledger: Ledger) -> None:
    """Before there is a reply; what was answered stays answered."""
    document = built(ledger)
    answered = replied(ledger, "3kother")
    ledger.people.deny(OPERATOR, ALICE, "spam")
    gone, stays = ledger.hosting.app(str(document.slug)), ledger.hosting.app(str(answered.slug))
    ledger.people.lift(OPERATOR, ALICE)
    accept(ledger, ledger.documents.judge_again(OPERATOR, now_of(ledger, document)))
    ledger.claims.report(LANE, claim_id_of(claim(ledger)), done())
    back = ledger.hosting.app(str(document.slug))

    assert ("denied", None) == (gone.gone_reason if gone else None, stays.gone_reason if stays else "none")
    assert (2, None) == (back.live_version, back.gone_at) if back else False
