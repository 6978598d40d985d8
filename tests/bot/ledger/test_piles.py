"""Work that wants a person: each pile has what belongs there, and nothing else."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.ledger.lanes import Waiting
from bot.ledger.ledger import Ledger
from bot.ledger.piles import HELD_ASKS, NAMES, Heap
from bot.ledger.policy import Budgets, LedgerPolicy
from guardrails.switches import Switch
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import (
    build_failed,
    building,
    built,
    claim_id_of,
    ended,
    held,
    pending,
    send_refused,
    sending,
    skipped,
    travel,
)
from tests.ledger_fixtures import OpenLedger
from tests.mentions import BOT, LANE, OPERATOR

LONGEST = timedelta(minutes=30)


def piles(ledger: Ledger, waiting: Waiting | None = None) -> Mapping[str, tuple[int, datetime | None]]:
    """How much lies on each pile that is not empty, and since when."""
    heaps = ledger.piles.all(waiting, LONGEST)
    assert list(NAMES) == [heap.name for heap in heaps]
    assert all((heap.n == 0) == (heap.oldest is None) for heap in heaps)
    return {heap.name: (heap.n, heap.oldest) for heap in heaps if heap.n}


def test_a_quiet_ledger_has_empty_piles(ledger: Ledger, ledger_clock: Clock) -> None:
    """What goes on, or has ended, by itself waits for nobody; a send whose try is never told of does, in the end."""
    building(ledger, "3kbuilding")
    build_failed(ledger, "3krefused")
    skipped(ledger, "3kskipped")
    sending(ledger, "3ksending")

    assert {} == piles(ledger)
    travel(ledger_clock, seconds=66)
    assert {"unknown_sends"} == set(piles(ledger))


def test_an_empty_ledger_has_every_pile(ledger: Ledger) -> None:
    """With nothing on it."""
    assert [Heap(name, 0, None) for name in NAMES] == ledger.piles.all(None, LONGEST)


def test_a_pile_that_is_not_counted_to_its_end_says_so(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting further would take as long as there are documents."""
    monkeypatch.setattr("bot.ledger.piles.COUNTED_TO", 2)
    counted = []
    for number in range(3):
        held(ledger, f"3kheld{number}")
        counted += [(heap.n, heap.more) for heap in ledger.piles.all(None, LONGEST) if heap.name == HELD_ASKS]

    assert [(1, False), (2, False), (2, True)] == counted


def test_sends_and_held_work_lie_on_their_piles(ledger: Ledger) -> None:
    """Since the oldest of each came."""
    reply = built(ledger, "3kreply")
    ledger.decisions.hold_reply(BOT, reply, "ask somebody")
    asks = [held(ledger, f"3kheld{number}") for number in range(2)]
    unknown = ledger.sends.unknown(sending(ledger, "3kunknown"), "timed out", timedelta(seconds=30))
    conflict = sending(ledger, "3kconflict")
    ledger.sends.in_conflict(conflict, "something else is there")
    ledger.desk.park("here", {"odd": 1}, "cannot be read")
    found = piles(ledger)

    assert {"unknown_sends": 1, "conflicts": 1, "held_asks": 2, "held_replies": 1, "parked": 1} == {
        name: n for name, (n, _) in found.items()
    }
    assert asks[0].created_at == found["held_asks"][1]
    assert reply.created_at == found["held_replies"][1]
    assert unknown.unknown_since == found["unknown_sends"][1]
    assert conflict.unknown_since == found["conflicts"][1]
    assert [unknown.key, conflict.key] == [send.key for send in ledger.queries.unsettled_sends()]


def test_a_silent_lane_leaves_a_stuck_build(ledger: Ledger, ledger_clock: Clock) -> None:
    """From the end of its lease on."""
    document = building(ledger).document
    assert {} == piles(ledger)
    travel(ledger_clock, hours=1)

    assert {"stuck_builds": (1, document.lease_until)} == piles(ledger)


def test_a_build_that_a_pause_holds_up_is_not_stuck(ledger: Ledger, ledger_clock: Clock) -> None:
    """Its time for a lane stands still."""
    ledger.documents.void(OPERATOR, building(ledger).document)
    ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "an incident")
    travel(ledger_clock, hours=25)

    assert {} == piles(ledger)


def test_failures_that_can_be_mended_lie_there_for_a_week(
    ledger: Ledger, open_test_ledger: OpenLedger, ledger_clock: Clock
) -> None:
    """Not those that are an answer, nor what was withdrawn."""
    build_failed(ledger, "3krefused")
    refused = send_refused(ledger, "3ksend")
    last_try = open_test_ledger(LedgerPolicy(Budgets(failures=1)))
    tired = building(last_try, "3ktired")
    last_try.claims.report(LANE, claim_id_of(tired), ended(BuildOutcome.BROKEN, reason="no key"))
    gone = send_refused(ledger, "3kgone")
    with ledger.db.write() as connection:
        connection.execute(text("UPDATE documents SET withdrawn_at = updated_at WHERE id = :id"), {"id": gone.id})

    assert {"errors": (2, refused.updated_at)} == piles(ledger)
    travel(ledger_clock, days=8)
    assert {} == piles(ledger)


def test_work_that_no_lane_comes_for_is_a_pile(ledger: Ledger, ledger_clock: Clock) -> None:
    """Until one asks, be it in vain."""
    pending(ledger)
    since = ledger.db.time()
    travel(ledger_clock, minutes=31)
    waiting = Waiting(1, since)

    assert {"no_lane": (1, since)} == piles(ledger, waiting)
    assert {} == piles(ledger, Waiting(1, since + timedelta(minutes=2)))
