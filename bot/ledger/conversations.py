"""What was said before in a thread: which document an answer of ours belongs to, and which asks were taken on."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, or_, select

from bot.ledger.send_rows import ANSWERED, PUT
from bot.ledger.tables import documents, known_ids, sends
from bot.ledger.views import Document
from guardrails.documents import AtUri, Did, DocId
from guardrails.transitions import Reason, Status

_TAKEN_ON = (
    Status.PENDING_BUILD,
    Status.BUILDING,
    Status.BUILT,
    Status.REPLIED,
    Status.BUILD_FAILED,
    Status.ERROR,
)


class Asked(NamedTuple):
    """A document, and who asked for it."""

    id: DocId
    author_did: Did


def answers_at(connection: Connection, uris: Collection[AtUri]) -> dict[AtUri, Asked]:
    """Which document each of these posts of ours answers, be it with the app or with a line; others are left out."""
    c = documents.c
    said = (
        select(sends.c.uri, c.id, c.author_did)
        .join(documents, c.id == sends.c.document_id)
        .where(sends.c.uri.in_(uris), sends.c.state == ANSWERED, sends.c.op == PUT)
    )
    found = {AtUri(row.uri): Asked(row.id, row.author_did) for row in connection.execute(said)}
    for row in connection.execute(select(known_ids).where(known_ids.c.reply_uri.in_(uris))):
        # `mention:did:plc:abc:3kxyz`: of an id that is only known as answered, nothing else tells the author.
        author = row.id.split(":", 1)[1].rsplit(":", 1)[0]
        found.setdefault(AtUri(row.reply_uri), Asked(row.id, Did(author)))
    return found


def taken_on(connection: Connection, threads: Collection[AtUri]) -> dict[AtUri, list[Asked]]:
    """The asks that were ever taken on in each of these threads, or joined one that was, first to last."""
    c = documents.c
    query = select(c.thread, c.id, c.author_did).where(
        c.thread.in_(threads), or_(was_taken_on(), c.reason == Reason.SAME_ASK.value)
    )
    found: dict[AtUri, list[Asked]] = {thread: [] for thread in threads}
    for row in connection.execute(query.order_by(c.created_at, c.id)):
        found[row.thread].append(Asked(row.id, row.author_did))
    return found


def exchanges(taken: Iterable[Asked], document: Document) -> int:
    """How many asks were answered in a document's thread since somebody new came in; none when that is its author."""
    seen: set[Did] = set()
    n = 0
    for each in taken:
        if each.id != document.id:
            n = n + 1 if each.author_did in seen else 1
            seen.add(each.author_did)
    return n if document.author_did in seen else 0


def was_taken_on() -> ColumnElement[bool]:
    """That guardrails or a person once let a document through, whatever became of it."""
    return or_(documents.c.status.in_([status.value for status in _TAKEN_ON]), documents.c.attempt > 0)
