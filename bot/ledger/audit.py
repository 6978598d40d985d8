"""The audit log: what operators did, each written by the transaction that did it, and never changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from bot.errors import AlreadyDone
from bot.ledger.engine import Database
from bot.ledger.tables import audit
from guardrails.access import Caller, Role

_AT_A_TIME = 1000


@dataclass(frozen=True)
class AuditEntry:
    """One action of an operator: on what, and in their own words why. Nobody else's words are in it."""

    seq: int
    at: datetime
    device: str
    action: str
    target: str
    detail: str
    action_id: str | None


def note(db: Database, connection: Connection, caller: Caller, action: str, target: str, detail: str = "") -> None:
    """Note what an operator does, in the transaction of the write itself; nothing is noted for any other role.

    AlreadyDone when the caller's action id is noted already: what was written in this transaction is undone by it.
    """
    if caller.role is not Role.OPERATOR:
        return
    row = {
        "at": db.now(),
        "device": caller.device,
        "action": action,
        "target": target,
        "detail": detail,
        "action_id": caller.action_id,
    }
    noted = db.insert(audit).values(row).on_conflict_do_nothing().returning(audit.c.seq)
    if connection.execute(noted).first() is None:
        raise AlreadyDone(f"the action {caller.action_id} was done before")


class Audit:
    """Reads the log, and notes what writes nothing else to the ledger."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def rows(self, before: int | None, limit: int) -> list[AuditEntry]:
        """The actions before a sequence number, newest first; without one the newest."""
        query = select(audit).order_by(audit.c.seq.desc()).limit(limit)
        if before is not None:
            query = query.where(audit.c.seq < before)
        with self._db.read() as connection:
            return [AuditEntry(**row._mapping) for row in connection.execute(query)]

    def done(self, action_ids: Sequence[str]) -> dict[str, AuditEntry]:
        """What was noted of these action ids; those that were never done are left out."""
        found: dict[str, AuditEntry] = {}
        with self._db.read() as connection:
            for start in range(0, len(action_ids), _AT_A_TIME):
                named = audit.c.action_id.in_(action_ids[start : start + _AT_A_TIME])
                for row in connection.execute(select(audit).where(named)):
                    found[row.action_id] = AuditEntry(**row._mapping)
        return found

    def add(self, caller: Caller, action: str, target: str, detail: str = "") -> None:
        """Note what an operator did outside of the ledger."""
        with self._db.write() as connection:
            note(self._db, connection, caller, action, target, detail)
