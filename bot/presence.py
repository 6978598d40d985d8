"""The account as the jobs hold it: opened when it is first needed, and asked for again while the network is away."""

import secrets
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import structlog

from bot.bluesky.config import AccountConfig
from bot.bluesky.errors import CallFailed, Failure, SessionConflict
from bot.bluesky.login import LoginForbidden
from bot.bluesky.session import Account, KeptSession, open_account
from bot.errors import LostRace
from bot.ledger.engine import Database
from bot.ledger.logins import Logins
from bot.ledger.sessions import SealedSessions
from bot.settings import Settings
from guardrails.documents import Did

FIRST_WAIT = timedelta(seconds=1)
LONGEST_WAIT = timedelta(minutes=5)
# A refusal is kept in the ledger, so asking again asks nobody else, and finds out that a person allowed it.
REFUSED_WAIT = timedelta(seconds=30)
REFUSED_MEND = "mend SKYWRIGHT_IDENTIFIER or SKYWRIGHT_PASSWORD, or run `skywright login --retry`"
log = structlog.get_logger()


class LedgerSessions:
    """The ledger's sealed sessions and its book of logins as the account wants them."""

    def __init__(self, sealed: SealedSessions, logins: Logins) -> None:
        self._sealed = sealed
        self._logins = logins

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

    def lease(self, did: Did, seconds: float) -> AbstractContextManager[bool]:
        """Whether this process alone may renew the session inside the block."""
        return self._sealed.lease(did, seconds)

    def reserve_login(self, did: Did, password: str) -> LoginForbidden | None:
        """Take one login of the budget; what forbids it, if something does."""
        forbidden = self._logins.reserve(did, password)
        return LoginForbidden(forbidden.until, forbidden.why, forbidden.error) if forbidden is not None else None

    def return_login(self, did: Did) -> None:
        """Undo a reservation."""
        self._logins.give_back(did)

    def pause_logins(self, did: Did, until: datetime, why: str, error: str | None) -> None:
        """No login before that moment."""
        self._logins.pause(did, until, why, error)

    def refuse_login(self, did: Did, password: str, why: str, error: str | None) -> None:
        """No login with these credentials."""
        self._logins.refuse(did, password, why, error)

    def allow_login(self, did: Did) -> None:
        """Forget that credentials were refused."""
        self._logins.allow(did)


def ledger_sessions(db: Database, settings: Settings, kind: type[LedgerSessions] = LedgerSessions) -> LedgerSessions:
    """The sessions that this ledger keeps, sealed with the host's key."""
    key = settings.session_key.get_secret_value()
    return kind(SealedSessions(db, key, secrets.token_hex), Logins(db, key, settings.login_caps))


class Presence:
    """Opens the account once; an absent network is asked again, ever later, and a refusal is asked after in the ledger.

    `on_failure` hears of every call that failed, the login included.
    """

    def __init__(
        self,
        config: AccountConfig,
        sessions: LedgerSessions,
        now: Callable[[], datetime],
        on_failure: Callable[[CallFailed], None] = lambda _: None,
    ) -> None:
        self._config = config
        self._sessions = sessions
        self._now = now
        self._on_failure = on_failure
        self._lock = threading.Lock()
        self._account: Account | None = None
        self._failed: CallFailed | None = None
        self._wait = FIRST_WAIT
        self._failed_at = self._again_at = now()

    def account(self) -> Account:
        """The account, opened now if need be. Raises CallFailed, at once while it is not time to try again."""
        with self._lock:
            if self._account is not None:
                return self._account
            # Before its own failure it is only where the clock was put back since.
            if self._failed is not None and self._failed_at <= self._now() < self._again_at:
                # Without its past: an exception that is raised again and again grows by a piece each time.
                raise self._failed.with_traceback(None)
            try:
                self._account = open_account(self._config, self._sessions, self._now, on_failure=self._on_failure)
            except CallFailed as failed:
                self._note(failed)
                raise
            log.info("logged_in", did=self._account.did, handle=self._account.handle, pds=self._account.pds_url)
            return self._account

    @property
    def clock_ahead(self) -> timedelta | None:
        """By how much this machine's clock is ahead of the PDS's; None as long as that has told no time."""
        account = self._account
        return account.clock_ahead if account is not None else None

    def close(self) -> None:
        """Close the account's connections."""
        with self._lock:
            if self._account is not None:
                self._account.close()

    def _note(self, failed: CallFailed) -> None:
        told = str(self._failed) == str(failed)
        self._failed = failed
        self._on_failure(failed)
        self._failed_at = now = self._now()
        if failed.failure in (Failure.AUTH, Failure.REFUSED):
            self._again_at = now + REFUSED_WAIT
            if not told:
                log.error("login_refused", failure=str(failed), mend=REFUSED_MEND)
            return
        self._again_at = max(now + self._wait, failed.retry_at or now)
        self._wait = min(self._wait * 2, LONGEST_WAIT)
        log.warning("not_logged_in", failure=str(failed), again_at=str(self._again_at))
