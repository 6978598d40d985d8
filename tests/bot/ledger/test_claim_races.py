"""Many lanes at once: each document goes to one of them, and a repeat that overtakes its first gets the same answer."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from bot.clock import Clock
from bot.errors import ClaimLost, LostRace
from bot.ledger.ledger import Ledger
from bot.ledger.views import Document
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.ledger.races import at_once
from tests.bot.ledger.steps import (
    accept,
    building,
    claim_id_of,
    claim_next,
    done,
    ended,
    new_claim_id,
    now_of,
    pending,
    travel,
)
from tests.mentions import BOT, LANE, OPERATOR, mention

# Many at once, or every migration: seconds, not milliseconds.
pytestmark = pytest.mark.slow


def test_eight_lanes_share_sixty_documents(ledger: Ledger) -> None:
    """Each is claimed once, nobody sees an error, and nothing is left."""
    for document in ledger.documents.receive(BOT, [mention(f"3k{n:02}") for n in range(60)]):
        accept(ledger, document)

    def work(number: int) -> Callable[[], Any]:
        lane = Caller(Role.LANE, DeviceId(f"lane-{number}"))

        def claim_all() -> list[str]:
            mine: list[str] = []
            while (claimed := claim_next(ledger, lane)) is not None:
                mine.append(claimed.document.id)
            return mine

        return claim_all

    answers = at_once([work(n) for n in range(8)])
    counted = Counter(document for answer in answers if isinstance(answer, list) for document in answer)

    assert [] == [answer for answer in answers if not isinstance(answer, list)]
    assert (60, {1}) == (len(counted), set(counted.values()))
    assert 60 == ledger.pages.counts()[Status.BUILDING]


def test_of_a_claim_and_a_pause_at_once_the_pause_has_the_last_word(ledger: Ledger) -> None:
    """Whoever pauses finds what was claimed before, to take it from its lane; nothing is claimed after."""
    for number in range(10):
        document = pending(ledger, f"3k{number}")

        def pause() -> list[Document]:
            ledger.desk.throw(OPERATOR, Switch.PAUSE_BUILDS, "an incident")
            return ledger.queries.under_claim()

        claimed, found = at_once([partial(claim_next, ledger), pause])
        assert [each.id for each in found] == ([] if claimed is None else [document.id])
        ledger.documents.stop(OPERATOR, now_of(ledger, document))
        ledger.desk.release(OPERATOR, Switch.PAUSE_BUILDS)


def test_the_same_claim_twice_at_once_is_one_claim(ledger: Ledger) -> None:
    """A lane that asks again before it heard: both get the same document."""
    for number in range(8):
        pending(ledger, f"3ka{number}")
        pending(ledger, f"3kb{number}")
        claim_id = new_claim_id()
        answers = at_once([partial(claim_next, ledger, LANE, claim_id)] * 2)

        assert answers[0] == answers[1]
        assert answers[0].document.claim_id == claim_id
    assert 8 == ledger.pages.counts()[Status.BUILDING]


def test_the_same_report_twice_at_once_is_one_report(ledger: Ledger) -> None:
    """Both are told that it counted."""
    for number in range(8):
        claim_id = claim_id_of(building(ledger, f"3k{number}"))
        answers = at_once([partial(ledger.claims.report, LANE, claim_id, done())] * 3)

        assert [Status.BUILT] * 3 == answers
    with ledger.db.read() as connection:
        assert [(8,)] == [
            tuple(row) for row in connection.exec_driver_sql("SELECT count(*) FROM moves WHERE name = 'finish'")
        ]


def test_of_two_who_take_over_one_wins(ledger: Ledger, ledger_clock: Clock) -> None:
    """The other finds nothing to do."""
    for number in range(6):
        old = building(ledger, f"3k{number}")
        travel(ledger_clock, minutes=3)
        answers = at_once([partial(claim_next, ledger)] * 2)
        won = [answer for answer in answers if answer is not None]

        assert [old.document.id] == [claimed.document.id for claimed in won]
        ledger.documents.withdraw(BOT, now_of(ledger, old.document), Reason.DELETED)


def test_a_late_report_and_a_takeover_cannot_both_win(ledger: Ledger, ledger_clock: Clock) -> None:
    """Either the report counts and nothing is left to take, or it is lost."""
    for number in range(8):
        old = building(ledger, f"3k{number}")
        travel(ledger_clock, minutes=3)
        told, taken = at_once(
            [
                partial(ledger.claims.report, LANE, claim_id_of(old), done()),
                partial(claim_next, ledger),
            ]
        )
        now = now_of(ledger, old.document)

        if told is Status.BUILT:
            assert (None, Status.BUILT) == (taken, now.status)
        else:
            assert isinstance(told, ClaimLost)
            assert Status.BUILDING is now.status
            ledger.claims.report(LANE, claim_id_of(taken), ended(BuildOutcome.REFUSED))


def test_a_report_and_a_withdrawal_cannot_both_win(ledger: Ledger) -> None:
    """The attempt ends the way the document went."""
    for number in range(8):
        claimed = building(ledger, f"3k{number}")
        told, gone = at_once(
            [
                partial(ledger.claims.report, LANE, claim_id_of(claimed), done()),
                partial(ledger.documents.withdraw, BOT, claimed.document, Reason.DELETED),
            ]
        )
        (attempt,) = ledger.queries.attempts(claimed.document.id)

        if told is Status.BUILT:
            assert isinstance(gone, LostRace)
            assert "done" == attempt.outcome
        else:
            assert isinstance(told, ClaimLost)
            assert "voided" == attempt.outcome
