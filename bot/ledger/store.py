"""The moves of bot and operators, by name: each takes what the move needs, and says when it lost a race."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, or_, select, update

from bot.errors import LostRace
from bot.ledger.engine import Database
from bot.ledger.moves import Step, apply, record
from bot.ledger.sightings import take_down
from bot.ledger.tables import documents, known_ids
from bot.ledger.views import Document, document_of
from guardrails.access import Action, Caller, check_access
from guardrails.documents import Kind, Mention, doc_id_of
from guardrails.transitions import Reason, Status, check_move
from guardrails.verdicts import Judgement, Verdict


@dataclass(frozen=True)
class Budgets:
    """What a document is given: tries, and how long its steps may take."""

    failures: int = 3
    build_window: timedelta = timedelta(hours=24)
    approval_window: timedelta = timedelta(hours=72)


class Store:
    """What bot and operators may write; the lane's writes are in `claims.py`, what is said in public in `sends.py`."""

    def __init__(self, db: Database, budgets: Budgets) -> None:
        self._db = db
        self._budgets = budgets

    def receive(self, caller: Caller, mentions: Iterable[Mention], reason: Reason = Reason.INGESTED) -> list[Document]:
        """Store what is new, in one transaction, and give it back, oldest first; known ids are passed over."""
        check_access(caller, Action.INGEST)
        # One order for all: first come, first served, and of two who read the same page neither waits for the other.
        ordered = sorted(mentions, key=lambda mention: (mention.indexed_at, mention.post.uri))
        with self._db.write() as connection:
            stored = [self._insert(connection, caller, mention, reason) for mention in ordered]
        return [document for document in stored if document is not None]

    def accept(self, caller: Caller, document: Document, judgement: Judgement) -> Document:
        """All guardrails passed: the document waits for a lane until its build_by."""
        sets = {"build_by": self._db.now(self._budgets.build_window), "not_before": None}
        return self._judged(caller, document, "accept", judgement, sets)

    def hold(self, caller: Caller, document: Document, judgement: Judgement) -> Document:
        """A person has to decide, before the approval deadline."""
        sets = {"approve_by": self._db.now(self._budgets.approval_window), "not_before": None}
        return self._judged(caller, document, "hold", judgement, sets)

    def refuse(self, caller: Caller, document: Document, judgement: Judgement) -> Document:
        """A guardrail refused; the reason is kept."""
        return self._judged(caller, document, "refuse", judgement, {"not_before": None})

    def postpone(self, caller: Caller, document: Document, verdicts: Iterable[Verdict], until: datetime) -> Document:
        """Nothing is decided yet: the verdicts are kept and the document is judged again at `until`. Not a move."""
        return self._unjudged(caller, document, {"verdicts": _kept(verdicts), "not_before": until})

    def reread(self, caller: Caller, document: Document, mention: Mention) -> Document:
        """The post was edited before it was judged: the document holds what it says now. Not a move."""
        return self._unjudged(caller, document, _read_as(mention))

    def reopen_edited(self, caller: Caller, document: Document, mention: Mention) -> Document:
        """The post was edited before a claim: the document holds what it says now and is judged again."""
        sets = _read_as(mention) | {"build_by": None}
        return self._move(document, Step("reopen_edited", Reason.EDITED, caller, sets=sets))

    def withdraw(self, caller: Caller, document: Document, reason: Reason, detail: str = "") -> Document:
        """The author took it back, and its app goes. A standing claim is void; LostRace once a reply is on its way."""
        step = Step("withdraw", reason, caller, detail, {"withdrawn_at": self._db.now()})
        with self._db.write() as connection:
            withdrawn = apply(self._db, connection, document, step)
            take_down(self._db, connection, document, reason)
            return withdrawn

    def cannot_reply(self, caller: Caller, document: Document, why: str) -> Document:
        """A reply to a built document would not be seen: it ends in error, with the reason."""
        check_access(caller, Action.REPLY)
        return self._move(document, Step("cannot_reply", Reason.CANNOT_REPLY, caller, why))

    def expire(self, caller: Caller, document: Document) -> Document:
        """The deadline of its status has passed: no person decided, no lane came, or the lane was lost."""
        name, reason = {
            Status.AWAITING_APPROVAL: ("expire_approval", Reason.APPROVAL_EXPIRED),
            Status.PENDING_BUILD: ("expire_build", Reason.NO_LANE),
            Status.BUILDING: ("lose_lane", Reason.LANE_LOST),
        }.get(document.status, ("expire_build", Reason.NO_LANE))
        return self._move(document, Step(name, reason, caller))

    def overdue(self, limit: int) -> list[Document]:
        """Documents whose status has a deadline that has passed, oldest first."""
        c, now = documents.c, self._db.now()
        lane_gone = and_(c.status == Status.BUILDING.value, or_(c.lease_until.is_(None), c.lease_until <= now))
        waiting = or_(c.status == Status.PENDING_BUILD.value, lane_gone)
        query = (
            select(documents)
            .where(
                or_(
                    and_(c.status == Status.AWAITING_APPROVAL.value, c.approve_by <= now),
                    and_(waiting, c.build_by <= now),
                )
            )
            .order_by(c.created_at, c.id)
            .limit(limit)
        )
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(query)]

    def reopen_joined(self, caller: Caller, document: Document) -> Document:
        """The ask that this one joined was withdrawn: it is judged afresh."""
        return self._move(
            document, Step("reopen_joined", Reason.FIRST_ASK_WITHDRAWN, caller, sets={"not_before": None})
        )

    def ask_again(self, caller: Caller, document: Document) -> Document:
        """Its author asked again after a failed build."""
        return self._move(document, Step("ask_again", Reason.ASKED_AGAIN, caller, sets=self._fresh_budget()))

    def approve(self, caller: Caller, document: Document) -> Document:
        """A person says yes; LostRace once the approval deadline has passed."""
        sets = {"build_by": self._db.now(self._budgets.build_window), "not_before": None}
        return self._decided(caller, document, Step("approve", Reason.APPROVED, caller, sets=sets))

    def stop(self, caller: Caller, document: Document, reason: Reason = Reason.STOPPED, detail: str = "") -> Document:
        """A person stops it. A standing claim is void; LostRace once a reply is on its way."""
        return self._decided(caller, document, Step("stop", reason, caller, detail))

    def judge_again(self, caller: Caller, document: Document) -> Document:
        """A person wants a skip judged again, one from before the first start too; LostRace for final skips."""
        sets = {"not_before": None, "body": document.body | {"stale": False}}
        return self._decided(caller, document, Step("judge_again", Reason.JUDGED_AGAIN, caller, sets=sets))

    def retry(self, caller: Caller, document: Document) -> Document:
        """A person wants it built again, with a fresh budget."""
        return self._decided(caller, document, Step("retry", Reason.RETRIED, caller, sets=self._fresh_budget()))

    def send_again(self, caller: Caller, document: Document) -> Document:
        """A person wants the reply to a finished build sent under a new key; LostRace when there is nothing built."""
        return self._decided(caller, document, Step("send_again", Reason.SENT_AGAIN, caller))

    def _decided(self, caller: Caller, document: Document, step: Step) -> Document:
        check_access(caller, Action.DECIDE)
        return self._move(document, step)

    def _unjudged(self, caller: Caller, document: Document, values: Mapping[str, object]) -> Document:
        """Write over a received document as it was read; it stays received."""
        check_access(caller, Action.JUDGE)
        statement = (
            update(documents)
            .where(
                documents.c.id == document.id,
                documents.c.version == document.version,
                documents.c.status == Status.RECEIVED.value,
            )
            .values(version=document.version + 1, **values)
            .returning(documents)
        )
        with self._db.write() as connection:
            row = connection.execute(statement).one_or_none()
        if row is None:
            raise LostRace(f"{document.id} was judged or moved by somebody else")
        return document_of(row)

    def _judged(
        self, caller: Caller, document: Document, name: str, judgement: Judgement, sets: Mapping[str, object]
    ) -> Document:
        check_access(caller, Action.JUDGE)
        deciding = [verdict.detail for verdict in judgement.verdicts if verdict.outcome is judgement.outcome]
        detail = deciding[0] if deciding else ""
        reason = judgement.reason or Reason.PASSED
        kept = {**sets, "verdicts": _kept(judgement.verdicts)}
        return self._move(document, Step(name, reason, caller, detail, kept))

    def _move(self, document: Document, step: Step) -> Document:
        with self._db.write() as connection:
            return apply(self._db, connection, document, step)

    def _fresh_budget(self) -> dict[str, object]:
        return {
            "failures": 0,
            "budget": self._budgets.failures,
            "build_by": self._db.now(self._budgets.build_window),
            "not_before": None,
        }

    def _insert(self, connection: Connection, caller: Caller, mention: Mention, reason: Reason) -> Document | None:
        document_id = doc_id_of(Kind.MENTION, mention.post.uri)
        if connection.execute(select(known_ids.c.id).where(known_ids.c.id == document_id)).first() is not None:
            return None
        move = check_move(Kind.MENTION, "receive", None, reason)
        row = {
            "id": document_id,
            "kind": Kind.MENTION.value,
            "author_did": mention.author_did,
            "author_handle": mention.author_handle,
            "source_uri": mention.post.uri,
            "source_cid": mention.post.cid,
            "body": mention.model_dump(mode="json"),
            "status": move.target.value,
            "version": 1,
            "reason": reason.value,
            "detail": "",
            "created_at": self._db.now(),
            "updated_at": self._db.now(),
            "attempt": 0,
            "failures": 0,
            "budget": self._budgets.failures,
            "sending": False,
        }
        inserted = connection.execute(
            self._db.insert(documents).values(row).on_conflict_do_nothing().returning(documents)
        ).one_or_none()
        if inserted is None:
            return None
        document = document_of(inserted)
        record(self._db, connection, document, move, Step("receive", reason, caller))
        return document


def _kept(verdicts: Iterable[Verdict]) -> list[dict[str, object]]:
    return [verdict.model_dump(mode="json") for verdict in verdicts]


def _read_as(mention: Mention) -> dict[str, object]:
    return {"body": mention.model_dump(mode="json"), "source_cid": mention.post.cid, "edited_cid": None}
