"""What a process that has begun has to hear before it says anything new: an author's cancel may be among it."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from bot.ledger.ledger import Ledger
from guardrails.switches import Switch
from guardrails.transitions import Status

# A condition that stands while a process cannot read what came before it: new replies wait.
DEAF = "deaf"
DEAF_AFTER = timedelta(minutes=5)
Over = Callable[[], bool]
log = structlog.get_logger()


class CatchingUp:
    """Whether this process has read and judged what came in while none was there; for several threads.

    The ledger may be a copy that is older than the process before. Paused readings hold nothing up.
    """

    def __init__(self, ledger: Ledger, read: Callable[[Over], object], judge: Callable[[Over], object]) -> None:
        self._ledger = ledger
        self._read = read
        self._judge = judge
        self._lock = threading.Lock()
        self._since: datetime | None = None
        self._read_at: datetime | None = None
        self._heard = False

    def have_read(self) -> None:
        """A reading that began in this process has come to its end."""
        self._read_at = self._read_at or self._ledger.db.time()

    def done(self, over: Over) -> bool:
        """Go on with it, until the round is over; True once it is done. Raises what reading and judging raise.

        Operators are told when it does not get done: waiting is the safe side, and only they may choose the other.
        """
        with self._lock:
            if self._heard:
                # One that has lost the rounds to us may have told so last.
                self._tell(deaf=False)
                return True
            if self._ledger.desk.is_on(Switch.PAUSE_INGEST):
                self._tell(deaf=False)
                return True
            try:
                self._heard = self._hear(over)
            finally:
                now = self._ledger.db.time()
                self._since = self._since or now
                if self._heard or now - self._since >= DEAF_AFTER:
                    self._tell(deaf=not self._heard)
            return self._heard

    def _hear(self, over: Over) -> bool:
        if self._read_at is None:
            self._read(over)
        if self._read_at is None:
            return False
        self._judge(over)
        waiting = self._ledger.queries.waiting(Status.RECEIVED, 1)
        return not waiting or waiting[0].created_at > self._read_at

    def _tell(self, *, deaf: bool) -> None:
        conditions = self._ledger.conditions
        if not deaf and conditions.stands(DEAF):
            conditions.clear(DEAF)
        if deaf and conditions.set(DEAF, "what was said while no bot ran is not read and judged yet; new replies wait"):
            log.error("not_caught_up", since=str(self._since), mend="look at the log, or `skywright pause ingest`")
