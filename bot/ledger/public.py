"""The pages of asks that anybody may open: which document is behind one, and behind the link of a post."""

from sqlalchemy import select

from bot.ledger.engine import Database
from bot.ledger.tables import documents
from bot.ledger.views import Document, document_of
from guardrails.documents import Did, Kind, RecordKey, doc_id


class Public:
    """Reads by what strangers may know: the name of a page, an author and a record key."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def at(self, page: str) -> Document | None:
        """The document whose page has this name; None when there is none."""
        query = select(documents).where(documents.c.page == page)
        with self._db.read() as connection:
            row = connection.execute(query).one_or_none()
        return document_of(row) if row is not None else None

    def asked_in(self, author: str, rkey: str) -> Document | None:
        """The document of a post by its author, a DID or the handle that they asked under; None when there is none."""
        query = select(documents).where(documents.c.kind == Kind.MENTION.value)
        if author.startswith("did:"):
            query = query.where(documents.c.id == doc_id(Kind.MENTION, Did(author), RecordKey(rkey)))
        else:
            ends = documents.c.source_uri.endswith(f"/{rkey}", autoescape=True)
            query = query.where(documents.c.author_handle == author, ends)
        with self._db.read() as connection:
            row = connection.execute(query.order_by(documents.c.created_at.desc()).limit(1)).one_or_none()
        return document_of(row) if row is not None else None
