"""What a crash, or a lane that never came, has left: ended, opened again, blanked."""

from datetime import timedelta

from bot.clock import Clock
from bot.jobs.rescue import Rescued, rescue_once
from bot.ledger.ledger import Ledger
from guardrails.transitions import Reason, Status
from tests.bot.ledger.steps import now_of, pending, received, ref_of, refuse, sending
from tests.mentions import ALICE, BOT


def test_what_nobody_came_for_is_ended(ledger: Ledger, ledger_clock: Clock) -> None:
    """Once."""
    document = pending(ledger)
    ledger_clock.shift += timedelta(hours=25)

    assert [Rescued(1), Rescued(0)] == [rescue_once(ledger, BOT) for _ in range(2)]
    assert Reason.NO_LANE is now_of(ledger, document).reason


def test_what_joined_an_ask_that_was_withdrawn_is_judged_afresh(ledger: Ledger) -> None:
    """Whoever withdrew it has come no further."""
    first = received(ledger)
    joined = refuse(ledger, received(ledger, "3kagain"), Reason.SAME_ASK, first.id)
    before = rescue_once(ledger, BOT)
    ledger.documents.withdraw(BOT, first, Reason.DELETED)

    assert [Rescued(0), Rescued(0, reopened=1)] == [before, rescue_once(ledger, BOT)]
    assert Status.RECEIVED is now_of(ledger, joined).status


def test_what_was_under_way_to_the_forgotten_is_blanked(ledger: Ledger) -> None:
    """Once there is nothing more to be said, and its send is settled."""
    send = sending(ledger)
    asks = received(ledger, "3kforget")
    ledger.people.forget(BOT, ALICE, keep=asks.id)
    ledger.sends.answered(BOT, send, ref_of(send))
    ledger.sightings.told(refuse(ledger, now_of(ledger, asks), Reason.COMMAND, "forget me"))

    assert Rescued(0, blanked=1) == rescue_once(ledger, BOT)
    assert [{}] == [each.record for each in ledger.queries.sends(str(send.document_id))]
    assert now_of(ledger, asks).is_blank
