"""The feed of PostgreSQL, where a move may be committed after one with a higher number."""

import pytest
from sqlalchemy import Connection, text

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from guardrails.documents import DocId
from tests.bot.ledger.steps import pending, received, travel

pytestmark = [pytest.mark.postgres, pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)]

_MOVE = """
INSERT INTO moves (document_id, kind, name, from_status, to_status, version, actor, device, reason, detail, at)
SELECT document_id, kind, name, from_status, to_status, 2, actor, device, reason, detail, clock_timestamp()
FROM moves WHERE document_id = :id
"""


def begun(connection: Connection, document_id: DocId) -> None:
    """A move of a document, not committed yet."""
    connection.execute(text(_MOVE), {"id": document_id})


def seqs(ledger: Ledger, after: int = 0) -> list[int]:
    return [move.seq for move in ledger.feed.after(after, 99)]


def test_a_move_that_is_committed_late_is_not_passed_over(ledger: Ledger) -> None:
    """What has a higher number waits for it, for whoever reads and for whoever asks where the history ends."""
    first = received(ledger, "3kfirst")
    with ledger.db.write() as late:
        begun(late, first.id)
        pending(ledger, "3ksecond")

        assert [1] == seqs(ledger)
        assert 1 == ledger.feed.last()
    assert [1, 2, 3, 4] == seqs(ledger)
    assert [3, 4] == seqs(ledger, after=2)
    assert 4 == ledger.feed.last()


def test_a_number_that_was_rolled_back_is_waited_for_a_few_seconds_only(ledger: Ledger, ledger_clock: Clock) -> None:
    """Then what comes after it is given out."""
    first = received(ledger, "3kfirst")
    late = ledger.db.engine.connect()
    late.begin()
    begun(late, first.id)
    late.close()
    received(ledger, "3ksecond")

    assert [1] == seqs(ledger)
    travel(ledger_clock, seconds=6)
    assert [1, 3] == seqs(ledger)
    received(ledger, "3kthird")
    assert [1, 3, 4] == seqs(ledger)
    assert 4 == ledger.feed.last()
