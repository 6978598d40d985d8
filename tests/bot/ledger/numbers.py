"""Numbers of the history that transactions take and keep, commit or roll back."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, event, text

from bot.ledger.feed import Feed
from bot.ledger.ledger import Ledger
from bot.ledger.settled import Settled
from guardrails.documents import DocId

_MOVE = text("""
INSERT INTO moves (document_id, kind, name, from_status, to_status, version, actor, device, reason, detail, at)
SELECT document_id, kind, name, from_status, to_status, (SELECT last_value + 100 FROM moves_seq_seq),
       actor, device, reason, detail, clock_timestamp()
FROM moves WHERE document_id = :id AND version = 1 RETURNING seq
""")


def taken(connection: Connection, document_id: DocId) -> int:
    """The number of one move more of a document, not committed yet."""
    seq: int = connection.execute(_MOVE, {"id": document_id}).scalar_one()
    return seq


def moved(ledger: Ledger, document_id: DocId) -> int:
    """The number of one move more of a document."""
    with ledger.db.write() as connection:
        return taken(connection, document_id)


def rolled_back(ledger: Ledger, document_id: DocId) -> int:
    """A number that nobody will ever see."""
    with ledger.db.engine.connect() as connection:
        return taken(connection, document_id)


def seqs(ledger: Ledger, after: int = 0) -> list[int]:
    """Which numbers the feed tells after one."""
    return [move.seq for move in ledger.feed.after(after, 999)]


def fresh(ledger: Ledger, first_seconds: float = 30) -> Feed:
    """The feed of another process, which has seen nothing yet."""
    return Feed(ledger.db, Settled(ledger.db, first_seconds))


@contextmanager
def said_to(ledger: Ledger) -> Iterator[list[str]]:
    """The statements that the database is given, and where each transaction begins."""
    said: list[str] = []

    def begins(_: object) -> None:
        said.append("BEGIN")

    def gives(*told: object) -> None:
        said.append(str(told[2]))

    event.listen(ledger.db.engine, "begin", begins)
    event.listen(ledger.db.engine, "before_cursor_execute", gives)
    yield said
    event.remove(ledger.db.engine, "begin", begins)
    event.remove(ledger.db.engine, "before_cursor_execute", gives)
