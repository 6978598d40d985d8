"""What is read again and again, in a ledger of any size: by an index that holds no more than that."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event

from bot.errors import NoSuchDocument
from bot.ledger.forgetting import blank_contexts, open_about, still_to_blank
from bot.ledger.ledger import Ledger
from bot.ledger.retention import Place
from guardrails.documents import AtUri, DocId
from guardrails.retention import Keep
from guardrails.rules import Rules
from tests.bot.ledger.steps import received
from tests.mentions import ALICE, BOT, OUR_DID

REPLY = AtUri("at://did:plc:wright/app.bsky.feed.post/3kreply")


def left_of(ledger: Ledger) -> None:
    ledger.people.forget(BOT, ALICE)
    still_to_blank(ledger.db)


READS: dict[str, tuple[Callable[[Ledger], object], str]] = {
    "the sends of a document": (lambda ledger: ledger.queries.sends(DocId("mention:x")), "ix_sends_document_id"),
    "a send by its key": (lambda ledger: ledger.queries.send("note:x"), "ix_sends_key"),
    "replies to be taken back": (lambda ledger: ledger.sightings.to_take_back(9), "ix_documents_to_take_back"),
    "links to what is gone": (lambda ledger: ledger.documents.dead_links(9), "ix_sends_links"),
    "what an author has lost": (
        lambda ledger: ledger.gather([received(ledger)], OUR_DID, Rules()),
        "ix_documents_lost",
    ),
    "what is overdue": (lambda ledger: ledger.documents.overdue(9), r"INDEX \S+ \(status=\?\)|Cond: \(\(status\)"),
    "what has ended long ago": (
        lambda ledger: ledger.retention.over(Keep(logs=timedelta(days=1)), Place(ledger.db.time(), DocId("x")), 9),
        "ix_documents_ended",
    ),
    "what was left of the forgotten": (left_of, "ix_documents_author"),
    "what is about the forgotten": (lambda ledger: open_about(ledger.db, ALICE), r"\(status=\?\)|Cond: \(\(status\)"),
    "words of the forgotten": (lambda ledger: blank_contexts(ledger.db, ALICE), "ix_documents_context"),
    "apps whose time is over": (lambda ledger: ledger.retention.apps_to_end(), "ix_apps_kept_until"),
    "what is past of an author": (lambda ledger: ledger.known.of_author(ALICE, 9), "ix_past_author_did"),
    "what is past by a reply": (
        lambda ledger: ledger.known.conversation(ALICE, REPLY),
        "ix_past_reply_uri|ix_past_author",
    ),
    "what a lane has cost": (
        lambda ledger: ledger.figures.spent(ledger.db.time() - timedelta(days=1), None, "lane"),
        "ix_attempts_ended_at",
    ),
}


@pytest.mark.parametrize("read", READS)
def test_it_is_found_by_its_index(ledger: Ledger, read: str) -> None:
    """Nothing is read from end to end, whatever the order is that is wanted."""
    what, index = READS[read]
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    event.listen(ledger.db.engine, "before_cursor_execute", note)
    try:
        with suppress(NoSuchDocument):
            what(ledger)
    finally:
        event.remove(ledger.db.engine, "before_cursor_execute", note)

    assert re.search(index, "\n".join(plan_of(ledger, *each) for each in asked if each[0].startswith("SELECT")))


def plan_of(ledger: Ledger, statement: str, parameters: Any) -> str:
    """How a statement is done; of a ledger without rows PostgreSQL would rather read all, or all in order."""
    with ledger.db.read() as connection:
        if ledger.db.is_sqlite:
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            return "\n".join(row.detail for row in rows)
        for way in ("seqscan", "indexscan", "indexonlyscan"):
            connection.exec_driver_sql(f"SET LOCAL enable_{way} = off")
        return "\n".join(connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).scalars())
