"""The history: every line names its claim, and replaying it gives the present."""

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from guardrails.transitions import Reason
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import (
    STARTS,
    building,
    claim,
    claim_id_of,
    ended,
    now_of,
    travel,
)
from tests.mentions import BOT, LANE


def test_the_history_names_the_claim_that_each_move_was_made_under(ledger: Ledger, ledger_clock: Clock) -> None:
    """The end of an attempt too, and the claim that a withdrawal voided."""
    first = building(ledger)
    ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.RELEASED))
    second = claim(ledger)
    travel(ledger_clock, minutes=3)
    third = claim(ledger)
    ledger.documents.withdraw(BOT, third.document, Reason.DELETED)
    told = [(m.name, m.claim_id) for m in ledger.feed.after(0, 99)]

    assert [
        ("receive", None),
        ("accept", None),
        ("claim", first.document.claim_id),
        ("release", first.document.claim_id),
        ("claim", second.document.claim_id),
        ("claim", third.document.claim_id),
        ("withdraw", third.document.claim_id),
    ] == told


def test_replaying_the_history_gives_the_present(ledger: Ledger) -> None:
    """Of every document that a test can make."""
    for status, make in STARTS.items():
        document = make(ledger, f"3k{status.value}")
        told = [m for m in ledger.feed.after(0, 999) if m.document_id == document.id]

        assert None is told[0].from_status
        assert [m.to_status for m in told[:-1]] == [m.from_status for m in told[1:]]
        assert now_of(ledger, document).status is told[-1].to_status
