"""When a workflow was last called for work; the ledger decides whether it is called again, not a list of runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, select, update

from bot.ledger.engine import Database
from bot.ledger.policy import Caps
from bot.ledger.tables import dispatches
from bot.ledger.usage import reserve_both


@dataclass(frozen=True)
class Pace:
    """How often a workflow may be called: at most every so often, and again when no lane has come by after a while."""

    every: timedelta = timedelta(minutes=1)
    again_after: timedelta = timedelta(minutes=10)
    per_hour: int = 12

    @property
    def caps(self) -> Caps:
        """The same for the ledger's windows of time."""
        return Caps(self.per_hour, 24 * self.per_hour)


@dataclass(frozen=True)
class Dispatch:
    """One call that is to be made now. Calls for the same work carry the same token, and it has failed so often."""

    target: str
    token: str
    tries: int
    failures: int


class Dispatches:
    """One row for each workflow that is called."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def reserve(self, target: str, new_token: str, asked_at: datetime | None, pace: Pace) -> Dispatch | None:
        """The call to be made now, noted before it is made; None when it is too early, or the hour's calls are used up.

        `asked_at` is when a lane last asked for work: one that came since the last call has answered it, and then the
        next call is a new one. What was noted and never made, because of a crash, is made again in its time.
        """
        with self._db.write() as connection:
            this = select(dispatches).where(dispatches.c.target == target)
            last = connection.execute(this.with_for_update()).one_or_none()
            now: datetime = connection.execute(select(self._db.now())).scalar_one()
            answered = last is not None and asked_at is not None and asked_at > last.tried_at
            if last is not None and now < _earliest(last, pace, answered=answered):
                return None
            if reserve_both(self._db, connection, f"dispatch:{target}", 1, pace.caps) is not None:
                return None
            again = {} if last is None or answered else {"token": last.token, "failures": last.failures}
            row = {
                "target": target,
                "token": new_token,
                "tries": last.tries + 1 if last is not None and again else 1,
                "failures": 0,
                "tried_at": now,
                "not_before": now + pace.again_after,
                **again,
            }
            return self._noted(connection, row, is_first=last is None)

    def sent(self, dispatch: Dispatch) -> None:
        """Note that the call was taken."""
        self._change(dispatch, failures=0)

    def failed(self, dispatch: Dispatch, wait: timedelta) -> None:
        """Note that the call has failed, or may have, and leave it for a while."""
        self._change(dispatch, failures=dispatch.failures + 1, not_before=self._db.now(wait))

    def _noted(self, connection: Connection, row: Mapping[str, Any], *, is_first: bool) -> Dispatch | None:
        """The call as it is noted; None when another bot was faster with the very first one."""
        if is_first:
            noting = self._db.insert(dispatches).values(row).on_conflict_do_nothing()
            if connection.execute(noting.returning(dispatches.c.target)).one_or_none() is None:
                return None
        else:
            connection.execute(update(dispatches).where(dispatches.c.target == row["target"]).values(row))
        return Dispatch(*(row[name] for name in ("target", "token", "tries", "failures")))

    def _change(self, dispatch: Dispatch, **values: object) -> None:
        this_one = (dispatches.c.target == dispatch.target) & (dispatches.c.token == dispatch.token)
        with self._db.write() as connection:
            connection.execute(update(dispatches).where(this_one).values(values))


def _earliest(last: Row[Any], pace: Pace, *, answered: bool) -> datetime:
    """When the next call may be made: for new work soon, for the same work later, after a failure in its time."""
    tried_at: datetime = last.tried_at
    not_before: datetime = last.not_before
    if not answered:
        return not_before
    soon = tried_at + pace.every
    return max(soon, not_before) if last.failures else soon
