"""How a mention becomes a document: once, and not when its id is known as answered."""

from sqlalchemy import Connection, select

from bot.ledger.engine import Database
from bot.ledger.moves import Step, record
from bot.ledger.tables import documents, known_ids
from bot.ledger.views import Document, document_of
from guardrails.documents import Kind, Mention, doc_id_of
from guardrails.transitions import check_move


def store_mention(db: Database, connection: Connection, mention: Mention, step: Step, budget: int) -> Document | None:
    """The new document with its first line of history; None when its id is known."""
    document_id = doc_id_of(Kind.MENTION, mention.post.uri)
    if connection.execute(select(known_ids.c.id).where(known_ids.c.id == document_id)).first() is not None:
        return None
    move = check_move(Kind.MENTION, step.name, None, step.reason)
    row = {
        "id": document_id,
        "kind": Kind.MENTION.value,
        "author_did": mention.author_did,
        "author_handle": mention.author_handle,
        "source_uri": mention.post.uri,
        "source_cid": mention.post.cid,
        "body": mention.model_dump(mode="json"),
        "thread": mention.thread,
        "status": move.target.value,
        "version": 1,
        "reason": step.reason.value,
        "detail": "",
        "created_at": db.now(),
        "updated_at": db.now(),
        "attempt": 0,
        "failures": 0,
        "budget": budget,
        "sending": False,
        "page": db.unguessable(),
    }
    inserting = db.insert(documents).values(row).on_conflict_do_nothing().returning(documents)
    inserted = connection.execute(inserting).one_or_none()
    if inserted is None:
        return None
    document = document_of(inserted)
    record(db, connection, document, move, step)
    return document
