"""Every read of documents, attempts and sends for people and jobs."""

from collections.abc import Collection, Iterator
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, FromClause, TextClause, and_, exists, func, not_, or_, select, text, tuple_

from bot.errors import NoSuchDocument
from bot.ledger.conversations import Asked, answers_at, is_told_of_changes
from bot.ledger.engine import Database
from bot.ledger.moves import read_document
from bot.ledger.past import told_of_past
from bot.ledger.tables import BUILT, LIKE_DUE, NOTE_DUE, UNSETTLED, attempts, documents, moves, sends
from bot.ledger.views import Attempt, Document, Send, asked_at, document_of
from guardrails.documents import AtUri, Did, DocId, Kind
from guardrails.transitions import NO_ASK, Reason, Status, is_terminal

# What may wait for a cap: to be let through, or for its author's money.
_WAITS = (Status.RECEIVED, Status.PENDING_BUILD, Status.BUILDING)


class Queries:
    """Reads; nothing here writes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def document(self, document_id: str) -> Document:
        """A document by its whole id; NoSuchDocument when there is none."""
        with self._db.read() as connection:
            found = read_document(connection, document_id)
        if found is None:
            raise NoSuchDocument(self._told_of_past(document_id) or f"no document {document_id}")
        return found

    def find(self, name: str) -> Document:
        """A document by its id, a unique beginning or the record key of one, its post's at-uri or its app's slug."""
        exact = self._some(or_(documents.c.id == name, documents.c.source_uri == name, documents.c.slug == name))
        if exact:
            return exact[0]
        matching = self._some(_begins(documents.c.id, name)) if name else []
        found = matching or self._some(_ends(documents.c.id, ":" + name))
        if len(found) == 1:
            return found[0]
        if found:
            raise NoSuchDocument("more than one document answers to that")
        raise NoSuchDocument(self._told_of_past(name) or "no document answers to that")

    def conversation(self, author_did: str, uri: str) -> list[Document]:
        """An author's documents that were asked in a post, or are answered by it, with an app or with a line."""
        c = documents.c
        said = select(sends.c.document_id).where(sends.c.uri == uri, sends.c.state == "answered", sends.c.op == "put")
        about = or_(c.source_uri == uri, c.reply_uri == uri, c.id.in_(said))
        query = select(documents).where(c.author_did == author_did, about)
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(query.order_by(c.created_at, c.id))]

    def waiting(self, status: Status, limit: int) -> list[Document]:
        """Documents of a status whose time has come, oldest first."""
        due = or_(documents.c.not_before.is_(None), documents.c.not_before <= self._db.now())
        query = select(documents).where(documents.c.status == status.value, due)
        ordered = query.order_by(documents.c.created_at, documents.c.id).limit(limit)
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(ordered)]

    def ready_to_answer(self, limit: int) -> list[Document]:
        """Built documents whose reply is neither claimed nor held: everybody's oldest first, then the second ones."""
        c = documents.c
        turn = func.row_number().over(partition_by=c.author_did, order_by=(c.created_at, c.id))
        firsts = (
            select(documents).where(self._is_ready(documents), not_(self._is_second())).order_by(c.created_at, c.id)
        )
        by_turns = select(documents).where(self._is_ready(documents)).order_by(turn, c.created_at, c.id)
        with self._db.read() as connection:
            found = connection.execute(firsts.limit(limit)).all()
            # Only where there are too few to fill the round, everything that is ready is put in order.
            if 0 < len(found) < limit:
                found = connection.execute(by_turns.limit(limit)).all()
        return [document_of(row) for row in found]

    def held_replies(self) -> list[Document]:
        """Built documents whose reply waits for a person, oldest first."""
        query = select(documents).where(documents.c.reply_held.is_not(None)).order_by(documents.c.created_at)
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(query)]

    def to_like(self, limit: int) -> list[Document]:
        """Documents that are to be acknowledged, oldest first."""
        return self._due(text(LIKE_DUE), limit)

    def to_tell(self, limit: int) -> list[Document]:
        """Documents whose end may be told to the asker and whose time has come, oldest first.

        That an open ask waits for a cap is told at once, of one that joined another nothing before that one is over.
        """
        c, first = documents.c, documents.alias()
        waits = c.status.in_([status.value for status in _WAITS])
        due = or_(waits, c.not_before.is_(None), c.not_before <= self._db.now())
        over = first.c.status.in_([status.value for status in Status if is_terminal(Kind.MENTION, status)])
        alone = or_(c.reason != Reason.SAME_ASK.value, exists().where(first.c.id == c.joined_to, over))
        return self._due(and_(text(NOTE_DUE), due, alone), limit)

    def send(self, key: str) -> Send:
        """The newest send of a key; NoSuchDocument when there is none."""
        query = select(sends).where(sends.c.key == key).order_by(sends.c.id.desc()).limit(1)
        with self._db.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise NoSuchDocument(f"nothing was ever sent as {key}")
        return Send(**row._mapping)

    def each_since(self, since: datetime, page: int) -> Iterator[Document]:
        """Every document that came since then, oldest first; read in pages, since there may be many."""
        c, at, last = documents.c, since, ""
        while True:
            later = or_(c.created_at > at, and_(c.created_at == at, c.id > last))
            found = self._due(later, page)
            yield from found
            if len(found) < page:
                return
            at, last = found[-1].created_at, found[-1].id

    def asked_by(self, handle: str, rkey: str) -> list[Document]:
        """The newest document of a record key whose author had this handle when asking, if there is one."""
        c = documents.c
        theirs = select(documents).where(c.author_handle == handle, _ends(c.source_uri, f"/{rkey}"))
        with self._db.read() as connection:
            newest = connection.execute(theirs.order_by(c.created_at.desc(), c.id.desc()).limit(1))
            return [document_of(row) for row in newest]

    def handles_of(self, dids: Collection[str]) -> dict[Did, str]:
        """The handle under which each of these has last asked, as far as it is known."""
        c, handles = documents.c, {}
        with self._db.read() as connection:
            for did in dids:
                theirs = select(c.author_handle).where(c.author_did == did, c.author_handle != "")
                last = theirs.order_by(c.created_at.desc(), c.id.desc()).limit(1)
                handle = connection.execute(last).scalar_one_or_none()
                if handle is not None:
                    handles[Did(did)] = handle
        return handles

    def dids_of(self, handle: str) -> list[Did]:
        """Who has asked under a handle, whoever asked last first."""
        query = (
            select(documents.c.author_did)
            .where(documents.c.author_handle == handle)
            .group_by(documents.c.author_did)
            .order_by(func.max(documents.c.created_at).desc())
        )
        with self._db.read() as connection:
            return [Did(did) for did in connection.execute(query).scalars()]

    def oldest_to_answer(self) -> datetime | None:
        """When the oldest mention that is held and is not from before the first start was indexed; None for none."""
        with self._db.read() as connection:
            bodies = connection.execute(select(documents.c.body)).scalars()
            moments = [_indexed_at(body) for body in bodies if body.get("stale") is False]
        return min(moments, default=None)

    def let_through(self, since: datetime, asked_since: datetime) -> int:
        """How many builds the bot let through since a moment, for what was asked since another, and for retries.

        Whatever became of them; what a person let through is theirs, and what had waited for a bot that was away is
        no rush.
        """
        c = documents.c
        asked = select(c.source_uri, c.created_at, c.body)
        lately = select(moves.c.document_id).where(moves.c.name == "accept", moves.c.at >= since)
        again = select(func.count()).where(moves.c.name == "ask_again", moves.c.at >= since)
        with self._db.read() as connection:
            accepted = connection.execute(asked.where(c.id.in_(lately))).all()
            retried = connection.execute(again).scalar_one()
        times = (asked_at(row.source_uri, row.created_at, partial(_indexed_at, row.body)) for row in accepted)
        return retried + sum(at >= asked_since for at in times)

    def is_rush(self, most: int, since: datetime, asked_since: datetime) -> bool:
        """Whether more builds than `most` were let through since a moment, as `let_through` counts them."""
        made = (
            select(func.count()).where(moves.c.name == name, moves.c.at >= since) for name in ("accept", "ask_again")
        )
        with self._db.read() as connection:
            in_all = sum(connection.execute(each).scalar_one() for each in made)
        # The asks themselves are looked into only where they may come to so many.
        return in_all > most and self.let_through(since, asked_since) > most

    def answers_at(self, uris: Collection[AtUri]) -> dict[AtUri, Asked]:
        """Which document each of these posts of ours answers; other posts are left out."""
        if not uris:
            return {}
        with self._db.read() as connection:
            return answers_at(connection, uris)

    def joined_to(self, first: DocId) -> list[Document]:
        """The asks that joined another and were not taken back, oldest first."""
        c = documents.c
        joined = and_(c.status == Status.SKIPPED.value, c.reason == Reason.SAME_ASK.value, c.withdrawn_at.is_(None))
        query = select(documents).where(c.joined_to == first, joined).order_by(c.created_at, c.id)
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(query)]

    def is_told_of_changes(self, document: Document) -> bool:
        """Whether the line about a wish for a change was said in a document's thread, be it for another one."""
        with self._db.read() as connection:
            return is_told_of_changes(connection, document)

    def under_claim(self) -> list[Document]:
        """Documents that a lane has claimed, be its lease over or not, oldest first."""
        query = select(documents).where(documents.c.claim_id.is_not(None))
        with self._db.read() as connection:
            rows = connection.execute(query.order_by(documents.c.created_at, documents.c.id))
            return [document_of(row) for row in rows]

    def attempts(self, document_id: str) -> list[Attempt]:
        """The attempts of a document, first to last."""
        query = select(attempts).where(attempts.c.document_id == document_id).order_by(attempts.c.attempt)
        with self._db.read() as connection:
            return [Attempt(**row._mapping) for row in connection.execute(query)]

    def sends(self, document_id: str) -> list[Send]:
        """What was said about a document, first to last."""
        query = select(sends).where(sends.c.document_id == document_id).order_by(sends.c.id)
        with self._db.read() as connection:
            return [Send(**row._mapping) for row in connection.execute(query)]

    def newest_sends(self, limit: int) -> list[Send]:
        """Every send, settled or not, the newest first."""
        with self._db.read() as connection:
            rows = connection.execute(select(sends).order_by(sends.c.id.desc()).limit(limit))
            return [Send(**row._mapping) for row in rows]

    def unsettled_sends(self, limit: int | None = None) -> list[Send]:
        """Claimed sends that are unknown, refused ones that may still land, and those in conflict, oldest first."""
        query = select(sends).where(text(UNSETTLED)).order_by(sends.c.id).limit(limit)
        with self._db.read() as connection:
            return [Send(**row._mapping) for row in connection.execute(query)]

    def last_ask(self, author_did: str) -> list[Document]:
        """The newest ask of an author that was not taken back, if there is one."""
        c = documents.c
        is_one = c.reason.not_in([reason.value for reason in NO_ASK])
        query = select(documents).where(c.author_did == author_did, c.withdrawn_at.is_(None), is_one)
        with self._db.read() as connection:
            newest = connection.execute(query.order_by(c.created_at.desc(), c.id.desc()).limit(1))
            return [document_of(row) for row in newest]

    def times_asked_again(self, document_id: str) -> int:
        """How often its author had a failed build of a document tried again."""
        again = and_(moves.c.document_id == document_id, moves.c.name == "ask_again")
        with self._db.read() as connection:
            return connection.execute(select(func.count()).select_from(moves).where(again)).scalar_one()

    def _is_ready(self, built: FromClause) -> ColumnElement[bool]:
        """That what is built may be answered now."""
        c = built.c
        due = or_(c.not_before.is_(None), c.not_before <= self._db.now())
        return and_(c.status == Status.BUILT.value, c.sending.is_(False), c.reply_held.is_(None), due)

    def _is_second(self) -> ColumnElement[bool]:
        """That an older one of the same author is ready as well."""
        c, older = documents.c, documents.alias()
        is_older = tuple_(older.c.created_at, older.c.id) < tuple_(c.created_at, c.id)
        return exists().where(text(BUILT), older.c.author_did == c.author_did, is_older, self._is_ready(older))

    def _due(self, hint: ColumnElement[bool] | TextClause, limit: int) -> list[Document]:
        query = select(documents).where(hint).order_by(documents.c.created_at, documents.c.id).limit(limit)
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(query)]

    def _some(self, condition: ColumnElement[bool]) -> list[Document]:
        with self._db.read() as connection:
            rows = connection.execute(select(documents).where(condition).limit(2))
            return [document_of(row) for row in rows]

    def _told_of_past(self, name: str) -> str | None:
        with self._db.read() as connection:
            return told_of_past(connection, name)


def _indexed_at(body: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(body["indexed_at"])


# LIKE reads signs as wild cards, and on SQLite small letters as capitals; in an id each sign is itself.
def _begins(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    return func.substr(column, 1, len(name)) == name


def _ends(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    return func.substr(column, func.length(column) - len(name) + 1) == name
