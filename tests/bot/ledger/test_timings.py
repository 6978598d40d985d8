"""How long things took and what they cost, from the history."""

from datetime import timedelta

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.ledger.timings import Stage
from guardrails.transitions import Status
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import (
    accept,
    claim,
    claim_id_of,
    done,
    ended,
    frozen,
    held,
    now_of,
    received,
    ref_of,
    travel,
)
from tests.mentions import BOT, LANE


def test_each_stage_is_timed_where_it_ends(ledger: Ledger, ledger_clock: Clock) -> None:
    """Over a failed attempt and a takeover; what every attempt has cost is counted once."""
    document = received(ledger)
    travel(ledger_clock, minutes=1)
    accept(ledger, document)
    first = claim(ledger)
    ledger.claims.report(LANE, claim_id_of(first), ended(BuildOutcome.BROKEN, cost_micros=300))
    travel(ledger_clock, minutes=10)
    claim(ledger)
    travel(ledger_clock, minutes=10)
    second = claim(ledger)
    ledger.claims.report(LANE, claim_id_of(second), done(cost_micros=4000))
    travel(ledger_clock, hours=1)
    send = ledger.sends.claim_reply(BOT, now_of(ledger, document), frozen())
    ledger.sends.answered(BOT, send, ref_of(send))
    moved = ledger.feed.after(0, 100)

    took = {each.stage: round(each.time / timedelta(minutes=1)) for each in ledger.timings.of(moved)}

    assert {Stage.ACKNOWLEDGE: 1, Stage.BUILD: 20, Stage.REPLY: 81} == took
    assert 3 == len(ledger.timings.of(moved))
    assert (4300, 4300) == (
        ledger.timings.cost_micros(moved),
        sum(ledger.timings.cost_micros([move]) for move in moved),
    )


def test_what_ends_nothing_takes_no_time(ledger: Ledger) -> None:
    """A hold is told to its asker as well; what is only read is not."""
    held(ledger)
    coming, holding = ledger.feed.after(0, 100)

    assert (Status.RECEIVED, []) == (coming.to_status, ledger.timings.of([coming]))
    assert [Stage.ACKNOWLEDGE] == [each.stage for each in ledger.timings.of([holding])]
    assert 0 == ledger.timings.cost_micros([coming, holding])
