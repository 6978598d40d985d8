"""What operators take away again: an app with our reply to it, for good or not, and the same ask held from then on."""

from collections.abc import Mapping

from sqlalchemy import ColumnElement, Connection, and_, func, not_, or_, select, update

from bot.errors import LostRace
from bot.ledger.audit import note
from bot.ledger.engine import Database
from bot.ledger.joining import mark_joined
from bot.ledger.known import Known
from bot.ledger.moves import Step, apply
from bot.ledger.sightings import take_down
from bot.ledger.tables import apps, documents, held_asks
from bot.ledger.views import Document, document_of
from guardrails.access import Action, Caller, Role, check_access
from guardrails.dedupe import ask_digest
from guardrails.documents import Did, DocId
from guardrails.pointing import pointed_at
from guardrails.transitions import Reason, Status, is_terminal

REMOVED = "removed"
"""Why an app is gone that an operator has deleted; no move has this reason, since what was answered stays answered."""

_AT_A_TIME = 100


class Takedowns:
    """Each is written over the version that the operator saw, LostRace otherwise, and moves nothing that has ended.

    A reply that is on its way is settled first, and deleted then: `sightings.to_take_back` gives it out.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def delete(self, caller: Caller, document: Document, why: str = "") -> Document:
        """Take the app and our reply away; its author may ask anew. LostRace for what is neither over nor on its way.

        Whoever joined the ask loses the link with it.
        """
        check_access(caller, Action.DECIDE)
        gone = {"withdrawn_at": self._db.now()}
        with self._db.write() as connection:
            marked = self._mark(connection, document, gone, documents.c.withdrawn_at.is_(None))
            take_down(self._db, connection, document, REMOVED)
            mark_joined(connection, document.id, gone)
            note(self._db, connection, caller, "delete", document.id, why)
            return marked

    def take_down(self, caller: Caller, document: Document, why: str = "", *, keep_reply: bool = False) -> Document:
        """Take the app away for good, and our reply with it unless it is kept; what is open ends.

        Its slug is never given out again, nothing opens the document again, and the same ask waits for a person,
        whoever makes it. Whoever joined the ask loses the link with it, unless replies are kept.
        """
        check_access(caller, Action.DECIDE)
        gone: dict[str, object] = {"taken_down_at": self._db.now()}
        if not keep_reply:
            gone["withdrawn_at"] = func.coalesce(documents.c.withdrawn_at, self._db.now())
        with self._db.write() as connection:
            if is_terminal(document.kind, document.status) or document.sending:
                marked = self._mark(connection, document, gone, documents.c.taken_down_at.is_(None))
                note(self._db, connection, caller, "take_down", document.id, why)
            else:
                step = Step("stop", Reason.TAKEN_DOWN, caller, why, gone, deed="take_down")
                marked = apply(self._db, connection, document, step)
            self._burn(connection, document)
            self._hold_the_same(connection, caller, document)
            mark_joined(connection, document.id, gone)
            return marked

    def of_author(self, did: Did) -> list[Document]:
        """An author's documents that are open, public or taken down, oldest first; what was just skipped is none."""
        c = documents.c
        nothing = and_(c.status == Status.SKIPPED.value, c.slug.is_(None), c.reply_uri.is_(None))
        query = select(documents).where(c.author_did == did, or_(not_(nothing), c.taken_down_at.is_not(None)))
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(query.order_by(c.created_at, c.id))]

    def take_back_known(self, caller: Caller, did: Did) -> list[DocId]:
        """Claim the deletion of our replies to an author of which there is no document; which that were."""
        check_access(caller, Action.DECIDE)
        known, taken = Known(self._db), []
        while found := known.of_author(did, _AT_A_TIME):
            for reply in found:
                known.take_back(Caller(Role.BOT, caller.device), reply)
                taken.append(reply.id)
        return taken

    def _mark(
        self, connection: Connection, document: Document, gone: Mapping[str, object], fresh: ColumnElement[bool]
    ) -> Document:
        """Over the version that was read; no move, since what was answered stays answered."""
        c = documents.c
        over = [status.value for status in Status if is_terminal(document.kind, status)]
        same = and_(c.id == document.id, c.version == document.version, or_(c.status.in_(over), c.sending))
        values = {**gone, "version": document.version + 1, "note_due": False, "like_due": False}
        row = connection.execute(update(documents).where(same, fresh).values(values).returning(documents)).one_or_none()
        if row is None:
            raise LostRace(f"{document.id} is not {document.status.value} at version {document.version} any more")
        return document_of(row)

    def _burn(self, connection: Connection, document: Document) -> None:
        """Whatever its app was gone for before: this reason is for good, and what is public says it."""
        gone = {"gone_at": func.coalesce(apps.c.gone_at, self._db.now()), "gone_reason": Reason.TAKEN_DOWN.value}
        connection.execute(update(apps).where(apps.c.document_id == document.id).values(gone))

    def _hold_the_same(self, connection: Connection, caller: Caller, document: Document) -> None:
        mention = document.mention
        digest = ask_digest(mention.ask, pointed_at(mention.ask, mention.record))
        if digest is None:
            return
        row = {"ask_sha256": digest, "document_id": document.id, "device": caller.device, "at": self._db.now()}
        connection.execute(self._db.insert(held_asks).values(row).on_conflict_do_nothing())
