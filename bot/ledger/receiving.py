"""How mentions become documents, many by one statement: each once, and not when its id is known as answered."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete

from bot.ledger.engine import Database
from bot.ledger.known import known_among
from bot.ledger.moves import Step, history_of, record_all
from bot.ledger.prepared import add_all
from bot.ledger.tables import documents
from bot.ledger.tally import present
from bot.ledger.views import Document, document_of
from guardrails.documents import DocId, Kind, Mention, doc_id_of
from guardrails.transitions import check_move

# Far below the number of values that a statement of either database may hold.
AT_A_TIME = 500


def store_mentions(
    db: Database, connection: Connection, mentions: Sequence[Mention], step: Step, budget: int
) -> list[Document]:
    """The new documents, each with its first line of history, in the order of the mentions; known ids are left out."""
    stored = []
    for start in range(0, len(mentions), AT_A_TIME):
        stored += _stored(db, connection, mentions[start : start + AT_A_TIME], step, budget)
    return stored


def _stored(
    db: Database, connection: Connection, mentions: Iterable[Mention], step: Step, budget: int
) -> list[Document]:
    named = {doc_id_of(Kind.MENTION, mention.post.uri): mention for mention in reversed(list(mentions))}
    for known in known_among(connection, named):
        del named[known]
    if not named:
        return []
    move = check_move(Kind.MENTION, step.name, None, step.reason)
    common = {
        "kind": Kind.MENTION.value,
        "status": move.target.value,
        "version": 1,
        "reason": step.reason.value,
        "detail": "",
        "attempt": 0,
        "failures": 0,
        "budget": budget,
        "sending": False,
    }
    # Each has a moment of its own: who was read first comes first.
    now, tick = present(db, connection), timedelta.resolution
    rows = [common | _row(name, named[name], now + nth * tick) for nth, name in enumerate(reversed(named))]
    added = add_all(db, connection, documents, rows, (("page", db.unguessable()),), _unless_there)
    found = {row.id: document_of(row) for row in added}
    if found and not db.is_sqlite:
        _leave_past(connection, found)
    stored = [found[row["id"]] for row in rows if row["id"] in found]
    if stored:
        record_all(db, connection, [history_of(document, move, step) for document in stored])
    return stored


def _unless_there(adding: Any) -> Any:
    return adding.on_conflict_do_nothing().returning(documents)


def _leave_past(connection: Connection, found: dict[str, Document]) -> None:
    """Undo what has become known since it was looked for: an insert waits for whoever is removing a history."""
    late = known_among(connection, found)
    if late:
        connection.execute(delete(documents).where(documents.c.id.in_(late)))
    for known in late:
        del found[known]


def _row(document_id: DocId, mention: Mention, at: datetime) -> dict[str, Any]:
    return {
        "id": document_id,
        "author_did": mention.author_did,
        "author_handle": mention.author_handle,
        "source_uri": mention.post.uri,
        "source_cid": mention.post.cid,
        "body": mention.model_dump(mode="json"),
        "thread": mention.thread,
        "created_at": at,
        "updated_at": at,
    }
