"""What the bot says in public, each under a send key that is claimed before and answered after."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, select, update
from sqlalchemy.exc import IntegrityError

from bot.errors import LostRace, NoAnswerLeft
from bot.ledger.engine import Database
from bot.ledger.known import Trace, told_key
from bot.ledger.moves import REPLY_PREFIX, Step, apply, read_document
from bot.ledger.prepared import add, write
from bot.ledger.send_rows import (
    ANSWERED,
    CLAIMED,
    PUT,
    REFUSED,
    as_is,
    live_send,
    lock_document,
    send_at,
    send_of,
    settled_now,
    write_over,
)
from bot.ledger.tables import documents, known_ids, past, send_blobs, sends
from bot.ledger.tally import Change, change, day_of, present
from bot.ledger.views import Document, Send
from guardrails.access import Action, Caller, check_access
from guardrails.documents import POST_COLLECTION, DocId, RecordKey, StrongRef, split_at_uri
from guardrails.tid import is_tid, parse_tid, tid_at
from guardrails.transitions import Reason, Status, check_move, is_terminal


@dataclass(frozen=True)
class Frozen:
    """A record as it will be sent, byte for byte: its collection, key, JSON value and CID."""

    collection: str
    rkey: RecordKey
    record: Mapping[str, Any]
    cid: str


def reply_key(document_id: DocId) -> str:
    """The send key of the one reply to a document."""
    return f"{REPLY_PREFIX}{document_id}"


class Sends:
    """Claim, try, settle. A `Send` is only made here, after its key was won: to have one is the permit to send."""

    def __init__(self, db: Database, try_lease: timedelta) -> None:
        self._db = db
        self._try_lease = try_lease

    def claim_reply(
        self, caller: Caller, document: Document, frozen: Frozen, picture: tuple[str, bytes] | None = None
    ) -> Send:
        """Win the key of the reply to a built document; LostRace when somebody has it or the document has moved.

        The picture, a type and bytes, is what the record names; it is kept until the send is settled.

        The try that follows counts as begun: from here on a crash leaves an unknown outcome, never a silent one.
        """
        check_access(caller, Action.REPLY)
        check_move(document.kind, "answer", document.status, Reason.SENT)
        try:
            with self._db.write() as connection:
                self._mark_sending(connection, document)
                send = self._insert_claim(connection, reply_key(document.id), document.id, frozen, PUT)
                if picture is not None:
                    mime, content = picture
                    connection.execute(send_blobs.insert().values(send_id=send.id, mime=mime, content=content))
                return send
        except IntegrityError as taken:
            raise LostRace(f"the reply to {document.id} is claimed already") from taken

    def claim_aside(self, caller: Caller, key: str, document: Document, frozen: Frozen, op: str = PUT) -> Send:
        """Win the key of a like, a note or a deletion that a document gives rise to; LostRace when it is taken.

        It moves nothing: the document stands as it stands, whatever becomes of it.
        """
        check_access(caller, Action.REPLY)
        try:
            with self._db.write() as connection:
                return self._insert_claim(connection, key, document.id, frozen, op)
        except IntegrityError as taken:
            raise LostRace(f"{key} is claimed already") from taken

    def claim_answer(self, caller: Caller, key: str, document: Document, frozen: Frozen, per_day: int) -> Send:
        """Win the key of a line that is one of so many that its author gets in a day.

        LostRace when the key is taken, NoAnswerLeft when the day's lines are.
        """
        check_access(caller, Action.REPLY)
        try:
            with self._db.write() as connection:
                send = self._insert_claim(connection, key, document.id, frozen, PUT)
                day = day_of(present(self._db, connection))
                if change(self._db, connection, [Change(f"answers:{document.author_did}", day.name, 1, most=per_day)]):
                    raise NoAnswerLeft(f"no answer is left today for {document.author_did}", day.ends)
                return send
        except IntegrityError as taken:
            raise LostRace(f"{key} is claimed already") from taken

    def picture(self, send: Send) -> tuple[str, bytes] | None:
        """The picture of a send as its type and bytes, None when its record names none."""
        with self._db.read() as connection:
            row = connection.execute(select(send_blobs).where(send_blobs.c.send_id == send.id)).one_or_none()
        return (row.mime, row.content) if row is not None else None

    def begin_try(self, send: Send) -> Send:
        """Note that a claimed record is about to be sent once more; LostRace when somebody else tries or settled it."""
        values = {
            "tries": send.tries + 1,
            "unknown_since": send.unknown_since or self._db.now(),
            "next_try_at": self._db.now(self._try_lease),
        }
        return self._change(send, values)

    def not_sent(self, send: Send, problem: str, wait: timedelta, *, still_unknown: bool) -> Send:
        """The try surely did not happen: the claim stays, and is due again after the wait."""
        values = {"problem": problem, "next_try_at": self._db.now(wait)}
        return self._change(send, values if still_unknown else values | {"unknown_since": None})

    def unknown(self, send: Send, problem: str, wait: timedelta) -> Send:
        """Nobody knows whether the try happened: the claim stays unknown, and is looked at again after the wait."""
        since = send.unknown_since or self._db.now()
        return self._change(send, {"problem": problem, "unknown_since": since, "next_try_at": self._db.now(wait)})

    def in_conflict(self, send: Send, conflict: str) -> Send:
        """Something else stands under our record key: kept for a person, tried no more."""
        return self._change(send, {"conflict": conflict, "problem": conflict, "next_try_at": None})

    def freeze_anew(self, send: Send, record: Mapping[str, Any], cid: str) -> Send:
        """Put a new record under the same key, after a proven absence; every version's CID is kept."""
        values = {"record": dict(record), "cid": cid, "cids": [*send.cids, cid], "unknown_since": None}
        return self._change(send, values)

    def answered(self, caller: Caller, send: Send, ref: StrongRef, reason: Reason = Reason.SENT) -> Send:
        """The record is in our repository: the key is answered, and the document replied in the same transaction.

        A move that no longer fits is noted on the send. Answered already is no error; what is in the repository
        outweighs a refusal, and settles the claim that took the place of a refused one.
        """
        check_access(caller, Action.REPLY)
        with self._db.write() as connection:
            document = lock_document(connection, send)
            target = live_send(connection, send.key) or as_is(connection, send)
            if target.state == ANSWERED:
                return target
            settled = self._settle(connection, target, ref.uri, ref.cid)
            return self._note_move(connection, document, settled, Step("answer", reason, caller))

    def refused(self, caller: Caller, send: Send, problem: str, *, may_land: bool = False) -> Send:
        """The record was refused for good: the key is free again and the document goes to error with the reason.

        Settled already is no error; LostRace when another try has begun, whose outcome nobody knows yet. With
        `may_land` an earlier try may still be on its way: the record is looked for once more, and nobody wins the key
        before that.
        """
        check_access(caller, Action.REPLY)
        with self._db.write() as connection:
            document = lock_document(connection, send)
            present = as_is(connection, send)
            if present.state != CLAIMED:
                return present
            values = settled_now(self._db) | {"state": REFUSED, "problem": problem}
            if may_land:
                values["next_try_at"] = self._db.now(self._try_lease)
            settled = write_over(connection, send, values)
            return self._note_move(
                connection, document, settled, Step("refuse_send", Reason.SEND_REFUSED, caller, problem)
            )

    def adopt(self, caller: Caller, document_id: DocId, frozen: Frozen, uri: str, trace: Trace = Trace.REPLY) -> bool:
        """A post of ours was found in the repository: settle its mention's key, or remember the id as answered.

        Words answer nothing: that they were said is kept, so that no note says it again. True when that was news to
        this ledger.
        """
        check_access(caller, Action.REPLY)
        with self._db.write() as connection:
            document = read_document(connection, document_id, lock=True)
            if connection.execute(select(past.c.id).where(past.c.id == document_id)).first() is not None:
                return False
            known = send_at(connection, frozen.collection, frozen.rkey)
            is_its_reply = known is not None and known.key == reply_key(document_id)
            if trace is Trace.WORDS and not is_its_reply:
                return known is None and self._tell(connection, document_id, document, frozen, uri)
            # A note or a like of ours is known as what it is, and answers nothing.
            if document is not None and known is not None and not is_its_reply and known.document_id == document_id:
                return False
            if document is None or (known is not None and not is_its_reply):
                return self._remember(connection, document_id, uri, trace)
            if trace is Trace.LINK and not is_its_reply:
                return self._remember(connection, document_id, uri, trace)
            # Also when it stands under another record key, as after a restored backup: the mention is answered.
            present = live_send(connection, reply_key(document_id)) or known
            if present is not None and present.state == ANSWERED:
                return False
            if present is None:
                present = self._insert_found(connection, reply_key(document_id), document_id, frozen)
            settled = self._settle(connection, present, uri, frozen.cid)
            self._note_move(connection, document, settled, Step("answer", Reason.ADOPTED, caller))
            return True

    def finish_adopted(self, caller: Caller, document: Document) -> Document:
        """A built document whose reply was found before it was built: replied, without a second send."""
        check_access(caller, Action.REPLY)
        with self._db.write() as connection:
            uri = _answer_to(connection, document.id)
            if uri is None:
                raise LostRace(f"no answered reply to {document.id}")
            by_hand = and_(known_ids.c.reply_uri == uri, known_ids.c.taken_back_at.is_not(None))
            left_alone = connection.execute(select(known_ids.c.id).where(by_hand)).first() is not None
            sets: dict[str, object] = {"reply_uri": None if left_alone else uri, "sending": False}
            return apply(self._db, connection, document, Step("answer", Reason.ADOPTED, caller, sets=sets))

    def put_at(self, collection: str, rkey: RecordKey) -> Send | None:
        """What was said under a record key, None when this ledger knows nothing of it."""
        with self._db.read() as connection:
            return send_at(connection, collection, rkey)

    def is_answered(self, document_id: DocId) -> bool:
        """Whether this ledger knows of a reply to the document: an answered key, or an id known as answered."""
        with self._db.read() as connection:
            return _answer_to(connection, document_id) is not None

    def last_answered_key(self) -> RecordKey | None:
        """The newest record key of a post that was answered, where the start-up look may end; None on a fresh ledger.

        Only a key that names a moment up to now: an odd key of a post made by hand would end the look too early.
        """
        with self._db.read() as connection:
            now = connection.execute(select(self._db.now())).scalar_one()
            posts = and_(sends.c.collection == POST_COLLECTION, sends.c.state == ANSWERED)
            newest = select(sends.c.rkey).where(posts).order_by(sends.c.rkey.desc()).limit(1)
            key = connection.execute(newest.where(sends.c.rkey <= tid_at(now, 1023))).scalar_one_or_none()
            while key is not None and not is_tid(key):
                key = connection.execute(newest.where(sends.c.rkey < key)).scalar_one_or_none()
        return RecordKey(key) if key is not None else None

    def _insert_claim(self, connection: Connection, key: str, document_id: DocId, frozen: Frozen, op: str) -> Send:
        if connection.execute(_LANDING, {"the_key": key}).first() is not None:
            raise LostRace(f"what was refused as {key} may still land")
        row = _row(key, document_id, frozen, CLAIMED) | {
            "op": op,
            "tries": 1,
            "unknown_since": self._db.now(),
            "next_try_at": self._db.now(self._try_lease),
            "claimed_at": self._db.now(),
        }
        return send_of(add(connection, sends, row, told=True).one())

    def _mark_sending(self, connection: Connection, document: Document) -> None:
        """Bind the claim to the document's version, so that a withdrawal and a claim cannot both win."""
        marked = connection.execute(_MARKING, {"the_id": document.id, "the_version": document.version})
        if not marked.rowcount:
            raise LostRace(f"{document.id} is not built at version {document.version} any more")

    def _change(self, send: Send, values: dict[str, Any]) -> Send:
        with self._db.write() as connection:
            return write_over(connection, send, values)

    def _settle(self, connection: Connection, send: Send, uri: str, cid: str) -> Send:
        """Settle a send as answered, over any state that it was read in: what is in the repository is there."""
        values = settled_now(self._db) | {"state": ANSWERED, "uri": uri, "cid": cid}
        return send_of(write(connection, sends, {"id": send.id}, values, told=True).one())

    def _remember(self, connection: Connection, document_id: DocId, uri: str, trace: Trace) -> bool:
        row: dict[str, Any] = {"id": document_id, "reply_uri": uri, "at": _said_at(uri) or self._db.now()}
        # What may be by hand counts as taken back: nobody does it.
        left_alone = {"taken_back_at": self._db.now()} if trace is Trace.LINK else {}
        known = self._db.insert(known_ids).values(row | left_alone).on_conflict_do_nothing().returning(known_ids.c.id)
        return connection.execute(known).first() is not None

    def _tell(
        self, connection: Connection, document_id: DocId, document: Document | None, frozen: Frozen, uri: str
    ) -> bool:
        """Keep that words of ours stand under a mention, which may be read only later; once, however many they are."""
        if live_send(connection, told_key(document_id)) is not None:
            return False
        wordless = replace(frozen, record={})
        told = self._insert_found(connection, told_key(document_id), document.id if document else None, wordless)
        self._settle(connection, told, uri, frozen.cid)
        return True

    def _insert_found(self, connection: Connection, key: str, document_id: DocId | None, frozen: Frozen) -> Send:
        row = _row(key, document_id, frozen, CLAIMED) | {"claimed_at": self._db.now()}
        return send_of(add(connection, sends, row, told=True).one())

    def _note_move(self, connection: Connection, document: Document | None, send: Send, step: Step) -> Send:
        """Move the document, which is locked, by what became of its send."""
        connection.execute(_PICTURE_GOES, {"the_send": send.id})
        if document is None or send.key != reply_key(document.id):
            return send
        if document.status is not Status.BUILT:
            note = f"the document was {document.status.value}"
            connection.execute(update(sends).where(sends.c.id == send.id).values(note=note))
            if send.uri is not None and document.reply_uri is None and is_terminal(document.kind, document.status):
                # No move, but it is public: whoever takes the ask back takes it back, too.
                here = update(documents).where(documents.c.id == document.id)
                connection.execute(here.values(reply_uri=send.uri, version=document.version + 1))
            return as_is(connection, send)
        sets: dict[str, object] = {"sending": False} | ({"reply_uri": send.uri} if send.uri else {})
        apply(self._db, connection, document, replace(step, sets=sets))
        return send


_LANDING = select(sends.c.id).where(
    sends.c.key == bindparam("the_key"), sends.c.state == REFUSED, sends.c.next_try_at.is_not(None)
)
_MARKING = (
    update(documents)
    .where(
        documents.c.id == bindparam("the_id"),
        documents.c.version == bindparam("the_version"),
        documents.c.status == Status.BUILT.value,
        documents.c.sending.is_(False),
        documents.c.reply_held.is_(None),
    )
    .values(version=documents.c.version + 1, sending=True)
)
_PICTURE_GOES = delete(send_blobs).where(send_blobs.c.send_id == bindparam("the_send"))


def _answer_to(connection: Connection, document_id: DocId) -> str | None:
    """Where the reply to a document is, as far as this ledger knows."""
    live = live_send(connection, reply_key(document_id))
    if live is not None and live.state == ANSWERED:
        return live.uri
    return connection.execute(select(known_ids.c.reply_uri).where(known_ids.c.id == document_id)).scalar_one_or_none()


def _said_at(uri: str) -> datetime | None:
    """When a post was made, by its record key; None for a key that tells nothing of it."""
    try:
        return parse_tid(split_at_uri(uri).rkey).at
    except (ValueError, OverflowError):
        return None


def _row(key: str, document_id: DocId | None, frozen: Frozen, state: str) -> dict[str, Any]:
    return {
        "key": key,
        "document_id": document_id,
        "collection": frozen.collection,
        "rkey": frozen.rkey,
        "state": state,
        "record": dict(frozen.record),
        "cid": frozen.cid,
        "cids": [frozen.cid],
        "tries": 0,
    }
