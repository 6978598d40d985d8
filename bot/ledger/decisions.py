"""What a person decides about a send that does not settle itself, or a reply that is held; each with their name."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import Connection, delete, update

from bot.errors import LostRace
from bot.ledger.audit import note
from bot.ledger.engine import Database
from bot.ledger.moves import Step, apply, read_document
from bot.ledger.send_rows import ABANDONED, ANSWERED, CLAIMED, lock_document, send_of, settled_now
from bot.ledger.sends import reply_key
from bot.ledger.tables import documents, send_blobs, sends
from bot.ledger.views import Document, Send
from guardrails.access import Action, Caller, check_access
from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status


class Decisions:
    """Each writes only over what the person saw: LostRace when the send or the document has moved on.

    `window`: how long a reply that is held waits for somebody to decide.
    """

    def __init__(self, db: Database, window: timedelta) -> None:
        self._db = db
        self._window = window

    def sent(self, caller: Caller, send: Send, ref: StrongRef) -> Send:
        """The record is out, the person has seen it: answered, and its document replied."""
        values = settled_now(self._db) | {"state": ANSWERED, "uri": ref.uri, "cid": ref.cid}
        return self._decide(caller, send, values, f"sent as {ref.uri}", "settle_sent")

    def abandoned(self, caller: Caller, send: Send) -> Send:
        """It is not to be sent any more: the key is free, and the document goes to error."""
        values = settled_now(self._db) | {"state": ABANDONED}
        return self._decide(caller, send, values, "abandoned", "settle_unsent")

    def again(self, caller: Caller, send: Send) -> Send:
        """Try once more under the same key: what is there is looked at first, as always."""
        since = send.unknown_since or self._db.now()
        values: dict[str, object] = {"conflict": None, "next_try_at": None, "unknown_since": since}
        return self._decide(caller, send, values, "try again", None)

    def hold_reply(self, caller: Caller, document: Document, why: str) -> Document:
        """Keep the reply to a built document back until a person has decided, or the deadline has passed."""
        check_access(caller, Action.REPLY)
        values: dict[str, object] = {"reply_held": why, "approve_by": self._db.now(self._window)}
        return self._held(caller, document, values, "hold_reply")

    def release_reply(self, caller: Caller, document: Document) -> Document:
        """Let a reply that was held go out."""
        check_access(caller, Action.DECIDE)
        values: dict[str, object] = {"reply_held": None, "reply_released_by": caller.device, "approve_by": None}
        return self._held(caller, document, values, "release_reply")

    def _held(self, caller: Caller, document: Document, values: dict[str, object], deed: str) -> Document:
        with self._db.write() as connection:
            held = connection.execute(
                update(documents)
                .where(
                    documents.c.id == document.id,
                    documents.c.version == document.version,
                    documents.c.status == Status.BUILT.value,
                    documents.c.sending.is_(False),
                )
                .values(version=document.version + 1, **values)
            )
            present = read_document(connection, document.id)
            if not held.rowcount or present is None:
                raise LostRace(f"{document.id} is not built and unanswered at version {document.version} any more")
            note(self._db, connection, caller, deed, document.id)
        return present

    def _decide(self, caller: Caller, send: Send, values: dict[str, object], decision: str, move: str | None) -> Send:
        check_access(caller, Action.DECIDE)
        with self._db.write() as connection:
            lock_document(connection, send)
            row = connection.execute(
                update(sends)
                .where(
                    sends.c.id == send.id,
                    sends.c.state == CLAIMED,
                    sends.c.tries == send.tries,
                    sends.c.cid == send.cid,
                )
                .values(**values, decided_by=caller.device, decision=decision)
                .returning(sends)
            ).one_or_none()
            if row is None:
                raise LostRace(f"{send.key} was tried or settled meanwhile")
            decided = send_of(row)
            if decided.state != CLAIMED:
                connection.execute(delete(send_blobs).where(send_blobs.c.send_id == send.id))
            note(self._db, connection, caller, move or "try_again", send.key, decision)
            if move is not None:
                # The decision about the send has the action's id.
                self._move(connection, replace(caller, action_id=None), decided, move, decision)
            return decided

    def _move(self, connection: Connection, caller: Caller, send: Send, move: str, decision: str) -> None:
        document = read_document(connection, send.document_id) if send.document_id else None
        if document is None or send.key != reply_key(document.id) or document.status is not Status.BUILT:
            return
        sets: dict[str, object] = {"sending": False} | ({"reply_uri": send.uri} if send.uri else {})
        apply(self._db, connection, document, Step(move, Reason.SETTLED_BY_PERSON, caller, decision, sets))
