"""Ids that are known though this ledger holds no document: after a lost ledger, or since a history was removed."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, or_, select, union_all, update

from bot.ledger.among import among
from bot.ledger.engine import Database
from bot.ledger.send_rows import CLAIMED, DELETE
from bot.ledger.tables import documents, known_ids, past, sends
from guardrails.access import Action, Caller, check_access
from guardrails.documents import AtUri, Did, DocId, Kind, RecordKey, doc_id, doc_id_of, post_of, split_at_uri

DELETE_PREFIX = "delete:"


class Trace(StrEnum):
    """What a post of our account under somebody's post is to the ledger, which may know nothing of it."""

    REPLY = "reply"
    """The bot's: it answers, and goes when what it answers goes."""
    LINK = "link"
    """It may have been the answer, and may be by hand: nothing is said beside it, and it is left alone."""
    WORDS = "words"
    """It tells something, but an app that was asked for is not in it."""


def told_key(document_id: DocId) -> str:
    """The send key of words of ours that were found under a mention."""
    return f"note:found:{document_id}"


def delete_key(uri: AtUri) -> str:
    """The send key of the deletion of something that we said."""
    return f"{DELETE_PREFIX}{uri}"


@dataclass(frozen=True)
class KnownReply:
    """A reply of ours of which there is no document: the id that its mention has, and where it is."""

    id: DocId
    reply_uri: AtUri
    absent_since: datetime | None

    @property
    def post(self) -> AtUri:
        """The mention that it answers."""
        return post_of(self.id)


def known_among(connection: Connection, ids: Collection[str]) -> set[DocId]:
    """Which of these posts need no document: they are known as answered, or their histories were removed."""
    known = select(known_ids.c.id).where(among(connection, known_ids.c.id, ids))
    removed = select(past.c.id).where(among(connection, past.c.id, ids))
    return {DocId(found) for found in connection.execute(union_all(known, removed)).scalars()}


def claim_deletion(db: Database, connection: Connection, uri: AtUri) -> None:
    """Claim the deletion of something that we said, which is due at once; once, whoever asks."""
    parts = split_at_uri(uri)
    row: dict[str, Any] = {
        "key": delete_key(uri),
        "document_id": None,
        "op": DELETE,
        "collection": parts.collection,
        "rkey": parts.rkey,
        "state": CLAIMED,
        "record": {},
        "cid": "",
        "cids": [],
        "tries": 0,
        "claimed_at": db.now(),
    }
    connection.execute(db.insert(sends).values(row).on_conflict_do_nothing())


class Known:
    """Replies without a document: followed as others are, and taken back as others are."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def conversation(self, author_did: Did, uri: AtUri) -> list[KnownReply]:
        """An author's posts that are known as answered and are this one, or are answered by it."""
        try:
            parts = split_at_uri(uri)
        except ValueError:
            return []
        asked = doc_id_of(Kind.MENTION, uri) if parts.did == author_did else None
        theirs = known_ids.c.id.startswith(_ids_of(author_did), autoescape=True)
        found = self._some(or_(known_ids.c.id == asked, and_(known_ids.c.reply_uri == uri, theirs)), 100)
        about = or_(past.c.id == asked, past.c.reply_uri == uri)
        return found + self._removed(and_(past.c.author_did == author_did, about), 100)

    def to_look_at(self, limit: int, every: timedelta, again: timedelta, days: int) -> list[KnownReply]:
        """Those found in so many days whose mention is to be looked at, the longest unseen first.

        `every` so often, and only after `again` where it was absent at the last look.
        """
        c = known_ids.c
        seen = and_(c.absent_since.is_(None), or_(c.looked_at.is_(None), c.looked_at <= self._db.now(-every)))
        absent = and_(c.absent_since.is_not(None), c.looked_at <= self._db.now(-again))
        return self._some(and_(or_(seen, absent), c.at > self._db.now(-timedelta(days=days))), limit)

    def of_author(self, author_did: Did, limit: int) -> list[KnownReply]:
        """Those to an author's posts, wherever they stand."""
        found = self._some(known_ids.c.id.startswith(_ids_of(author_did), autoescape=True), limit)
        return found + self._removed(past.c.author_did == author_did, limit - len(found))

    def is_past(self, document_id: DocId) -> bool:
        """Whether there was a document, and its history was removed."""
        with self._db.read() as connection:
            return connection.execute(select(past.c.id).where(past.c.id == document_id)).first() is not None

    def present(self, known: KnownReply) -> None:
        """The mention was seen."""
        self._looked(known, {"absent_since": None})

    def absent(self, known: KnownReply) -> None:
        """The mention was not there; since when is kept, so that a second look can tell."""
        self._looked(known, {"absent_since": known.absent_since or self._db.now()})

    def unclear(self, known: KnownReply) -> None:
        """The look told nothing."""
        self._looked(known, {})

    def take_back(self, caller: Caller, known: KnownReply) -> None:
        """Claim the deletion of the reply, which is due at once; once, whoever asks."""
        check_access(caller, Action.REPLY)
        with self._db.write() as connection:
            for table in (known_ids, past):
                mark = update(table).where(table.c.id == known.id, table.c.taken_back_at.is_(None))
                connection.execute(mark.values(taken_back_at=self._db.now()))
            claim_deletion(self._db, connection, known.reply_uri)

    def _some(self, which: ColumnElement[bool], limit: int) -> list[KnownReply]:
        c = known_ids.c
        ours = and_(which, c.taken_back_at.is_(None), c.id.not_in(select(documents.c.id)))
        query = select(c.id, c.reply_uri, c.absent_since).where(ours)
        ordered = query.order_by(c.looked_at.is_not(None), c.looked_at, c.at, c.id).limit(limit)
        with self._db.read() as connection:
            return [KnownReply(**row._mapping) for row in connection.execute(ordered)]

    def _removed(self, which: ColumnElement[bool], limit: int) -> list[KnownReply]:
        """Those whose history was removed."""
        c = past.c
        query = select(c.id, c.reply_uri).where(which, c.reply_uri.is_not(None), c.taken_back_at.is_(None))
        with self._db.read() as connection:
            rows = connection.execute(query.order_by(c.id).limit(limit))
            return [KnownReply(row.id, row.reply_uri, None) for row in rows]

    def _looked(self, known: KnownReply, values: dict[str, Any]) -> None:
        statement = update(known_ids).where(known_ids.c.id == known.id)
        with self._db.write() as connection:
            connection.execute(statement.values(**values, looked_at=self._db.now()))


def _ids_of(author: Did) -> str:
    """How the ids of an author's mentions begin."""
    return doc_id(Kind.MENTION, author, RecordKey(""))
