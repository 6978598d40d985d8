"""The move of a ledger to another database: who may still open which of the two, from its begin to its end."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import event, text
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError

from bot.errors import LedgerBehind, LedgerInUse, NotDone
from bot.ledger.conditions import Conditions
from bot.ledger.copying import BATCH, Copying, Told
from bot.ledger.engine import Database
from bot.ledger.fences import FILLING, MOVED, MOVING, WHERE, fence_of, moves_to, put_fence
from bot.ledger.leases import ROUNDS, Leases
from bot.ledger.schema import check_schema, current_revision, head_revision

# A lock of this number is had once in each database of PostgreSQL, for as long as a transaction.
_HERE = "SELECT pg_try_advisory_xact_lock(7339215002)"


def move_ledger(source: Database, target: Database, address: str, name: str, told: Told, batch: int = BATCH) -> None:
    """Copy a ledger and have programs open the copy instead; gone on with where an earlier try was cut short.

    `address` is the target's as people may read it, `name` that of a move which begins now. Nobody else may hold a
    SQLite source. LedgerInUse while a bot runs on it, NotDone where the target is none, does not answer or has no
    room, or the source has moved.
    """
    with _told_apart(target):
        _move(source, target, address, name, told, batch)


def _move(source: Database, target: Database, address: str, name: str, told: Told, batch: int) -> None:
    check_no_bot(source)
    if fence_of(current_revision(target))[1] in (MOVING, MOVED):
        # It may be this very ledger: nothing is begun.
        raise NotDone("the new database holds a ledger that has moved, or is to move: make another, empty one")
    if not source.is_sqlite and _is_one(source, target):
        raise NotDone("the ledger is there already: name another, empty database")
    name = _begun(source, address, name)
    # A bot that had looked before the fence was there has its lease by now.
    try:
        check_no_bot(source)
    except LedgerInUse:
        _put(source, None)
        raise
    copying = Copying(source, target, name, batch)
    _, fence = fence_of(current_revision(source))
    if fence != MOVED:
        copying.take()
        copying.copy(told)
        copying.compare(told)
        _put(source, MOVED)
    elif fence_of(current_revision(target))[1] != FILLING:
        raise NotDone(f"this ledger has moved to {address} already: set SKYWRIGHT_DATABASE_URL to that")
    copying.open()


def stay(source: Database) -> bool:
    """Let programs open a ledger again that was moved, or was to be; False where it never was."""
    _, fence = fence_of(current_revision(source))
    if fence not in (MOVING, MOVED):
        return False
    _put(source, None)
    Conditions(source).clear(WHERE)
    return True


def check_no_bot(db: Database) -> None:
    """Return when no bot does the rounds on a ledger; LedgerInUse names the one that does."""
    if fence_of(current_revision(db))[0] != head_revision():
        return
    lease = Leases(db).standing(ROUNDS)
    if lease is not None:
        raise LedgerInUse(f"a bot runs on the ledger ({lease.holder}, until {lease.until:%H:%M:%S} UTC): stop it first")


@contextmanager
def _told_apart(target: Database) -> Iterator[None]:
    """What goes wrong in the target is told of that: its disk may be full where the source has room."""
    there: list[BaseException] = []

    def note(context: ExceptionContext) -> None:
        there.append(context.original_exception)

    event.listen(target.engine, "handle_error", note)
    try:
        yield
    except DBAPIError as problem:
        if problem.orig is None or not any(problem.orig is each for each in there):
            raise
        raise _not_there(problem.orig) from problem
    except psycopg.Error as problem:
        # Rows are copied past SQLAlchemy.
        raise _not_there(problem) from problem
    finally:
        event.remove(target.engine, "handle_error", note)


def _not_there(problem: BaseException) -> NotDone:
    # The lines after the first quote the statement and its values.
    said = str(problem).partition("\n")[0] or type(problem).__name__
    return NotDone(f"the new database: {said}; mend that, and run this again")


def _begun(source: Database, address: str, name: str) -> str:
    """The name of the move that a ledger is in, which begins now unless it has begun before."""
    _, fence = fence_of(current_revision(source))
    begun, where = moves_to(source)
    match fence:
        case None:
            check_schema(source)
            Conditions(source).set(WHERE, f"{name} {address}")
            _put(source, MOVING)
            return name
        case "moving" | "moved":
            if where != address:
                raise NotDone(f"this ledger is on its way to {where}, or has moved there; `--back` takes that back")
            return begun
        case _:
            raise LedgerBehind("this ledger is not whole itself: end the move that fills it first")


def _is_one(source: Database, target: Database) -> bool:
    """Whether both are one database of PostgreSQL, however each is reached."""
    with source.read() as here, target.read() as there:
        return bool(here.execute(text(_HERE)).scalar_one()) and not there.execute(text(_HERE)).scalar_one()


def _put(source: Database, fence: str | None) -> None:
    with source.write() as connection:
        put_fence(connection, fence)
