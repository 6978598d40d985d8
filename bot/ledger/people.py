"""People: whom operators deny or allow, and who wants to be forgotten."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, delete, or_, select

from bot.ledger.among import among
from bot.ledger.audit import note
from bot.ledger.conditions import clear_condition, elsewhere_of
from bot.ledger.engine import Database
from bot.ledger.forgetting import (
    blank_document,
    blank_in_others,
    blank_parked,
    blank_settled_sends,
    forget_past,
    is_about,
    lately_forgotten,
    open_about,
    still_to_blank,
)
from bot.ledger.known import Known
from bot.ledger.moves import Step, apply, read_document
from bot.ledger.purging import purge_words
from bot.ledger.sightings import take_down
from bot.ledger.tables import documents, people, watermarks
from bot.ledger.views import Document, Person, person_of
from guardrails.access import Action, Caller, Role, check_access
from guardrails.documents import Did, DocId, Kind
from guardrails.facts import Standing
from guardrails.slugs import burnt
from guardrails.transitions import Reason, Status, sources_of

_BY_OPERATORS = (Standing.DENIED, Standing.ALLOWED)
_DEEDS = {Standing.DENIED: "deny", Standing.ALLOWED: "allow", Standing.FORGOTTEN: "forget"}
_AT_A_TIME = 100
_OPEN = sources_of(Kind.MENTION, "withdraw")


class People:
    """One row for each DID and what holds of it; it stands before the open work of that DID is ended.

    So what is judged meanwhile is either seen here or, once it was seen here, judged by what the row says.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def deny(self, caller: Caller, did: Did, reason: str, until: datetime | None = None) -> tuple[DocId, ...]:
        """Nobody of this DID asks any more, until a moment if there is one; the open documents that this stopped.

        A reply that is on its way goes out.
        """
        check_access(caller, Action.DECIDE)
        self._say(caller, did, Standing.DENIED, reason, until)
        each = replace(caller, action_id=None)  # it is the denial's
        return tuple(found for found in self._documents_of(did) if self._stop(each, found, reason))

    def allow(self, caller: Caller, did: Did, reason: str, until: datetime | None = None) -> None:
        """Vouch for a DID, until a moment if there is one; what was denied before is allowed from now on."""
        check_access(caller, Action.DECIDE)
        self._say(caller, did, Standing.ALLOWED, reason, until)

    def lift(self, caller: Caller, did: Did) -> bool:
        """Take back what an operator has said of a DID; False when none has said anything."""
        check_access(caller, Action.DECIDE)
        with self._db.write() as connection:
            lifted = self._unsay(connection, did, *_BY_OPERATORS)
            if lifted:
                note(self._db, connection, caller, "lift", did)
            return lifted

    def forget(self, caller: Caller, did: Did, keep: DocId | None = None) -> None:
        """End, take back and blank everything of a DID; what it says from now on is for `remember` only.

        What others have asked about its posts ends as well, but for what has an answer by then or on its way.

        `keep`: the document in which its author asked for it, left to end as the command that it is; `tidy` blanks it.
        """
        check_access(caller, Action.FORGET)
        self._say(caller, did, Standing.FORGOTTEN, "", None)
        for found in self._documents_of(did):
            if found != keep:
                self._forget(caller, found)
        known = Known(self._db)
        while lost := known.of_author(did, _AT_A_TIME):
            for reply in lost:
                known.take_back(_as_bot(caller), reply)
        forget_past(self._db, did)
        self._leave_alone(caller, did)
        blank_in_others(self._db, did)
        with self._db.write() as connection:
            blank_parked(connection)
        purge_words(self._db)

    def remember(self, caller: Caller, did: Did, since: datetime) -> bool:
        """Somebody who was forgotten may ask again, and is heard since then; False when nobody had forgotten them."""
        check_access(caller, Action.FORGET)
        mark = self._db.insert(watermarks).values(name=_back(did), at=since)
        with self._db.write() as connection:
            if not self._unsay(connection, did, Standing.FORGOTTEN):
                return False
            connection.execute(mark.on_conflict_do_update(index_elements=["name"], set_={"at": since}))
            note(self._db, connection, caller, "remember", did)
            return True

    def unpublished(self, caller: Caller, slug: str) -> bool:
        """An app of somebody who is forgotten is gone elsewhere, too, and its address is let go of.

        False when none stands there as far as the ledger knows.
        """
        check_access(caller, Action.DECIDE)
        with self._db.write() as connection:
            gone = clear_condition(connection, elsewhere_of(slug))
            if gone:
                note(self._db, connection, caller, "unpublished", burnt(slug))
            return gone

    def back_since(self, dids: Collection[Did]) -> dict[Did, datetime]:
        """Since when those of them are heard again who were forgotten once; what they said before is left alone."""
        names = {_back(did): did for did in dids}
        with self._db.read() as connection:
            query = select(watermarks.c.name, watermarks.c.at).where(among(connection, watermarks.c.name, names))
            return {names[row.name]: row.at for row in connection.execute(query)}

    def tidy(self, caller: Caller) -> int:
        """Blank what was still under way when its author was forgotten; how many documents that were."""
        check_access(caller, Action.FORGET)
        late = still_to_blank(self._db)
        for found in late:
            self._forget(caller, found)
        blank_settled_sends(self._db)
        for did, since in lately_forgotten(self._db).items():
            self._leave_alone(caller, did)
            blank_in_others(self._db, did, since)
        with self._db.write() as connection:
            blank_parked(connection)
            note(self._db, connection, caller, "tidy", "people")
        purge_words(self._db)
        return len(late)

    def standing_of(self, dids: Collection[Did]) -> dict[Did, frozenset[Standing]]:
        """What holds of each of these DIDs now; nothing does of most."""
        with self._db.read() as connection:
            return standing_of(self._db, connection, dids)

    def rows(self) -> list[Person]:
        """Everything that is laid down about people, also what is over, by DID."""
        with self._db.read() as connection:
            rows = connection.execute(select(people).order_by(people.c.did, people.c.standing))
            return [person_of(row) for row in rows]

    def _say(self, caller: Caller, did: Did, standing: Standing, reason: str, until: datetime | None) -> None:
        said = {"until": until, "reason": reason, "device": caller.device, "at": self._db.now()}
        row = self._db.insert(people).values({"did": did, "standing": standing.value} | said)
        with self._db.write() as connection:
            if standing in _BY_OPERATORS:
                self._unsay(connection, did, *_BY_OPERATORS)
            connection.execute(row.on_conflict_do_update(index_elements=["did", "standing"], set_=said))
            note(self._db, connection, caller, _DEEDS[standing], did, reason)

    def _unsay(self, connection: Connection, did: Did, *standings: Standing) -> bool:
        said = people.c.standing.in_([standing.value for standing in standings])
        return bool(connection.execute(delete(people).where(people.c.did == did, said)).rowcount)

    def _documents_of(self, did: Did) -> list[DocId]:
        query = select(documents.c.id).where(documents.c.author_did == did)
        with self._db.read() as connection:
            ordered = query.order_by(documents.c.created_at, documents.c.id)
            return [DocId(found) for found in connection.execute(ordered).scalars()]

    def _stop(self, caller: Caller, document_id: DocId, reason: str) -> bool:
        with self._db.write() as connection:
            document = read_document(connection, document_id, lock=True)
            if document is None or not _can_end(document):
                return False
            apply(self._db, connection, document, Step("stop", Reason.DENIED, caller, reason))
            take_down(self._db, connection, document, Reason.DENIED)
            return True

    def _leave_alone(self, caller: Caller, did: Did) -> None:
        """End what others have asked about posts of a DID.

        What was received only is judged by what holds by then, as somebody may have commanded something.
        """
        for found in open_about(self._db, did):
            with self._db.write() as connection:
                document = read_document(connection, found, lock=True)
                if document is None or document.status is Status.RECEIVED or not _can_end(document):
                    continue
                if is_about(document, did):
                    sets = {"withdrawn_at": self._db.now()}
                    step = Step("withdraw", Reason.OPTED_OUT, _as_bot(caller), sets=sets)
                    apply(self._db, connection, document, step)
                    take_down(self._db, connection, document, Reason.TAKEN_DOWN)

    def _forget(self, caller: Caller, document_id: DocId) -> None:
        with self._db.write() as connection:
            document = read_document(connection, document_id, lock=True)
            if document is not None and _can_end(document):
                document = apply(self._db, connection, document, Step("withdraw", Reason.FORGOTTEN, _as_bot(caller)))
            if document is not None:
                blank_document(self._db, connection, document)


def standing_of(db: Database, connection: Connection, dids: Collection[Did]) -> dict[Did, frozenset[Standing]]:
    """What holds of each of these DIDs now, within a transaction."""
    valid = or_(people.c.until.is_(None), people.c.until > db.now())
    query = select(people.c.did, people.c.standing).where(among(connection, people.c.did, dids), valid)
    standing: dict[Did, frozenset[Standing]] = dict.fromkeys(dids, frozenset())
    for row in connection.execute(query):
        standing[row.did] |= {Standing(row.standing)}
    return standing


def _as_bot(caller: Caller) -> Caller:
    """A withdrawal is the bot's move, whoever asked for it; the history names the device."""
    return Caller(Role.BOT, caller.device)


def _back(did: Did) -> str:
    return f"back:{did}"


def _can_end(document: Document) -> bool:
    return document.status in _OPEN and not document.sending
