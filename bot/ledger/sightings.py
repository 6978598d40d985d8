"""What was seen of mentions and replies on the network: notes beside the documents, which move nothing."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    and_,
    case,
    exists,
    literal,
    not_,
    or_,
    select,
    text,
    union_all,
    update,
)

from bot.ledger.engine import Database
from bot.ledger.known import DELETE_PREFIX
from bot.ledger.send_rows import ABANDONED, CLAIMED
from bot.ledger.tables import UNSEEN, app_screens, apps, documents, sends
from bot.ledger.tally import present
from bot.ledger.views import Document, document_of
from guardrails.documents import Slug
from guardrails.transitions import Reason, Status

_OPEN = (Status.RECEIVED, Status.AWAITING_APPROVAL, Status.PENDING_BUILD, Status.BUILDING, Status.BUILT)


class Sightings:
    """Which posts are to be looked at, and what was seen; a note is written only over the status that was read."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def to_look_at(
        self, limit: int, every: timedelta, followed_every: timedelta, again: timedelta, days: int
    ) -> list[Document]:
        """Documents whose mention is to be looked at: open ones and those lately answered, longest unseen first.

        Open ones `every` so often, answered ones less often, and either only after `again` where it was absent at the
        last look. `days`: how long a reply is followed. What was withdrawn is left alone while its reply is under way.
        """
        c = documents.c
        order = (c.looked_at.is_not(None), c.looked_at, c.created_at, c.id)
        with self._db.read() as connection:
            open_ones = c.status.in_([status.value for status in _OPEN])
            watched = and_(self._watched(open_ones), self._due(every, again))
            followed = and_(self._followed(connection, days), self._due(followed_every, again))
            first = _first_of([watched, followed], order, limit)
            rows = connection.execute(select(documents).where(c.id.in_(first)).order_by(*order).limit(limit))
            return [document_of(row) for row in rows]

    def followed(self, days: int, limit: int) -> frozenset[str]:
        """The addresses of the posts that are looked at, whenever that is: of so many the latest."""
        c, latest = documents.c, (documents.c.created_at.desc(),)
        with self._db.read() as connection:
            # An index has what stands in a status in this order.
            watched = [self._watched(c.status == status.value) for status in _OPEN]
            first = _first_of([*watched, self._followed(connection, days)], latest, limit)
            query = select(c.source_uri).where(c.id.in_(first)).order_by(*latest).limit(limit)
            return frozenset(connection.execute(query).scalars())

    def look_now(self, posts: Collection[str]) -> None:
        """Something tells that these posts were changed or deleted: they are to be looked at before all others.

        What was absent at the last look waits for the second, as it would have.
        """
        if posts:
            found = and_(documents.c.source_uri.in_(sorted(posts)), documents.c.absent_since.is_(None))
            with self._db.write() as connection:
                connection.execute(update(documents).where(found).values(looked_at=None))

    def to_take_back(self, limit: int) -> list[Document]:
        """Documents that were withdrawn and whose reply is still in our repository, oldest first.

        In whatever status: a reply that was refused, or not known of, at the withdrawal may have been found since.
        Those whose deletion is under way, waits for a person or was given up by one are left out.
        """
        c = documents.c
        withdrawn = and_(c.withdrawn_at.is_not(None), c.reply_deleted_at.is_(None))
        of_it = sends.c.key == literal(DELETE_PREFIX).concat(c.reply_uri)
        begun = exists().where(of_it, sends.c.state.in_([CLAIMED, ABANDONED]))
        query = select(documents).where(withdrawn, c.reply_uri.is_not(None), not_(begun))
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(query.order_by(c.withdrawn_at, c.id).limit(limit))]

    def present(self, document: Document, cid: str) -> Document:
        """The mention was seen at this version; another one than was read is noted as an edit."""
        edited = cid if cid != document.source_cid else None
        return self._looked(document, {"absent_since": None, "edited_cid": edited})

    def absent(self, document: Document) -> Document:
        """The mention was not there; since when is kept, so that a second look can tell."""
        return self._looked(document, {"absent_since": document.absent_since or self._db.now()})

    def unclear(self, document: Document) -> Document:
        """The look told nothing."""
        return self._looked(document, {})

    def withdrawn(self, document: Document, reason: Reason = Reason.DELETED) -> Document:
        """The author took the mention back when it was answered, or about to be; its app goes in the same moment."""
        with self._db.write() as connection:
            same = and_(documents.c.id == document.id, documents.c.status == document.status.value)
            marked = connection.execute(update(documents).where(same).values(withdrawn_at=self._db.now()))
            if marked.rowcount:
                take_down(self._db, connection, document, reason)
            row = connection.execute(select(documents).where(documents.c.id == document.id)).one()
        return document_of(row)

    def unseen_replies(self, limit: int, after: timedelta, until: timedelta) -> list[Document]:
        """Replied documents whose reply the AppView has not shown yet, between these ages."""
        c = documents.c
        query = select(documents).where(
            text(UNSEEN),
            # As an expression: else all that was ever replied to is read.
            c.status.concat("") == Status.REPLIED.value,
            c.updated_at <= self._db.now_once(-after),
            c.updated_at > self._db.now_once(-until),
        )
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(query.order_by(c.updated_at, c.id).limit(limit))]

    def reply_seen(self, document: Document, but: str = "") -> Document:
        """The AppView shows the reply; `but` says, in words for people, why hardly anybody will come by it."""
        said = {"detail": but} if but else {}
        return self._note(document, {"reply_seen_at": self._db.now(), **said})

    def reply_deleted(self, document: Document) -> Document:
        """Our reply is out of the repository."""
        return self._note(document, {"reply_deleted_at": self._db.now()})

    def answer_later(self, document: Document, wait: timedelta, why: str = "") -> Document:
        """Nothing is to be said to a document that is built, or has ended, now; when it is to be thought of again.

        `why` says, in words for people, what it waits for.
        """
        said = {"detail": why} if why else {}
        return self._note(document, {"not_before": self._db.now(wait), **said})

    def liked(self, document: Document) -> Document:
        """Nothing is left to be acknowledged."""
        return self._note(document, {"like_due": False})

    def told(self, document: Document) -> Document:
        """Nothing is left to be told."""
        return self._note(document, {"note_due": False})

    def screen(self, slug: Slug, version: int) -> bytes | None:
        """How a version of an app looked to its lane, None when the lane sent no picture."""
        query = select(app_screens.c.content).where(app_screens.c.slug == slug, app_screens.c.version == version)
        with self._db.read() as connection:
            return connection.execute(query).scalar_one_or_none()

    def _watched(self, open_ones: ColumnElement[bool]) -> ColumnElement[bool]:
        """Of open ones; what was withdrawn is left alone while its reply is under way."""
        settling = and_(documents.c.withdrawn_at.is_not(None), documents.c.sending)
        return and_(open_ones, not_(settling))

    def _followed(self, connection: Connection, days: int) -> ColumnElement[bool]:
        """Those lately answered. Since a moment that PostgreSQL knows as it plans: else it takes them for many."""
        c = documents.c
        return and_(
            c.reply_uri.is_not(None),
            c.status.not_in([status.value for status in _OPEN]),
            c.reply_deleted_at.is_(None),
            c.withdrawn_at.is_(None),
            c.created_at > present(self._db, connection) - timedelta(days=days),
        )

    def _due(self, ago: timedelta, again: timedelta) -> ColumnElement[bool]:
        """Not looked at for so long; `again` counts where it was absent at the last look."""
        c = documents.c
        pace = case((c.absent_since.is_(None), self._db.now_once(-ago)), else_=self._db.now_once(-again))
        return or_(c.looked_at.is_(None), c.looked_at <= pace)

    def _looked(self, document: Document, values: dict[str, Any]) -> Document:
        return self._note(document, values | {"looked_at": self._db.now()})

    def _note(self, document: Document, values: dict[str, Any]) -> Document:
        """Write over the status that was read; somebody else's newer one is left as it is, and given back."""
        same = and_(documents.c.id == document.id, documents.c.status == document.status.value)
        with self._db.write() as connection:
            connection.execute(update(documents).where(same).values(**values))
            row = connection.execute(select(documents).where(documents.c.id == document.id)).one()
        return document_of(row)


def _first_of(
    which: Sequence[ColumnElement[bool]], order: Sequence[ColumnElement[Any]], limit: int
) -> CompoundSelect[Any]:
    """The ids of the first of each list, which an index holds: one condition for both would read everything."""
    lists = (select(documents.c.id).where(each).order_by(*order).limit(limit) for each in which)
    return union_all(*(select(each.subquery().c.id) for each in lists))


def take_down(db: Database, connection: Connection, document: Document, reason: str) -> bool:
    """Take a document's app down in the transaction of what ends it, so that no crash comes in between."""
    there = and_(apps.c.document_id == document.id, apps.c.gone_at.is_(None))
    gone = connection.execute(update(apps).where(there).values(gone_at=db.now(), gone_reason=str(reason)))
    return bool(gone.rowcount)
