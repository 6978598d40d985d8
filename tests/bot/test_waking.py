"""What moves wakes the job that goes on from there."""

import pytest

from bot.ledger.ledger import Ledger
from bot.waking import jobs_woken_by
from tests.bot.ledger.steps import build_failed, built, held, received, replied, skipped
from tests.mentions import OPERATOR

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def test_each_move_wakes_whoever_goes_on(ledger: Ledger) -> None:
    """What is received is judged by whoever has read it, what is built is answered, what has ended is told of."""
    woken = []
    for start in (received, built, replied, held, skipped, build_failed):
        before = ledger.feed.last()
        start(ledger, f"3k{start.__name__.replace('_', '')}")
        woken.append(jobs_woken_by(ledger.feed.after(before, 99)))

    assert [set(), {"reply", "speak"}, {"reply", "speak"}, {"speak"}, {"speak"}, {"speak"}] == woken


def test_what_is_judged_anew_wakes_the_judge(ledger: Ledger) -> None:
    """Nobody has just read it."""
    document = skipped(ledger)
    before = ledger.feed.last()
    ledger.documents.judge_again(OPERATOR, document)

    assert {"judge"} == jobs_woken_by(ledger.feed.after(before, 99))
