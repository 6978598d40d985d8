"""What was said before in a thread: which document an answer of ours belongs to, and what was exchanged."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, false, func, or_, select, true, union_all

from bot.ledger.among import among
from bot.ledger.send_rows import ANSWERED, CLAIMED, PUT
from bot.ledger.tables import documents, known_ids, moves, past, sends
from bot.ledger.views import Document
from guardrails.documents import AtUri, Did, DocId
from guardrails.transitions import Reason, Status

REVISION_SUFFIX = ":revision"
"""How the send key of the line about a wish for a change ends: there is one line in a conversation."""

LOOK_BACK = 1200
"""So many exchanges of a thread are looked at; more than the rules can allow without a new person."""

_TAKEN_ON = (
    Status.PENDING_BUILD,
    Status.BUILDING,
    Status.BUILT,
    Status.REPLIED,
    Status.BUILD_FAILED,
    Status.ERROR,
)


# Not taken on, and yet a part of the conversation: each may have been answered with a line.
_EXCHANGED = (Reason.SAME_ASK, Reason.REVISION)


class Asked(NamedTuple):
    """A document, and who asked for it; `again`: its author had it tried once more."""

    id: DocId
    author_did: Did
    again: bool = False


def answers_at(connection: Connection, uris: Collection[AtUri]) -> dict[AtUri, Asked]:
    """Which document each of these posts of ours answers, be it with the app or with a line; others are left out."""
    if not uris:
        return {}
    c = documents.c
    said = (
        select(sends.c.uri, c.id, c.author_did)
        .join(documents, c.id == sends.c.document_id)
        .where(among(connection, sends.c.uri, uris), sends.c.state == ANSWERED, sends.c.op == PUT)
    )
    found = {AtUri(row.uri): Asked(row.id, row.author_did) for row in connection.execute(said)}
    for row in connection.execute(select(known_ids).where(among(connection, known_ids.c.reply_uri, uris))):
        # `mention:did:plc:abc:3kxyz`: of an id that is only known as answered, nothing else tells the author.
        author = row.id.split(":", 1)[1].rsplit(":", 1)[0]
        found.setdefault(AtUri(row.reply_uri), Asked(row.id, Did(author)))
    for row in connection.execute(select(past).where(among(connection, past.c.reply_uri, uris))):
        found.setdefault(AtUri(row.reply_uri), Asked(row.id, Did(row.author_did)))
    return found


def taken_on(connection: Connection, threads: Collection[AtUri]) -> dict[AtUri, list[Asked]]:
    """What was exchanged in each of these threads, first to last.

    The asks that were ever taken on, or joined one that was, each time that one was tried again for its author, and
    the wishes for changes; of a long thread the last ones.
    """
    c = documents.c
    exchanged = or_(was_taken_on(), c.reason.in_([reason.value for reason in _EXCHANGED]))
    asked = select(c.thread, c.id, c.author_did, c.created_at.label("at"), false().label("again")).where(
        among(connection, c.thread, threads), exchanged
    )
    again = (
        select(c.thread, c.id, c.author_did, moves.c.at, true())
        .join(moves, moves.c.document_id == c.id)
        .where(among(connection, c.thread, threads), moves.c.name == "ask_again")
    )
    both = union_all(asked, again).subquery()
    newest_first = func.row_number().over(partition_by=both.c.thread, order_by=(both.c.at.desc(), both.c.id.desc()))
    last = select(both, newest_first.label("nth")).subquery()
    found: dict[AtUri, list[Asked]] = {thread: [] for thread in threads}
    for row in connection.execute(select(last).where(last.c.nth <= LOOK_BACK).order_by(last.c.nth.desc())):
        found[row.thread].append(Asked(row.id, row.author_did, row.again))
    return found


def is_told_of_changes(connection: Connection, document: Document) -> bool:
    """Whether the line about a wish for a change was said in a document's thread, or is being said, for another one."""
    said = (
        select(sends.c.id)
        .join(documents, documents.c.id == sends.c.document_id)
        .where(
            documents.c.thread == document.thread,
            sends.c.key.endswith(REVISION_SUFFIX, autoescape=True),
            sends.c.state.in_([CLAIMED, ANSWERED]),
            sends.c.document_id != document.id,
        )
    )
    return connection.execute(said.limit(1)).first() is not None


def exchanges(taken: Iterable[Asked], document: Document) -> int:
    """How much was exchanged in a document's thread since somebody new came in; none when that is its author."""
    seen: set[Did] = set()
    n = 0
    for each in taken:
        if each.again or each.id != document.id:
            n = n + 1 if each.author_did in seen else 1
            seen.add(each.author_did)
    return n if document.author_did in seen else 0


def was_taken_on() -> ColumnElement[bool]:
    """That guardrails or a person once let a document through, whatever became of it."""
    return or_(documents.c.status.in_([status.value for status in _TAKEN_ON]), documents.c.attempt > 0)
