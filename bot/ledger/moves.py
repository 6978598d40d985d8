"""The one way in which a document moves: a guarded UPDATE, its row count checked, and the history row with it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Update,
    and_,
    bindparam,
    false,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.sql.dml import ReturningUpdate

from bot.errors import LostRace
from bot.ledger.audit import note
from bot.ledger.columns import UtcDateTime
from bot.ledger.engine import Database
from bot.ledger.prepared import Computed, add_all, by_clock, parted
from bot.ledger.tables import attempts, documents, moves, sends
from bot.ledger.tally import give_back
from bot.ledger.views import Document, document_of
from guardrails.access import Caller, actor_of
from guardrails.errors import IllegalMove
from guardrails.transitions import FINAL_SKIPS, TOLD, Actor, Guard, Move, Reason, Status, check_move, is_terminal

REPLY_PREFIX = "reply:"
# What is taken for building, or held for a person, is acknowledged with a like.
_LIKED = frozenset({"accept", "hold", "approve"})
# Only a build that made an app counts: what ends before that, or is judged anew, gives back the places that it holds.
_BEING_BUILT = frozenset({Status.PENDING_BUILD, Status.BUILDING})
_UNCOUNTED = frozenset({Status.RECEIVED, Status.SKIPPED, Status.BUILD_FAILED, Status.ERROR})
ALWAYS = true()
# The moment of a move where it is not the database's own clock that tells it.
PRESENT = bindparam("present", type_=UtcDateTime())
# Where a reply is that was found before the document ended: whoever takes the ask back takes it back, too.
_KNOWN_REPLY = func.coalesce(
    documents.c.reply_uri,
    select(sends.c.uri).where(sends.c.key == bindparam("the_key"), sends.c.state == "answered").scalar_subquery(),
)
NO_CLAIM: dict[str, object] = {"claim_id": None, "claim_device": None, "lease_until": None, "step": None}


@dataclass(frozen=True)
class Step:
    """One move to make: its name in the table, why, by whom, and the columns that it sets.

    `only_if`: what has to hold as well, compared inside the statement. `deed`: what an operator calls it, where that is
    not the name of the move.
    """

    name: str
    reason: Reason
    caller: Caller
    detail: str = ""
    sets: dict[str, Any] | None = None
    only_if: ColumnElement[bool] = ALWAYS
    deed: str = ""


def apply(db: Database, connection: Connection, document: Document, step: Step) -> Document:
    """Make the move from the document as it was read, and write its history row.

    IllegalMove when the table has no such row or it belongs to another actor; LostRace when the document is not
    at that version and status any more, or a guard of the row or of the step does not hold.
    """
    move = _allowed(document, step)
    uncounted = _is_uncounted(move)
    statement, values = _prepared(db, document, move, step, _written(db, document, move, step))
    wanted = _telling(statement) if step.only_if is ALWAYS else statement.where(step.only_if).returning(documents)
    row = connection.execute(wanted, values).one_or_none()
    if row is None:
        raise LostRace(f"{document.id} is not {document.status.value} at version {document.version} any more")
    moved = document_of(row)
    record(db, connection, moved, move, step, moved.claim_id or document.claim_id)
    note(db, connection, step.caller, step.deed or move.name, moved.id, step.detail)
    if uncounted:
        give_back(db, connection, document.places)
    if document.claim_id is not None and move.actor is not Actor.BUILDER:
        _void(db, connection, document, step.reason)
    return moved


def _written(db: Database, document: Document, move: Move, step: Step) -> dict[str, Any]:
    """What a move writes: by its kind, and by its step."""
    return {
        "status": move.target.value,
        "version": document.version + 1,
        "reason": step.reason.value,
        "detail": step.detail,
        "updated_at": db.now(),
        "note_due": step.reason in TOLD,
        **({"like_due": step.name in _LIKED} if step.name in _LIKED or move.target is Status.SKIPPED else {}),
        **({} if move.target is Status.BUILT else {"reply_held": None}),
        **({} if move.target is Status.BUILDING else NO_CLAIM),
        **({"places": []} if _is_uncounted(move) else {}),
        **({"reply_uri": _KNOWN_REPLY} if is_terminal(document.kind, move.target) else {}),
        **(step.sets or {}),
    }


def _prepared(
    db: Database, document: Document, move: Move, step: Step, written: dict[str, Any]
) -> tuple[Update, dict[str, Any]]:
    """The guarded UPDATE of a move, and its values: the statement of those that are alike is made once."""
    plain, computed = parted(written)
    known = tuple(each for each in computed if each[1] is not _KNOWN_REPLY)
    alike = _guarded if by_clock(known) else _guarded.__wrapped__
    present = PRESENT if db.is_sqlite else db.now()
    statement = alike(move, frozenset(plain), computed, present)
    guarding = {
        "the_id": document.id,
        "the_version": document.version,
        "the_claim": document.claim_id,
        "the_key": f"{REPLY_PREFIX}{document.id}",
        "present": db.moment(),
    }
    return statement, guarding | {f"to_{name}": value for name, value in plain.items()}


@lru_cache(maxsize=128)
def _guarded(move: Move, plain: frozenset[str], computed: Computed, present: ColumnElement[datetime]) -> Update:
    c = documents.c
    return (
        update(documents)
        .where(
            c.id == bindparam("the_id"),
            c.version == bindparam("the_version"),
            c.status == move.source.value if move.source else false(),
            *(_condition(guard, move, present) for guard in sorted(move.guards)),
        )
        .values({name: bindparam(f"to_{name}") for name in sorted(plain)} | dict(computed))
    )


@lru_cache(maxsize=128)
def _telling(moving: Update) -> ReturningUpdate[Any]:
    """The same, and what the document is then."""
    return moving.returning(documents)


def apply_all(
    db: Database,
    connection: Connection,
    made: Sequence[tuple[Document, Step, dict[str, Any]]],
    only_if: ColumnElement[bool],
) -> bool:
    """Make the same move from each document as it was read, with its history; False when one of them has lost a race.

    The caller has to undo the others then. `only_if` holds for all, with values of each one's own. Only the bot may, of
    what holds no claim and no place.
    """
    rows, history, statements = [], [], set()
    for document, step, own in made:
        move = _allowed(document, step)
        statement, values = _prepared(db, document, move, step, _written(db, document, move, step))
        statements.add(statement)
        rows.append(values | own)
        history.append(history_of(replace(document, version=document.version + 1), move, step))
    [alike] = statements
    if connection.execute(alike.where(only_if), rows).rowcount != len(rows):
        return False
    record_all(db, connection, history)
    return True


def _allowed(document: Document, step: Step) -> Move:
    """The row of the table; IllegalMove when there is none, or it belongs to another actor."""
    move = check_move(document.kind, step.name, document.status, step.reason)
    if move.actor is not actor_of(step.caller.role):
        raise IllegalMove(f"{step.name} belongs to the {move.actor.value}, not to a {step.caller.role.value}")
    return move


def _is_uncounted(move: Move) -> bool:
    return move.source in _BEING_BUILT and move.target in _UNCOUNTED


def record(
    db: Database, connection: Connection, document: Document, move: Move, step: Step, claim_id: str | None = None
) -> None:
    """Append the history row of a move just written in this transaction: made under this claim, or against it."""
    record_all(db, connection, [history_of(document, move, step, claim_id)])


def record_all(db: Database, connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Append rows of history, in this order, that `history_of` made of moves just written in this transaction."""
    db.mark_moved(connection)
    at = db.moment()
    if at is not None:
        add_all(db, connection, moves, [row | {"at": at} for row in rows])
    else:
        add_all(db, connection, moves, rows, (("at", db.now()),))


def history_of(document: Document, move: Move, step: Step, claim_id: str | None = None) -> dict[str, Any]:
    """The row of history of a move that has led to this document."""
    return {
        "document_id": document.id,
        "kind": document.kind.value,
        "name": move.name,
        "from_status": move.source.value if move.source else None,
        "to_status": move.target.value,
        "version": document.version,
        "actor": move.actor.value,
        "device": step.caller.device,
        "reason": step.reason.value,
        "detail": step.detail,
        "claim_id": claim_id,
    }


def _void(db: Database, connection: Connection, document: Document, reason: Reason) -> None:
    """Close the attempt whose claim a move of somebody else took away."""
    from bot.ledger.surplus import let_go  # noqa: PLC0415 - whoever only looks need not wait for the rules

    let_go(db, connection, document)
    connection.execute(
        update(attempts)
        .where(attempts.c.claim_id == document.claim_id, attempts.c.ended_at.is_(None))
        .values(outcome="voided", ended_at=db.now(), detail=reason.value)
    )


def claimable(present: ColumnElement[datetime]) -> ColumnElement[bool]:
    """Due, under no live lease, and before its build_by: what a lane may take, compared inside the statement."""
    c = documents.c
    return and_(
        or_(c.not_before.is_(None), c.not_before <= present),
        or_(c.lease_until.is_(None), c.lease_until <= present),
        c.build_by > present,
    )


def _condition(guard: Guard, move: Move, present: ColumnElement[datetime]) -> ColumnElement[bool]:
    """A guard of the table as SQL; every guard has its line here."""
    c = documents.c
    match guard:
        case Guard.LEASE_OVER | Guard.EXPIRED | Guard.DEADLINE_OVER | Guard.DEADLINE_AHEAD:
            return _in_time(guard, present)
        case Guard.CLAIM:
            return c.claim_id == bindparam("the_claim")
        case Guard.CLAIMABLE:
            return claimable(present)
        case Guard.NO_LIVE_SEND:
            return c.sending.is_(False)
        case Guard.HAS_RESULT:
            return c.result.is_not(None)
        case Guard.NOT_TAKEN_BACK:
            return and_(c.withdrawn_at.is_(None), c.taken_down_at.is_(None))
        case Guard.REASON_KEPT:
            joined, final = Reason.SAME_ASK.value, [reason.value for reason in FINAL_SKIPS]
            return c.reason == joined if move.name == "reopen_joined" else c.reason.not_in(final)


def _in_time(guard: Guard, present: ColumnElement[datetime]) -> ColumnElement[bool]:
    c = documents.c
    return {
        Guard.LEASE_OVER: and_(or_(c.lease_until.is_(None), c.lease_until <= present), c.build_by <= present),
        Guard.EXPIRED: c.build_by <= present,
        Guard.DEADLINE_OVER: c.approve_by <= present,
        Guard.DEADLINE_AHEAD: or_(c.approve_by.is_(None), c.approve_by > present),
    }[guard]


def read_document(connection: Connection, document_id: str, *, lock: bool = False) -> Document | None:
    """A document by its id as it is now, its row locked for this transaction on PostgreSQL if wanted."""
    row = connection.execute(_LOCKED if lock else _READ, {"the_id": document_id}).one_or_none()
    return document_of(row) if row is not None else None


_READ = select(documents).where(documents.c.id == bindparam("the_id"))
_LOCKED = _READ.with_for_update()
