"""Hears by a PostgreSQL connection of its own that something has moved, for as long as it stands, and then again."""

import selectors
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

import structlog

from bot.ledger.engine import Database

if TYPE_CHECKING:
    import psycopg

CHANNEL = "skywright_moves"
# A connection that is lost is made anew, at first soon.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
# How long what is told by ourselves may take; where it does not come, what others tell does not either.
_PROOF_SECONDS = 10.0

log = structlog.get_logger()


class Listening:
    """Calls `heard` whenever another process tells that something has moved, and whenever that may have been missed.

    `prove` has this process tell something under its own name, once a connection stands: if that is not heard, the
    connection leads to a pooler that gives nothing on. It is said, and moves are found by looking, as they are
    whenever no connection stands.
    """

    def __init__(
        self,
        db: Database,
        heard: Callable[[], None],
        name: str,
        prove: Callable[[], object],
        proof_seconds: float = _PROOF_SECONDS,
    ) -> None:
        self._db = db
        self._heard = heard
        self._name = name.encode()
        self._prove = prove
        self._proof_seconds = proof_seconds
        self._ours, self._theirs = socket.socketpair()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="listening", daemon=True)

    def start(self) -> None:
        """Listen from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Listen no more."""
        self._stopping.set()
        self._ours.close()
        self._thread.join()
        self._theirs.close()

    def _listen(self) -> None:
        failing, pause = False, _FIRST_PAUSE
        while not self._stopping.is_set():
            try:
                with closing(self._db.direct_connection()) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    if failing:
                        log.info("listening_again")
                    failing, pause = False, _FIRST_PAUSE
                    self._hear(connection)
            except Exception as problem:
                if not failing:
                    log.warning("not_listening", error=type(problem).__name__, mend="moves are found by looking")
                failing = True
            self._stopping.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _hear(self, connection: "psycopg.Connection[Any]") -> None:
        """Return when it is to stop; an error when the connection is lost."""
        self._heard()
        self._prove()
        proof_until: float | None = time.monotonic() + self._proof_seconds
        # Not by `select`, which takes no file with a number above 1023.
        with selectors.DefaultSelector() as events:
            events.register(connection.fileno(), selectors.EVENT_READ)
            events.register(self._theirs, selectors.EVENT_READ)
            while not self._stopping.is_set():
                left = None if proof_until is None else max(proof_until - time.monotonic(), 0)
                ready = events.select(left)
                names = _told_by(connection)
                if self._name in names:
                    proof_until = None
                if names - {self._name}:
                    self._heard()
                if not ready and proof_until is not None:
                    log.warning("listening_in_vain", mend="a pooler is between: set SKYWRIGHT_DATABASE_DIRECT_URL")
                    proof_until = None


def _told_by(connection: "psycopg.Connection[Any]") -> set[bytes]:
    """Who has told something since; an error when the connection is lost."""
    connection.pgconn.consume_input()
    names = set()
    while (notice := connection.pgconn.notifies()) is not None:
        names.add(notice.extra)
    return names
