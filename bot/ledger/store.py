"""The moves of bot and operators, by name: each takes what the move needs, and says when it lost a race."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, and_, not_, or_, select, text, true, union_all, update

from bot.errors import LostRace
from bot.ledger.accepting import Passed, accept_all
from bot.ledger.audit import note
from bot.ledger.conversations import exchanges, taken_on
from bot.ledger.engine import Database
from bot.ledger.finishing import put_up_again
from bot.ledger.forgetting import none_forgotten
from bot.ledger.joining import dead_links, join, reopen_joined_to, reopening, withdrawn_with_joined
from bot.ledger.moves import NO_CLAIM, Step, apply
from bot.ledger.pausing import paused
from bot.ledger.policy import Budgets
from bot.ledger.receiving import store_mentions
from bot.ledger.sightings import take_down
from bot.ledger.sources import Found, note_found
from bot.ledger.tables import FOR_LANES, UNDECIDED, documents
from bot.ledger.tally import present, seats_at, take_seats
from bot.ledger.views import Document, Send, document_of
from guardrails.access import Action, Caller, check_access
from guardrails.caps import Place, counted
from guardrails.dedupe import joined_id
from guardrails.documents import Kind, Mention, doc_id_of
from guardrails.facts import Facts, Used
from guardrails.judgement import Judgement, Verdict
from guardrails.said import Outcome
from guardrails.transitions import Reason, Status

_VERDICTS = TypeAdapter(list[Verdict])


class Store:
    """What bot and operators may write; the lane's writes are in `claims.py`, what is said in public in `sends.py`."""

    def __init__(self, db: Database, budgets: Budgets) -> None:
        self._db = db
        self._budgets = budgets

    def receive(
        self,
        caller: Caller,
        mentions: Iterable[Mention],
        reason: Reason = Reason.INGESTED,
        by: Found | None = None,
    ) -> list[Document]:
        """Store what is new, in one transaction, and give it back, oldest first; known ids are passed over.

        `by` is noted with them: which source found them, and how far that was read.
        """
        check_access(caller, Action.INGEST)
        # One order for all: first come, first served, and of two who read the same page neither waits for the other.
        ordered = sorted(mentions, key=lambda mention: (mention.indexed_at, mention.post.uri))
        with self._db.write() as connection:
            step, budget = Step("receive", reason, caller), self._budgets.failures
            stored = store_mentions(self._db, connection, ordered, step, budget)
            for document in stored:
                note(self._db, connection, caller, "ask", document.id)
            if by is not None:
                new = {document.id for document in stored}
                known = {doc_id_of(Kind.MENTION, mention.post.uri) for mention in ordered} - new
                note_found(self._db, connection, by, new, known)
        return stored

    def accept(
        self, caller: Caller, document: Document, judgement: Judgement, facts: Facts, places: Sequence[Place]
    ) -> Document:
        """All guardrails passed: the document takes its places and waits for a lane until its build_by.

        CapFull when there is no place left, and nothing is taken; LostRace also when somebody else in its thread was
        taken on since the facts were gathered, or somebody whose post it is about wants to be forgotten.
        """
        sets = self._to_build() | {"facts": _facts(facts)}
        step = self._judged(caller, "accept", judgement, sets)
        with self._db.write() as connection:
            accepted = self._counted(connection, document, step, places, facts.used)
            # What begins a thread has nobody before it: of many new asks none takes a question of its own.
            if document.thread != document.source_uri:
                self._check_thread(connection, document, facts)
            return accepted

    def accept_all(self, caller: Caller, passed: Sequence[Passed]) -> bool:
        """Accept several that stand alone, in one transaction; False when one does not go, and then nothing is written.

        Which, and why, `accept` says of each.
        """
        sets = self._to_build()
        steps = [self._judged(caller, "accept", it.judgement, sets | {"facts": _facts(it.facts)}) for it in passed]
        return accept_all(self._db, list(zip(passed, steps, strict=True)))

    def hold(self, caller: Caller, document: Document, judgement: Judgement, facts: Facts) -> Document:
        """A person has to decide, before the approval deadline."""
        sets = {"approve_by": self._db.now(self._budgets.approval_window), "not_before": None, "facts": _facts(facts)}
        return self._move(document, self._judged(caller, "hold", judgement, sets))

    def refuse(self, caller: Caller, document: Document, judgement: Judgement, facts: Facts) -> Document:
        """A guardrail refused; the reason is kept. The same ask again joins the one that the verdict names.

        LostRace also when that one does not stand any more.
        """
        step = self._judged(caller, "refuse", judgement, {"not_before": None, "facts": _facts(facts)})
        if step.reason is not Reason.SAME_ASK:
            return self._move(document, step)
        return join(self._db, document, joined_id(step.detail), step)

    def postpone(
        self,
        caller: Caller,
        document: Document,
        verdicts: Sequence[Verdict],
        until: datetime,
        facts: Facts | None = None,
    ) -> Document:
        """Nothing is decided yet: the verdicts are kept and the document is judged again at `until`. Not a move.

        An ask that waits for a cap is told so. Without facts those of the last judgement are kept.
        """
        capped = any(verdict.outcome is Outcome.WAIT and verdict.reason is Reason.CAPPED for verdict in verdicts)
        values: dict[str, object] = {"verdicts": _kept(verdicts), "not_before": until, "note_due": capped}
        return self._unjudged(caller, document, values if facts is None else values | {"facts": _facts(facts)})

    def reread(self, caller: Caller, document: Document, mention: Mention) -> Document:
        """The post was edited before it was judged: the document holds what it says now. Not a move.

        LostRace also when somebody whose words it has wants to be forgotten since.
        """
        return self._unjudged(caller, document, _read_as(mention), none_forgotten(mention))

    def reopen_edited(self, caller: Caller, document: Document, mention: Mention) -> Document:
        """The post was edited before a claim: the document holds what it says now and is judged again."""
        sets = _read_as(mention) | {"build_by": None, "approve_by": None}
        step = Step("reopen_edited", Reason.EDITED, caller, sets=sets, only_if=none_forgotten(mention))
        return self._move(document, step)

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
        """The deadline of its status has passed: no person decided, no lane came, or the lane was lost.

        The app whose reply was held until then goes. While builds are paused nothing has waited too long for a lane.
        """
        name, reason = {
            Status.AWAITING_APPROVAL: ("expire_approval", Reason.APPROVAL_EXPIRED),
            Status.BUILT: ("expire_reply", Reason.APPROVAL_EXPIRED),
            Status.PENDING_BUILD: ("expire_build", Reason.NO_LANE),
            Status.BUILDING: ("lose_lane", Reason.LANE_LOST),
        }.get(document.status, ("expire_build", Reason.NO_LANE))
        only_if = {
            Status.AWAITING_APPROVAL: true(),
            Status.BUILT: documents.c.reply_held.is_not(None),
        }.get(document.status, not_(paused()))
        with self._db.write() as connection:
            expired = apply(self._db, connection, document, Step(name, reason, caller, only_if=only_if))
            if document.status is Status.BUILT:
                take_down(self._db, connection, document, reason)
            return expired

    def overdue(self, limit: int) -> list[Document]:
        """Documents whose status has a deadline that has passed, oldest first.

        Of what waits for a lane there is none while builds are paused.
        """
        c, now = documents.c, self._db.now_once()
        free = or_(c.lease_until.is_(None), c.lease_until <= now)
        undecided = select(c.id, c.created_at).where(text(UNDECIDED), c.approve_by <= now)
        waiting = select(c.id, c.created_at).where(text(FOR_LANES), c.build_by <= now, free, not_(paused()))
        # Found by their deadlines before they are put in order: a planner that takes them for many would go through all
        # documents, oldest first, to meet so few of them.
        late = union_all(undecided, waiting).cte("late").prefix_with("MATERIALIZED", dialect="postgresql")
        first = select(late.c.id).order_by(late.c.created_at, late.c.id).limit(limit)
        query = select(documents).where(c.id.in_(first)).order_by(c.created_at, c.id)
        with self._db.read() as connection:
            return [document_of(row) for row in connection.execute(query)]

    def reopen_joined(self, caller: Caller, document: Document) -> Document:
        """The ask that this one joined was withdrawn: it is judged afresh."""
        return self._move(document, reopening(caller))

    def reopen_joined_to(self, caller: Caller, first: Document) -> list[Document]:
        """Judge afresh whatever joined an ask that was withdrawn; the oldest takes over the places that still count.

        So what was built for the first counts once. LostRace when the first was not withdrawn, or has just moved.
        """
        check_access(caller, Action.JUDGE)
        return reopen_joined_to(self._db, caller, first)

    def withdrawn_with_joined(self, limit: int) -> list[Document]:
        """Asks that were withdrawn while others that joined them still wait to be judged afresh, oldest first."""
        return withdrawn_with_joined(self._db, limit)

    def dead_links(self, limit: int) -> list[Send]:
        """Links under asks that had joined one that was withdrawn since, while they are still in our repository."""
        return dead_links(self._db, limit)

    def ask_again(
        self,
        caller: Caller,
        document: Document,
        places: Sequence[Place],
        judgement: Judgement | None = None,
        facts: Facts | None = None,
    ) -> Document:
        """Its author asked again after a failed build; CapFull when there is no place left, and nothing is taken.

        It is built by what its post says now, as the facts of its judgement hold it; without them, by what it said.
        """
        sets: dict[str, object] = {}
        if judgement is not None and facts is not None:
            kept = {"verdicts": _kept(judgement.verdicts), "facts": _facts(facts)}
            sets = _read_as(facts.mention) | kept
        return self._built_again(document, Step("ask_again", Reason.ASKED_AGAIN, caller, sets=sets), places)

    def approve(self, caller: Caller, document: Document) -> Document:
        """A person says yes: it is counted, whatever the caps are. LostRace once the approval deadline has passed."""
        check_access(caller, Action.DECIDE)
        # Its post is looked at at once: a lane is to build what it says now.
        step = Step("approve", Reason.APPROVED, caller, sets=self._to_build() | {"looked_at": None})
        with self._db.write() as connection:
            return self._counted(connection, document, step, _uncapped(document))

    def stop(self, caller: Caller, document: Document, reason: Reason = Reason.STOPPED, detail: str = "") -> Document:
        """A person stops it. A standing claim is void; LostRace once a reply is on its way."""
        return self._decided(caller, document, Step("stop", reason, caller, detail))

    def judge_again(self, caller: Caller, document: Document) -> Document:
        """A person wants a skip judged again, one from before the first start too; LostRace for final skips."""
        _check_words(document)
        sets = {"not_before": None, "body": document.body | {"stale": False}}
        return self._decided(caller, document, Step("judge_again", Reason.JUDGED_AGAIN, caller, sets=sets))

    def retry(self, caller: Caller, document: Document) -> Document:
        """A person wants it built again, with a fresh budget: it is counted, whatever the caps are."""
        check_access(caller, Action.DECIDE)
        return self._built_again(document, Step("retry", Reason.RETRIED, caller), _uncapped(document))

    def void(self, caller: Caller, document: Document) -> Document:
        """Take a build from its lane, so that another may claim it later; LostRace when no lane has it.

        No failure is counted; what it was taken to cost counts as spent.
        """
        if document.status is Status.BUILDING and document.claim_id is None:
            raise LostRace(f"{document.id} is under no claim")
        return self._decided(caller, document, Step("void", Reason.PAUSED, caller, sets=dict(NO_CLAIM)))

    def send_again(self, caller: Caller, document: Document) -> Document:
        """A person wants the reply to a finished build sent under a new key; LostRace when there is nothing built.

        An app that was taken down since nobody had decided, or since its author was denied, is there again.
        """
        _check_words(document)
        only_if = none_forgotten(document.mention)
        check_access(caller, Action.DECIDE)
        with self._db.write() as connection:
            step = Step("send_again", Reason.SENT_AGAIN, caller, only_if=only_if)
            opened = apply(self._db, connection, document, step)
            put_up_again(connection, document)
            return opened

    def _decided(self, caller: Caller, document: Document, step: Step) -> Document:
        check_access(caller, Action.DECIDE)
        return self._move(document, step)

    def _unjudged(
        self,
        caller: Caller,
        document: Document,
        values: Mapping[str, object],
        only_if: ColumnElement[bool] | None = None,
    ) -> Document:
        """Write over a received document as it was read; it stays received."""
        check_access(caller, Action.JUDGE)
        statement = (
            update(documents)
            .where(
                documents.c.id == document.id,
                documents.c.version == document.version,
                documents.c.status == Status.RECEIVED.value,
                only_if if only_if is not None else true(),
            )
            .values(version=document.version + 1, **values)
            .returning(documents)
        )
        with self._db.write() as connection:
            row = connection.execute(statement).one_or_none()
        if row is None:
            raise LostRace(f"{document.id} was judged or moved by somebody else")
        return document_of(row)

    def _check_thread(self, connection: Connection, document: Document, facts: Facts) -> None:
        taken = taken_on(connection, [document.thread])[document.thread]
        if exchanges(taken, document) > facts.conversation.exchanges:
            raise LostRace(f"somebody else in the thread of {document.id} was taken on meanwhile")

    def _counted(
        self,
        connection: Connection,
        document: Document,
        step: Step,
        places: Sequence[Place],
        used: Used | None = None,
    ) -> Document:
        """Make a move that lets a document be built, and take its places in the stead of those that it holds.

        Those of the hour and the day that it was judged in; LostRace once that hour is over.
        """
        _check_words(document)
        judged_at = used.hour_ends - timedelta.resolution if used is not None else present(self._db, connection)
        in_time = self._db.now() < used.hour_ends if used is not None else true()
        seats = seats_at(judged_at, places)
        sets = {**(step.sets or {}), "places": [seat.held for seat in seats]}
        only_if = and_(none_forgotten(document.mention), in_time)
        moved = apply(self._db, connection, document, replace(step, sets=sets, only_if=only_if))
        take_seats(self._db, connection, document.places, seats)
        return moved

    def _built_again(self, document: Document, step: Step, places: Sequence[Place]) -> Document:
        fresh = self._to_build() | {"failures": 0, "budget": self._budgets.failures}
        with self._db.write() as connection:
            return self._counted(connection, document, replace(step, sets={**(step.sets or {}), **fresh}), places)

    def _judged(self, caller: Caller, name: str, judgement: Judgement, sets: Mapping[str, object]) -> Step:
        check_access(caller, Action.JUDGE)
        deciding = [verdict.detail for verdict in judgement.verdicts if verdict.outcome is judgement.outcome]
        detail = deciding[0] if deciding else ""
        reason = judgement.reason or Reason.PASSED
        return Step(name, reason, caller, detail, {**sets, "verdicts": _kept(judgement.verdicts)})

    def _move(self, document: Document, step: Step) -> Document:
        with self._db.write() as connection:
            return apply(self._db, connection, document, step)

    def _to_build(self) -> dict[str, object]:
        return {"build_by": self._db.now(self._budgets.build_window), "not_before": None}


def _kept(verdicts: Iterable[Verdict]) -> list[dict[str, object]]:
    kept: list[dict[str, object]] = _VERDICTS.dump_python(list(verdicts), mode="json")
    return kept


def _facts(facts: Facts) -> dict[str, object]:
    """Without the mention, which is the document's body."""
    return facts.model_dump(mode="json", exclude={"mention"})


def _read_as(mention: Mention) -> dict[str, object]:
    return {
        "body": mention.model_dump(mode="json"),
        "source_cid": mention.post.cid,
        "thread": mention.thread,
        "edited_cid": None,
    }


def _uncapped(document: Document) -> tuple[Place, ...]:
    return counted(document.author_did, document.thread)


def _check_words(document: Document) -> None:
    if document.is_blank:
        raise LostRace(f"{document.id} was forgotten")
