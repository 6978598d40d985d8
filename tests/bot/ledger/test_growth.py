"""What the bot asks in each round reads what it wants and little else, however much there is of all else."""

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from sqlalchemy import text

from bot.clock import Clock
from bot.ledger.forgetting import forget_past
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from guardrails.documents import Did
from guardrails.rules import Rules
from guardrails.transitions import Status
from tests.bench.large import LOT, fill
from tests.bot.ledger.test_plans import asked_by
from tests.ledger_fixtures import fresh_copy, slug_for
from tests.mentions import OUR_DID
from tests.postgres_copies import DatabaseCopies

# A ledger of many documents is written for each database.
pytestmark = pytest.mark.slow
FEW = 8
AT_ONCE = timedelta(0)
# Rows that are read for a few; and what SQLite does for such, in steps of its machine. For all it would be many more.
MOST_ROWS, MOST_STEPS = 300, 6_000
# A backlog: nothing of it is overdue, held or due to be told.
BACKLOG = (
    "UPDATE documents SET status = 'built', reason = 'built', result = '{}' WHERE reason = 'thanks' AND id LIKE '%1'",
    "UPDATE documents SET status = 'awaiting-approval', reason = 'policy' WHERE reason = 'thanks' AND id LIKE '%2'",
    "UPDATE documents SET status = 'pending-build', reason = 'passed', build_by = updated_at, not_before = updated_at "
    "WHERE reason = 'thanks' AND id LIKE '%3'",
)
# So much that a planner would rather meet what is overdue on its way through all that there is.
PILE = ("UPDATE documents SET status = 'awaiting-approval', reason = 'policy' WHERE reason = 'thanks'",)
ROUNDS: dict[str, Callable[[Ledger], object]] = {
    "what is to be judged": lambda ledger: ledger.queries.waiting(Status.RECEIVED, FEW),
    "what is known of an ask": lambda ledger: ledger.gather(
        ledger.queries.waiting(Status.RECEIVED, 1), OUR_DID, Rules()
    ),
    "how much was let through": lambda ledger: ledger.queries.let_through(*([ledger.db.time()] * 2)),
    "what is to be answered": lambda ledger: ledger.queries.ready_to_answer(FEW),
    "replies that are held": lambda ledger: ledger.queries.held_replies(),
    "what is to be liked": lambda ledger: ledger.queries.to_like(FEW),
    "what is to be told": lambda ledger: ledger.queries.to_tell(FEW),
    "what is overdue": lambda ledger: ledger.documents.overdue(FEW),
    "what joined an ask that is gone": lambda ledger: ledger.documents.withdrawn_with_joined(FEW),
    "links to what is gone": lambda ledger: ledger.documents.dead_links(FEW),
    "replies to be taken back": lambda ledger: ledger.sightings.to_take_back(FEW),
    "replies not seen yet": lambda ledger: ledger.sightings.unseen_replies(FEW, AT_ONCE, timedelta(days=1)),
    "what is followed": lambda ledger: ledger.sightings.followed(0, FEW),
    "what is to be sent": lambda ledger: ledger.outbox.due(FEW, "reply:"),
    "what may have landed": lambda ledger: ledger.outbox.to_look_for(FEW, "reply:"),
    "what was deleted lately": lambda ledger: ledger.outbox.deleted_lately(FEW),
    "sends that are not settled": lambda ledger: ledger.queries.unsettled_sends(),
    "the newest answer": lambda ledger: ledger.sends.last_answered_key(),
    "lanes at work": lambda ledger: ledger.lanes.at_work(),
    "the end of the feed": lambda ledger: ledger.feed.last(),
    "the newest of the feed": lambda ledger: ledger.feed.after(ledger.feed.last() - FEW, FEW),
    "lines to somebody who is to be forgotten": lambda ledger: forget_past(ledger.db, Did("did:plc:nobody")),
}


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def many(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """A ledger of ten thousand documents, of which hundreds wait for something."""
    if request.param == "sqlite":
        url = fresh_copy(request.getfixturevalue("sqlite_template"), tmp_path_factory.mktemp("many") / "ledger.db")
        yield from _filled(url, BACKLOG)
        return
    copies: DatabaseCopies = request.getfixturevalue("postgresql_copies")
    with copies.lent() as url:
        yield from _filled(url, BACKLOG)


@pytest.fixture
def piled(postgresql_copies: DatabaseCopies) -> Iterator[Ledger]:
    """Of ten thousand documents a sixth waits for a person."""
    with postgresql_copies.lent() as url:
        yield from _filled(url, PILE)


def _filled(url: str, backlog: Iterable[str]) -> Iterator[Ledger]:
    ledger = open_ledger(url, Clock(), LedgerPolicy(), slug_for)
    fill(ledger, LOT)
    later = ledger.db.time() + timedelta(days=2)
    with ledger.db.write() as connection:
        for statement in backlog:
            connection.execute(text(statement))
        for status, name in (("awaiting-approval", "approve_by"), ("pending-build", "build_by")):
            put_off = text(f"UPDATE documents SET {name} = :at WHERE status = :status")
            connection.execute(put_off, {"at": later.isoformat(" "), "status": status})
    if not ledger.db.is_sqlite:
        with ledger.db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM (ANALYZE)")
    yield ledger
    ledger.close()


@pytest.mark.parametrize("read", ROUNDS)
def test_a_round_reads_little_of_what_is_there(many: Ledger, read: str) -> None:
    """On SQLite without statistics, as a bot has it; on PostgreSQL with those of its autovacuum."""
    costs, most = _costs(many, ROUNDS[read])

    assert {} == {statement: cost for statement, cost in costs.items() if cost > most}


@pytest.mark.postgres
def test_what_is_overdue_is_found_however_much_might_be(piled: Ledger) -> None:
    """Of a million documents all were read, once statistics had told of so many deadlines."""
    costs, most = _costs(piled, ROUNDS["what is overdue"])

    assert {} == {statement: cost for statement, cost in costs.items() if cost > most}


def test_what_is_to_be_looked_at_is_found_among_what_is_open(many: Ledger) -> None:
    """That is hundreds; of what is answered, nothing is newer than the days for which it is followed."""
    costs, most = _costs(many, lambda ledger: ledger.sightings.to_look_at(FEW, AT_ONCE, AT_ONCE, AT_ONCE, 0))

    assert {} == {statement: cost for statement, cost in costs.items() if cost > len(BACKLOG) * most}


def _costs(ledger: Ledger, read: Callable[[Ledger], object]) -> tuple[dict[str, int], int]:
    """What each statement of a read costs, and what it may."""
    work, most = (_steps, MOST_STEPS) if ledger.db.is_sqlite else (_rows, MOST_ROWS)
    costs = {statement: work(ledger, statement, values) for statement, values in asked_by(ledger, read)}
    assert costs
    return costs, most


def _steps(ledger: Ledger, statement: str, values: Any) -> int:
    """How many steps SQLite's machine takes."""
    steps = count()
    with ledger.db.read() as connection:
        plain = connection.connection.driver_connection
        assert plain is not None
        plain.set_progress_handler(lambda: next(steps) and 0, 1)
        try:
            connection.exec_driver_sql(statement, values).all()
        finally:
            plain.set_progress_handler(None, 1)
    return next(steps)


def _rows(ledger: Ledger, statement: str, values: Any) -> int:
    """How many rows PostgreSQL reads from tables and indexes, be they wanted or not."""
    with ledger.db.write() as connection:
        found = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", values).scalar_one()
    return sum(_read(node) for each in found for node in _nodes(each["Plan"]))


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for below in node.get("Plans", ()):
        yield from _nodes(below)


def _read(node: dict[str, Any]) -> int:
    if "Scan" not in node["Node Type"] or node["Node Type"] == "Bitmap Index Scan":
        return 0
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return int((node["Actual Rows"] + removed) * node["Actual Loops"])
