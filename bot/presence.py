"""The account as the jobs hold it: opened when it is first needed, and asked for again while the network is away."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from bot.bluesky.config import AccountConfig
from bot.bluesky.errors import CallFailed, Failure, SessionConflict
from bot.bluesky.session import Account, KeptSession, open_account
from bot.errors import LostRace
from bot.ledger.desk import SealedSessions
from guardrails.documents import Did

FIRST_WAIT = timedelta(seconds=1)
LONGEST_WAIT = timedelta(minutes=5)
log = structlog.get_logger()


class LedgerSessions:
    """The ledger's sealed sessions as the account wants them."""

    def __init__(self, sealed: SealedSessions) -> None:
        self._sealed = sealed

    def load(self, did: Did) -> KeptSession | None:
        """The session that is kept now."""
        kept = self._sealed.load(did)
        return KeptSession(*kept) if kept is not None else None

    def save(self, did: Did, text: str, expected_version: int | None) -> int:
        """Keep a session over the one that it came from; SessionConflict when another is kept meanwhile."""
        try:
            return self._sealed.save(did, text, expected_version)
        except LostRace as lost:
            raise SessionConflict from lost


class Presence:
    """Opens the account once. A refusal stays until a person mends it; an absent network is asked again, ever later."""

    def __init__(self, config: AccountConfig, sessions: LedgerSessions, now: Callable[[], datetime]) -> None:
        self._config = config
        self._sessions = sessions
        self._now = now
        self._lock = threading.Lock()
        self._account: Account | None = None
        self._failed: CallFailed | None = None
        self._wait = FIRST_WAIT
        self._again_at: datetime | None = None

    def account(self) -> Account:
        """The account, opened now if need be. Raises CallFailed, at once while it is not time to try again."""
        with self._lock:
            if self._account is not None:
                return self._account
            if self._failed is not None and (self._again_at is None or self._now() < self._again_at):
                # Without its past: an exception that is raised again and again grows by a piece each time.
                raise self._failed.with_traceback(None)
            try:
                self._account = open_account(self._config, self._sessions, self._now)
            except CallFailed as failed:
                self._note(failed)
                raise
            log.info("logged_in", did=self._account.did, handle=self._account.handle, pds=self._account.pds_url)
            return self._account

    def close(self) -> None:
        """Close the account's connections."""
        with self._lock:
            if self._account is not None:
                self._account.close()

    def _note(self, failed: CallFailed) -> None:
        self._failed = failed
        if failed.failure in (Failure.AUTH, Failure.REFUSED):
            self._again_at = None
            log.error("login_refused", failure=str(failed), mend="check SKYWRIGHT_IDENTIFIER and SKYWRIGHT_PASSWORD")
            return
        self._again_at = max(self._now() + self._wait, failed.retry_at or self._now())
        self._wait = min(self._wait * 2, LONGEST_WAIT)
        log.warning("not_logged_in", failure=str(failed), again_at=str(self._again_at))
