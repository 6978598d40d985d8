"""Rows of sends: how one is named, found, and written over by the try that it belongs to."""

from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from bot.errors import LostRace
from bot.ledger.engine import Database
from bot.ledger.moves import read_document
from bot.ledger.tables import sends
from bot.ledger.views import Document, Send
from guardrails.documents import RecordKey

CLAIMED, ANSWERED, REFUSED, ABANDONED = "claimed", "answered", "refused", "abandoned"
PUT, DELETE = "put", "delete"
_BY_ID = select(sends).where(sends.c.id == bindparam("the_id"))
_LIVE = select(sends).where(sends.c.key == bindparam("the_key"), sends.c.state.in_([CLAIMED, ANSWERED]))


def lock_document(connection: Connection, send: Send) -> Document | None:
    """The document of a send, None for no document's.

    Documents are locked before sends, by everybody: two who settle the same key never wait for each other.
    """
    return read_document(connection, send.document_id, lock=True) if send.document_id is not None else None


def write_over(connection: Connection, send: Send, values: dict[str, Any]) -> Send:
    """A write over the try and the version that it belongs to; LostRace when there is another, or a conflict."""
    row = connection.execute(
        update(sends)
        .where(
            sends.c.id == send.id,
            sends.c.state == CLAIMED,
            sends.c.tries == send.tries,
            sends.c.cid == send.cid,
            sends.c.conflict.is_(None),
        )
        .values(**values)
        .returning(sends)
    ).one_or_none()
    if row is None:
        raise LostRace(f"{send.key} was tried or settled by somebody else")
    return send_of(row)


def as_is(connection: Connection, send: Send) -> Send:
    """The send as it is now."""
    return send_of(connection.execute(_BY_ID, {"the_id": send.id}).one())


def send_at(connection: Connection, collection: str, rkey: RecordKey) -> Send | None:
    """The send under a record key, None when there is none."""
    query = select(sends).where(sends.c.collection == collection, sends.c.rkey == rkey, sends.c.op == PUT)
    row = connection.execute(query).one_or_none()
    return send_of(row) if row is not None else None


def live_send(connection: Connection, key: str) -> Send | None:
    """The claimed or answered send of a key, None when it is free."""
    row = connection.execute(_LIVE, {"the_key": key}).one_or_none()
    return send_of(row) if row is not None else None


def settled_now(db: Database) -> dict[str, Any]:
    """What every settled send has in common."""
    return {"settled_at": db.now(), "unknown_since": None, "next_try_at": None, "conflict": None}


def send_of(row: Any) -> Send:
    """The view of a row of sends."""
    return Send(**row._mapping)
