"""Tells every process on a ledger, at once, that something has moved; whoever is not told finds it at its next look."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from sqlalchemy import text

from bot.ledger.engine import Database
from bot.ledger.listening import CHANNEL, Listening

# What moves within so short a time is told together, but for the first of it.
PAUSE_SECONDS = 0.05
_NOTIFY = text(f"SELECT pg_notify('{CHANNEL}', :told_by)")

log = structlog.get_logger()


class Bell:
    """Calls `heard` after every commit that appends to the history, here or in another process on PostgreSQL.

    A NOTIFY in the transaction of a move would make all commits wait for one another. So it is sent afterwards, in a
    transaction of its own, by a thread that is woken by the first of several moves, and rests before the next. That
    goes through a pooler; what is heard comes by a connection past it. `heard` is called in any thread, and returns
    at once. `name`: this process's own, among all that ring.
    """

    def __init__(
        self, db: Database, heard: Callable[[], None], name: str, pause_seconds: float = PAUSE_SECONDS
    ) -> None:
        self._db = db
        self._heard = heard
        self._name = name
        self._pause = pause_seconds
        self._rung = threading.Event()
        self._stopping = threading.Event()
        self._listening = None if db.is_sqlite else Listening(db, heard, name, self._rung.set)
        self._thread = threading.Thread(target=self._tell_others, name="bell", daemon=True)

    def start(self) -> None:
        """Ring from now on."""
        self._db.heed_moves(self._ring)
        if self._listening is not None:
            self._thread.start()
            self._listening.start()

    def stop(self) -> None:
        """Ring no more; the last move is told."""
        self._db.heed_moves(None)
        self._stopping.set()
        if self._listening is not None:
            self._rung.set()
            self._thread.join()
            self._listening.stop()

    def _ring(self) -> None:
        self._heard()
        self._rung.set()

    def _tell_others(self) -> None:
        failing = False
        while not self._stopping.is_set():
            self._rung.wait()
            self._rung.clear()
            failing = not tell(self._db, self._name, quietly=failing)
            self._stopping.wait(self._pause)
        if self._rung.is_set():
            tell(self._db, self._name, quietly=failing)


def tell(db: Database, name: str, *, quietly: bool = False) -> bool:
    """Tell every process that listens that something has moved; False where that cannot be, which is no loss."""
    try:
        with db.write() as connection:
            connection.execute(_NOTIFY, {"told_by": name})
    except Exception as problem:
        # The kind only, since a database's error quotes the statement.
        if not quietly:
            log.warning("moves_not_told", error=type(problem).__name__)
        return False
    return True


@contextmanager
def told_at_the_end(db: Database, name: str) -> Iterator[None]:
    """For a process that ends soon: what has moved in the block is told once, behind it."""
    moved = threading.Event()
    db.heed_moves(moved.set)
    try:
        yield
    finally:
        db.heed_moves(None)
        if moved.is_set() and not db.is_sqlite:
            tell(db, name)
