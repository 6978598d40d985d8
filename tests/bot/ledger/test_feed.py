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


def test_a_move_that_is_committed_very_late_is_not_passed_over_either(ledger: Ledger, ledger_clock: Clock) -> None:
    """A disk or a replica may keep a commit waiting for any time, whoever writes and reads meanwhile."""
    first = received(ledger, "3kfirst")
    with ledger.db.write() as late:
        begun(late, first.id)
        with ledger.db.read() as looking:
            looking.execute(text("SELECT count(*) FROM moves"))
            travel(ledger_clock, minutes=10)
            pending(ledger, "3ksecond")
            travel(ledger_clock, minutes=10)
            received(ledger, "3kthird")

            assert ([1], 1) == (seqs(ledger), ledger.feed.last())
    assert [1, 2, 3, 4, 5] == seqs(ledger)


def test_whoever_writes_on_keeps_nobody_waiting_for_what_was_rolled_back_before(
    ledger: Ledger, ledger_clock: Clock
) -> None:
    """A number that was missing before a write began is none of that write."""
    first = received(ledger, "3kfirst")
    with ledger.db.engine.connect() as gone:
        begun(gone, first.id)
    received(ledger, "3ksecond")
    travel(ledger_clock, seconds=6)
    received(ledger, "3kthird")
    with ledger.db.write() as late:
        begun(late, first.id)
        received(ledger, "3kfourth")
        travel(ledger_clock, seconds=6)

        assert [1, 3, 4] == seqs(ledger)
    assert [1, 3, 4, 5, 6] == seqs(ledger)


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
