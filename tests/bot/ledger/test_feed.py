"""The feed of PostgreSQL, where a move may be committed after one with a higher number."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from sqlalchemy import Connection, text

from bot.clock import Clock
from bot.errors import LedgerBehind
from bot.ledger.engine import open_database
from bot.ledger.feed import Feed, Filter
from bot.ledger.ledger import Ledger
from guardrails.documents import DocId
from tests.bot.ledger.numbers import fresh, moved, rolled_back, said_to, seqs, taken
from tests.bot.ledger.steps import STARTS, received

pytestmark = [pytest.mark.postgres, pytest.mark.parametrize("ledger_url", ["postgresql"], indirect=True)]


Opened = Callable[[], Connection]


@pytest.fixture
def opened(ledger: Ledger) -> Iterator[Opened]:
    """Opens one connection more; what it has not committed is rolled back at the end."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(ledger.db.engine.connect())


@pytest.fixture
def first(ledger: Ledger) -> DocId:
    """A document whose move is the first, and has been read."""
    document = received(ledger)
    assert [1] == seqs(ledger)
    return document.id


def test_a_move_that_is_committed_late_is_not_passed_over(ledger: Ledger, first: DocId, opened: Opened) -> None:
    """What has a higher number waits for it, for whoever reads and for whoever asks where the history ends."""
    late = opened()
    taken(late, first)
    moved(ledger, first)

    assert ([1], [], 1) == (seqs(ledger), seqs(ledger, after=2), ledger.feed.last())
    late.commit()
    assert ([1, 2, 3], [3], 3) == (seqs(ledger), seqs(ledger, after=2), ledger.feed.last())


@pytest.mark.parametrize("others", [0, 3])
def test_a_writer_that_no_snapshot_tells_of_is_waited_for(
    ledger: Ledger, first: DocId, opened: Opened, others: int
) -> None:
    """Its id is above all that have ended, so that `xmin` has reached `xmax` while it is at work."""
    early, *_, late = connections = [opened() for _ in range(2 + others)]
    for connection in connections:
        connection.execute(text("SELECT pg_current_xact_id()"))
    taken(late, first)
    taken(early, first)
    early.commit()

    reached = "SELECT pg_snapshot_xmin(now) >= pg_snapshot_xmax(now) FROM pg_current_snapshot() AS now"
    with ledger.db.read() as looking:
        assert looking.execute(text(reached)).scalar_one()
    assert [1] == seqs(ledger)
    late.commit()
    assert [1, 2, 3] == seqs(ledger)


def test_a_number_that_was_rolled_back_keeps_nobody_waiting(ledger: Ledger, first: DocId, opened: Opened) -> None:
    """Nor do those who began to write after it was missed, one after another, or who write elsewhere."""
    elsewhere, late, later = opened(), opened(), opened()
    elsewhere.execute(text("UPDATE documents SET detail = 'at work'"))
    taken(late, first)
    moved(ledger, first)
    assert [1] == seqs(ledger)
    taken(later, first)
    late.rollback()

    assert [1, 3] == seqs(ledger)
    moved(ledger, first)
    assert ([1, 3], 3) == (seqs(ledger), ledger.feed.last())
    later.rollback()
    assert ([1, 3, 5], 5) == (seqs(ledger), ledger.feed.last())
    assert ledger.feed.waits_for is None


def test_a_rollback_at_the_very_end_is_nobodys_business(ledger: Ledger, first: DocId) -> None:
    """There is no gap until somebody writes on, and then it is none that anybody could fill."""
    rolled_back(ledger, first)

    assert ([1], 1, None) == (seqs(ledger), ledger.feed.last(), ledger.feed.waits_for)
    moved(ledger, first)
    assert ([1, 3], 3) == (seqs(ledger), ledger.feed.last())


def test_a_savepoint_gives_back_its_number_before_its_transaction_ends(
    ledger: Ledger, first: DocId, opened: Opened
) -> None:
    """Whoever goes on after it may hold another one."""
    late = opened()
    savepoint = late.begin_nested()
    taken(late, first)
    savepoint.rollback()
    moved(ledger, first)

    assert [1, 3] == seqs(ledger)
    taken(late, first)
    moved(ledger, first)
    assert [1, 3] == seqs(ledger)
    late.commit()
    assert [1, 3, 4, 5] == seqs(ledger)


def test_a_write_whose_client_is_gone_is_rolled_back_and_passed_over(
    ledger: Ledger, first: DocId, opened: Opened
) -> None:
    """The server ends it, and its number is missing for good."""
    late = opened()
    taken(late, first)
    moved(ledger, first)
    assert [1] == seqs(ledger)
    pid = late.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with ledger.db.read() as connection:
        connection.execute(text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": pid})
    late.invalidate()

    assert [1, 3] == seqs(ledger)


@pytest.mark.parametrize("end", ["COMMIT", "ROLLBACK"])
def test_a_prepared_transaction_is_waited_for_under_its_other_name(
    ledger: Ledger, first: DocId, opened: Opened, end: str
) -> None:
    """Whoever prepares one keeps what it holds, without a connection."""
    late = opened()
    taken(late, first)
    moved(ledger, first)
    assert [1] == seqs(ledger)
    late.execute(text("PREPARE TRANSACTION 'late'"))
    late.commit()
    assert ([1], []) == (seqs(ledger), [move.seq for move in fresh(ledger, 0).after(1, 99)])
    late.connection.driver_connection.autocommit = True  # type: ignore[union-attr]
    late.exec_driver_sql(f"{end} PREPARED 'late'")

    assert ([1, 2, 3] if end == "COMMIT" else [1, 3]) == seqs(ledger)


def test_a_new_process_asks_once_whatever_is_missing_in_the_past(ledger: Ledger, first: DocId) -> None:
    """A thousand gaps cost what one costs, and as little as none."""
    for _ in range(3):
        rolled_back(ledger, first)
        moved(ledger, first)
    with ledger.db.write() as connection:
        connection.execute(text("SELECT setval('moves_seq_seq', 5000)"))
    last = moved(ledger, first)
    feed = fresh(ledger)
    with said_to(ledger) as statements:
        assert [1, 3, 5, 7, last] == [move.seq for move in feed.after(0, 99)]
        assert [last] == [move.seq for move in feed.after(7, 99)]
    assert 6 >= len([each for each in statements if each != "BEGIN"])


def test_a_new_process_does_not_wait_for_ever_to_know_where_the_history_ends(
    ledger: Ledger, first: DocId, opened: Opened
) -> None:
    """While a long write is under way it takes every gap for one that may be filled, and loses nothing."""
    rolled_back(ledger, first)
    moved(ledger, first)
    late = opened()
    taken(late, first)
    moved(ledger, first)
    feed = fresh(ledger, first_seconds=0)

    assert ([1], 1) == ([move.seq for move in feed.after(0, 99)], feed.last())
    waits_for = feed.waits_for
    assert waits_for is not None
    assert {late.execute(text("SELECT pg_backend_pid()")).scalar_one()} == waits_for.writers.pids
    late.commit()
    assert ([1, 3, 4, 5], 5) == ([move.seq for move in feed.after(0, 99)], feed.last())


def test_the_moves_of_one_document_wait_for_no_others(ledger: Ledger, first: DocId, opened: Opened) -> None:
    """They follow one another, since each begins with the document's row."""
    late = opened()
    taken(late, first)
    second = received(ledger, "3ksecond")

    assert [] == seqs(ledger, after=1)
    assert [3] == [move.seq for move in ledger.feed.after(0, 99, Filter(document_id=second.id))]


def test_whoever_appends_a_move_has_written_its_document_before(ledger: Ledger) -> None:
    """So the moves of a document are numbered in the order of their commits, on every way there is."""
    with said_to(ledger) as said:
        for number, start in enumerate(STARTS.values()):
            start(ledger, f"3kdoc{number}")

    transactions = "\n".join(said).split("BEGIN")
    appending = [each for each in transactions if "INSERT INTO moves" in each]
    assert len(STARTS) < len(appending)
    for each in appending:
        before, _, _ = each.partition("INSERT INTO moves")
        assert "UPDATE documents" in before or "INSERT INTO documents" in before, each


def test_the_numbers_of_the_history_are_given_out_one_by_one(ledger: Ledger) -> None:
    """A session that keeps some for later would fill gaps that are taken for closed."""
    asked = "SELECT seqcache, seqincrement, seqcycle FROM pg_sequence WHERE seqrelid = 'moves_seq_seq'::regclass"
    with ledger.db.read() as connection:
        assert (1, 1, False) == tuple(connection.execute(text(asked)).one())


def test_every_statement_sees_what_was_committed_before_it(ledger: Ledger, ledger_url: str) -> None:
    """Whatever the server takes for usual: a gap is looked at again in the same transaction."""
    there = open_database(f"{ledger_url}&options=-cdefault_transaction_isolation%3Dserializable", Clock())
    with there.read() as connection:
        assert "read committed" == connection.execute(text("SHOW transaction_isolation")).scalar_one()
    there.close()


def test_a_standby_says_why_it_cannot_tell_of_a_gap(ledger: Ledger, ledger_url: str, first: DocId) -> None:
    """It does not know who writes; without a gap it reads on."""
    with ledger.db.write() as connection:
        connection.execute(text("CREATE SCHEMA standby"))
        is_one = "CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'"
        connection.execute(text(is_one))
    there = open_database(f"{ledger_url}&options=-csearch_path%3Dstandby,pg_catalog,public", Clock())
    with pytest.raises(LedgerBehind, match="standby"):
        Feed(there).last()
    there.close()
