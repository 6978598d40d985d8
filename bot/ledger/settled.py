"""How far the history is settled on PostgreSQL, where a move may be committed after one with a higher number."""

import threading
import time
from dataclasses import dataclass

from sqlalchemy import Connection, func, select, text

from bot.errors import LedgerBehind
from bot.ledger.engine import Database
from bot.ledger.tables import moves

# Who may still hold a number that nobody sees yet. `pid` is null for a prepared transaction, which goes by another name
# after a restart.
_WRITERS = text("""
SELECT pg_is_in_recovery() AS is_standby, held.virtualtransaction AS name, held.pid
FROM (SELECT 1) AS always LEFT JOIN pg_locks AS held
  ON held.relation = 'moves'::regclass AND held.mode = 'RowExclusiveLock' AND held.granted
  AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
""")
# How long the first look waits for the writes that are under way; most last some milliseconds.
_FIRST_SECONDS, _PAUSE_SECONDS = 1.0, 0.005


@dataclass(frozen=True)
class Writers:
    """Who writes to the history at a moment: transactions by their names, and whether any is a prepared one."""

    names: frozenset[str]
    pids: frozenset[int]
    is_any_prepared: bool


@dataclass(frozen=True)
class Note:
    """The highest number that was seen, and who was writing after that."""

    top: int
    writers: Writers

    def is_open(self, now: Writers) -> bool:
        """Whether one of them is still under way, as far as those tell who write now."""
        return now.is_any_prepared or not self.writers.names.isdisjoint(now.names)


class Settled:
    """Tells up to where no number of the history can come any more.

    A number that is missing below one that is there was rolled back, or is held by a transaction that is under way.
    Which of the two is told by the locks on `moves`: a write takes its lock (RowExclusive) before it takes a number,
    and keeps it until it is rolled back, or committed and seen by everybody. The numbers are given out one by one, in
    their order. So, when a number has been seen, and *after that* the locks are looked at, whoever holds a lower
    number, unseen, is among those that hold one. Once none of them does, all their numbers can be read or never will
    be: up to the highest number seen then, the history is settled. Who came later has higher numbers, and is not waited
    for; of an old number that is missing nothing needs to be known; and no list of gaps is kept.

    A lock is kept through the wait for a disk or a replica, outlives a crash of the client until the server has rolled
    back, and is handed to the prepared transaction by PREPARE. A long transaction holds up followers only at a gap, for
    its own length, and only if it writes to `moves` in this database. (Snapshots would not tell: `pg_snapshot_xmax` is
    one past the highest transaction that has *ended*, and one above it may have been at work for long; and whatever
    else writes in the cluster would be waited for, too.) A standby does not see these locks: there a gap is an error.

    This needs a new snapshot for each statement, which is READ COMMITTED, and a sequence that caches nothing.
    """

    def __init__(self, db: Database, first_seconds: float = _FIRST_SECONDS) -> None:
        self._db = db
        self._first_seconds = first_seconds
        self._lock = threading.Lock()
        self._whole: int | None = None
        self._note: Note | None = None

    @property
    def waits_for(self) -> Note | None:
        """What the last look has left open; None when all that is there can be read."""
        return self._note

    def up_to(self, connection: Connection) -> int:
        """The number up to which all that will ever come can be read by the next statement of this transaction."""
        whole, note = self._whole, self._note
        if whole is None:
            whole, note = self._first(connection)
        while True:
            whole, top = _without_gap(connection, whole)
            if whole == top:
                return self._keep(whole, None)
            writers = _writers(connection)
            if note is None or note.top <= whole:
                note = Note(top, writers)
            if note.is_open(writers):
                return self._keep(whole, note)
            whole = note.top

    def _first(self, connection: Connection) -> tuple[int, Note | None]:
        """Where a process begins, whatever gaps are in the past; from the first one if a write lasts long."""
        note = Note(connection.execute(select(func.max(moves.c.seq))).scalar_one() or 0, _writers(connection))
        ends, writers = time.monotonic() + self._first_seconds, note.writers
        while note.is_open(writers):
            if time.monotonic() > ends:
                return 0, note
            time.sleep(_PAUSE_SECONDS)
            writers = _writers(connection)
        return note.top, None

    def _keep(self, whole: int, note: Note | None) -> int:
        """Several threads look; what one has found stays true for all."""
        with self._lock:
            self._whole = max(whole, self._whole or 0)
            self._note = note
            return self._whole


def _without_gap(connection: Connection, whole: int) -> tuple[int, int]:
    """The last number before a gap, from a settled one on, and the highest number that there is."""
    before = func.lag(moves.c.seq, 1, whole).over(order_by=moves.c.seq)
    new = select(moves.c.seq, before.label("before")).where(moves.c.seq > whole).subquery()
    gaps = select(new.c.before).where(new.c.seq > new.c.before + 1)
    gap = gaps.order_by(new.c.seq).limit(1).scalar_subquery()
    top = select(func.max(moves.c.seq)).scalar_subquery()
    row = connection.execute(select(gap.label("gap"), top.label("top"))).one()
    highest = max(row.top or 0, whole)
    return (highest if row.gap is None else row.gap), highest


def _writers(connection: Connection) -> Writers:
    rows = connection.execute(_WRITERS).all()
    if rows[0].is_standby:
        raise LedgerBehind("the history has a gap that a standby cannot tell of: read it where it is written")
    held = [row for row in rows if row.name is not None]
    return Writers(
        frozenset(row.name for row in held),
        frozenset(row.pid for row in held if row.pid is not None),
        any(row.pid is None for row in held),
    )
