"""An ask that says the same as an earlier one joins it: built once, counted once, and judged afresh without it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, select, text, update

from bot.errors import LostRace
from bot.ledger.engine import Database
from bot.ledger.known import DELETE_PREFIX
from bot.ledger.moves import Step, apply, read_document
from bot.ledger.send_rows import ANSWERED
from bot.ledger.tables import LINKS, documents, sends
from bot.ledger.tally import Held
from bot.ledger.views import Document, Send, document_of
from guardrails.access import Caller
from guardrails.dedupe import STANDS
from guardrails.documents import DocId
from guardrails.transitions import Reason, Status

LINK_SUFFIX = ":same"
"""How the send key of the link ends that is said under an ask that joined another."""


def join(db: Database, document: Document, first: DocId, step: Step) -> Document:
    """Make the move of a document that joins the first; LostRace when either is not what it was."""
    with db.write() as connection:
        # Locked before the one that joins it, as everywhere: whoever takes it back meanwhile sees who has joined.
        present = read_document(connection, first, lock=True)
        if present is None or present.status not in STANDS or present.is_taken_back:
            raise LostRace(f"{first} does not stand any more")
        return apply(db, connection, document, replace(step, sets={**(step.sets or {}), "joined_to": first}))


def reopening(caller: Caller) -> Step:
    """The move of a document whose first was withdrawn."""
    return Step("reopen_joined", Reason.FIRST_ASK_WITHDRAWN, caller, sets={"not_before": None})


def reopen_joined_to(db: Database, caller: Caller, first: Document) -> list[Document]:
    """Open again whatever joined the first; the oldest takes over the places that the first has left."""
    with db.write() as connection:
        present = read_document(connection, first.id, lock=True)
        if present is None or present.withdrawn_at is None:
            raise LostRace(f"{first.id} was not withdrawn")
        joined = [document_of(row) for row in connection.execute(_joined_to(first.id))]
        reopened = [apply(db, connection, each, reopening(caller)) for each in joined]
        if not reopened or not present.places:
            return reopened
        heir, *others = reopened
        _keep_places(connection, present, [])
        return [_keep_places(connection, heir, present.places), *others]


def withdrawn_with_joined(db: Database, limit: int) -> list[Document]:
    """Asks that were withdrawn while others that joined them still wait, oldest first."""
    first = documents.alias()
    waiting = select(documents.c.joined_to).where(_is_joined(), documents.c.joined_to.is_not(None))
    query = select(first).where(first.c.id.in_(waiting), first.c.withdrawn_at.is_not(None))
    with db.read() as connection:
        ordered = query.order_by(first.c.withdrawn_at, first.c.id).limit(limit)
        return [document_of(row) for row in connection.execute(ordered)]


def dead_links(db: Database, limit: int) -> list[Send]:
    """Our links to an app that is gone with its ask, under asks that had joined that one, not taken back yet."""
    first, taken = documents.alias(), sends.alias()
    query = (
        select(sends)
        .join(documents, documents.c.id == sends.c.document_id)
        .join(first, first.c.id == documents.c.joined_to)
        .where(
            text(LINKS),
            first.c.withdrawn_at.is_not(None),
            # As an expression: else all that was ever answered is read, instead of the links.
            sends.c.state.concat("") == ANSWERED,
            ~exists().where(taken.c.key == DELETE_PREFIX + sends.c.uri),
        )
    )
    with db.read() as connection:
        return [Send(**row._mapping) for row in connection.execute(query.order_by(sends.c.id).limit(limit))]


def mark_joined(connection: Connection, first: DocId, gone: Mapping[str, object]) -> None:
    """Mark the asks that joined one as gone with it, so that none is judged afresh.

    Within the transaction of the operator's write, which has locked the first.
    """
    values = {**gone, "note_due": False, "version": documents.c.version + 1}
    connection.execute(update(documents).where(documents.c.joined_to == first, _is_joined()).values(values))


def _is_joined() -> ColumnElement[bool]:
    """Joined, and not taken back or taken down itself."""
    c = documents.c
    joined = and_(c.status == Status.SKIPPED.value, c.reason == Reason.SAME_ASK.value)
    return and_(joined, c.withdrawn_at.is_(None), c.taken_down_at.is_(None))


def _joined_to(first: DocId) -> Select[Any]:
    joined = select(documents).where(documents.c.joined_to == first, _is_joined())
    return joined.order_by(documents.c.created_at, documents.c.id).with_for_update()


def _keep_places(connection: Connection, document: Document, places: list[Held]) -> Document:
    """Over a document that this transaction has locked."""
    values = {"places": places, "version": document.version + 1}
    statement = update(documents).where(documents.c.id == document.id).values(**values).returning(documents)
    return document_of(connection.execute(statement).one())
