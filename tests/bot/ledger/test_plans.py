"""What is read again and again, in a ledger of any size: by an index that holds no more than that."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event

from bot.errors import NoSuchDocument
from bot.ledger.feed import Filter
from bot.ledger.forgetting import blank_in_others, open_about, still_to_blank
from bot.ledger.ledger import Ledger
from bot.ledger.retention import Place
from bot.ledger.selection import Selection
from bot.ledger.tables import MADE
from guardrails.documents import AtUri, DocId
from guardrails.retention import Keep
from guardrails.rules import Rules
from guardrails.transitions import Status
from tests.bot.ledger.steps import claim_next, received
from tests.mentions import ALICE, BOT, OUR_DID

REPLY = AtUri("at://did:plc:wright/app.bsky.feed.post/3kreply")


def left_of(ledger: Ledger) -> None:
    ledger.people.forget(BOT, ALICE)
    still_to_blank(ledger.db)


READS: dict[str, tuple[Callable[[Ledger], object], str]] = {
    "the sends of a document": (lambda ledger: ledger.queries.sends(DocId("mention:x")), "ix_sends_document_id"),
    "the history of a document": (
        lambda ledger: ledger.feed.after(5, 9, Filter(document_id=DocId("mention:x"))),
        r"sqlite_autoindex_moves_1 \(document_id|uq_moves_document_id_version",
    ),
    "a send by its key": (lambda ledger: ledger.queries.send("note:x"), "ix_sends_key"),
    "replies to be taken back": (lambda ledger: ledger.sightings.to_take_back(9), "ix_documents_to_take_back"),
    "links to what is gone": (lambda ledger: ledger.documents.dead_links(9), "ix_sends_links"),
    "what an author has lost": (
        lambda ledger: ledger.gather([received(ledger)], OUR_DID, Rules()),
        "ix_documents_lost",
    ),
    "what is overdue": (
        lambda ledger: ledger.documents.overdue(9),
        "ix_documents_approve_by(.|\n)*ix_documents_build_by",
    ),
    "what has ended long ago": (
        lambda ledger: ledger.retention.over(Keep(logs=timedelta(days=1)), Place(ledger.db.time(), DocId("x")), 9),
        "ix_documents_ended",
    ),
    "what was left of the forgotten": (left_of, "ix_documents_author"),
    "what is about the forgotten": (lambda ledger: open_about(ledger.db, ALICE), r"\(status=\?\)|Cond: \(\(status\)"),
    "words of the forgotten": (lambda ledger: blank_in_others(ledger.db, ALICE), "ix_documents_context"),
    "what was lately known of the forgotten": (
        lambda ledger: blank_in_others(ledger.db, ALICE, ledger.db.time()),
        "ix_documents_ended",
    ),
    "apps whose time is over": (lambda ledger: ledger.retention.apps_to_end(), "ix_apps_kept_until"),
    "what is past of an author": (lambda ledger: ledger.known.of_author(ALICE, 9), "ix_past_author_did"),
    "what is past by a reply": (
        lambda ledger: ledger.known.conversation(ALICE, REPLY),
        "ix_past_reply_uri|ix_past_author",
    ),
    "what the last apps have cost": (claim_next, "ix_attempts_made"),
    "what a lane has cost": (
        lambda ledger: ledger.figures.spent(ledger.db.time() - timedelta(days=1), None, "lane"),
        "ix_attempts_ended_at",
    ),
}

# What rounds, lanes and consoles ask again and again; few rows are wanted, so that none may read all there are.
HOT: dict[str, Callable[[Ledger], object]] = {
    "what is to be judged": lambda ledger: ledger.queries.waiting(Status.RECEIVED, 9),
    "what is known of an ask": lambda ledger: ledger.gather([received(ledger)], OUR_DID, Rules()),
    "how much was let through": lambda ledger: ledger.queries.let_through(*([ledger.db.time()] * 2)),
    "whether much was let through": lambda ledger: ledger.queries.is_rush(0, *([ledger.db.time()] * 2)),
    "what is to be answered": lambda ledger: ledger.queries.ready_to_answer(9),
    "replies that are held": lambda ledger: ledger.queries.held_replies(),
    "what is to be liked": lambda ledger: ledger.queries.to_like(9),
    "what is to be told": lambda ledger: ledger.queries.to_tell(9),
    "what is overdue": lambda ledger: ledger.documents.overdue(9),
    "what joined an ask that is gone": lambda ledger: ledger.documents.withdrawn_with_joined(9),
    "links to what is gone": lambda ledger: ledger.documents.dead_links(9),
    "replies to be taken back": lambda ledger: ledger.sightings.to_take_back(9),
    "replies not seen yet": lambda ledger: ledger.sightings.unseen_replies(9, timedelta(0), timedelta(days=1)),
    "what is to be sent": lambda ledger: ledger.outbox.due(9, "reply:"),
    "what may have landed": lambda ledger: ledger.outbox.to_look_for(9, "reply:"),
    "sends that are not settled": lambda ledger: ledger.queries.unsettled_sends(),
    "the newest answer": lambda ledger: ledger.sends.last_answered_key(),
    "what waits for a lane": lambda ledger: ledger.lanes.waiting(),
    "lanes at work": lambda ledger: ledger.lanes.at_work(),
    "a claim": claim_next,
    "the end of the feed": lambda ledger: ledger.feed.last(),
    "the feed from somewhere": lambda ledger: ledger.feed.after(5, 9),
    "a page": lambda ledger: ledger.pages.page(Selection(), 9, None),
    "a page of a status": lambda ledger: ledger.pages.page(Selection(statuses=(Status.ERROR,)), 9, None),
    "a page of an author": lambda ledger: ledger.pages.page(Selection(author="alice.test"), 9, None),
}
# What grows with the ledger; all else is a handful of rows.
_GROWS = r"(?:documents|moves|sends|attempts|searched|known_ids|past|apps)"
_FROM_END_TO_END = re.compile(rf"SCAN {_GROWS}\b(?! USING)|Seq Scan on {_GROWS}\b")


@pytest.mark.parametrize("read", HOT)
def test_nothing_hot_reads_a_table_from_end_to_end(ledger: Ledger, read: str) -> None:
    """On PostgreSQL that is planned only where there is no other way."""
    plans = "\n".join(plan_of(ledger, *each, ways=("seqscan",)) for each in asked_by(ledger, HOT[read]))

    assert plans
    assert None is _FROM_END_TO_END.search(plans), plans


@pytest.mark.parametrize("read", READS)
def test_it_is_found_by_its_index(ledger: Ledger, read: str) -> None:
    """Nothing is read from end to end, whatever the order is that is wanted."""
    what, index = READS[read]
    plans = [plan_of(ledger, *each) for each in asked_by(ledger, what)]

    assert re.search(index, "\n".join(plans))


def test_a_claim_says_itself_which_attempts_tell_its_price(ledger: Ledger) -> None:
    """PostgreSQL plans a statement that it meets often for any value: none of an index that is about a few."""
    statements = [statement for statement, _ in asked_by(ledger, claim_next)]

    assert 1 == sum("avg(" in statement and MADE in statement for statement in statements)


def asked_by(ledger: Ledger, what: Callable[[Ledger], object]) -> list[tuple[str, Any]]:
    """The queries that a read makes, with their parameters."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    event.listen(ledger.db.engine, "before_cursor_execute", note)
    try:
        with suppress(NoSuchDocument):
            what(ledger)
    finally:
        event.remove(ledger.db.engine, "before_cursor_execute", note)
    return [each for each in asked if each[0].startswith(("SELECT", "WITH"))]


def plan_of(
    ledger: Ledger, statement: str, parameters: Any, ways: Sequence[str] = ("seqscan", "indexscan", "indexonlyscan")
) -> str:
    """How a statement is done; of a ledger without rows PostgreSQL would rather read all, or all in order."""
    with ledger.db.read() as connection:
        if ledger.db.is_sqlite:
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            return "\n".join(row.detail for row in rows)
        for way in ways:
            connection.exec_driver_sql(f"SET LOCAL enable_{way} = off")
        return "\n".join(connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).scalars())
