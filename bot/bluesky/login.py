"""Logging in: rarely, under a budget, never again with a password that was refused, on a client of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from atproto_client import Session
from pydantic import SecretStr

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.translate import ACCOUNT_STATE, Clock
from bot.bluesky.xrpc import Xrpc
from guardrails.documents import Did

# A token that is refused right after a login is not mended by the next login, and logins are counted (300 a day).
LOGIN_SPACING = timedelta(minutes=5)
JUST_LOGGED_IN = "the last login was a moment ago"
# The account is taken down: that ends without a word to us, and asking costs a login.
CLOSED_WAIT = timedelta(minutes=15)


@dataclass(frozen=True)
class LoginForbidden:
    """Why no login may be tried: not before `until`, or, without it, not with these credentials again."""

    until: datetime | None
    why: str
    error: str | None = None


class LoginBook(Protocol):
    """What is remembered of logins, by every process and every restart."""

    def reserve_login(self, did: Did, password: str) -> LoginForbidden | None:
        """Take one login of the budget; what forbids it, if something does."""
        ...

    def return_login(self, did: Did) -> None:
        """Undo a reservation: nothing was sent."""
        ...

    def pause_logins(self, did: Did, until: datetime, why: str, error: str | None) -> None:
        """No login before that moment, whoever asks."""
        ...

    def refuse_login(self, did: Did, password: str, why: str, error: str | None) -> None:
        """No login with these credentials, until they change or `allow_login`."""
        ...

    def allow_login(self, did: Did) -> None:
        """Forget that credentials were refused; a pause stands."""
        ...


class Login:
    """Logs one account in; `call_seconds` is the longest that the login may take."""

    def __init__(
        self,
        did: Did,
        password: SecretStr,
        book: LoginBook,
        open_client: Callable[[], Xrpc],
        now: Clock,
        call_seconds: float,
    ) -> None:
        self._did = did
        self._password = password
        self._book = book
        self._open_client = open_client
        self._now = now
        self._unclear_wait = timedelta(seconds=2 * call_seconds)

    def new_session(self, refusal: CallFailed | None) -> Session:
        """A session by password; `refusal` is what made the last one worthless. Raises CallFailed, never UNKNOWN."""
        forbidden = self._book.reserve_login(self._did, self._password.get_secret_value())
        if forbidden is not None:
            raise _forbidden(forbidden, refusal)
        client = self._open_client()
        try:
            session = client.create_session(self._did, self._password.get_secret_value())
            if session.did != self._did:
                raise CallFailed(Failure.AUTH, f"the server logged {session.did} in for {self._did}")
        except CallFailed as failed:
            self._note(failed)
            if failed.failure is not Failure.UNKNOWN:
                raise
            unclear = failed
        else:
            return session
        finally:
            client.close()
        # A login that may have happened has changed nothing that matters to the call that wanted it.
        raise CallFailed(Failure.NOT_SENT, unclear.message, status=unclear.status, error=unclear.error)

    def kept(self) -> None:
        """The session is in safe keeping: the next login has time."""
        self._book.pause_logins(self._did, self._now() + LOGIN_SPACING, JUST_LOGGED_IN, None)

    def allow(self) -> None:
        """Allow a login with credentials that were refused."""
        self._book.allow_login(self._did)

    def _note(self, failed: CallFailed) -> None:
        now = self._now()
        match failed.failure:
            case Failure.NOT_SENT:
                self._book.return_login(self._did)
            case Failure.UNKNOWN:
                until = max(now + self._unclear_wait, failed.retry_at or now)
                self._book.pause_logins(self._did, until, f"the last login failed: {failed}", None)
            case Failure.RATE_LIMITED:
                until = failed.retry_at or now + self._unclear_wait
                self._book.pause_logins(self._did, until, "the server takes no more logins", None)
            case Failure.AUTH if failed.error in ACCOUNT_STATE:
                self._book.pause_logins(self._did, now + CLOSED_WAIT, failed.message, failed.error)
            case Failure.AUTH | Failure.REFUSED:
                password = self._password.get_secret_value()
                self._book.refuse_login(self._did, password, failed.message, failed.error)


def _forbidden(forbidden: LoginForbidden, refusal: CallFailed | None) -> CallFailed:
    if forbidden.until is None:
        return CallFailed(Failure.AUTH, f"not tried again: {forbidden.why}", error=forbidden.error)
    if refusal is not None and forbidden.why == JUST_LOGGED_IN:
        return CallFailed(Failure.AUTH, refusal.message, status=refusal.status, error=refusal.error)
    failure = Failure.AUTH if forbidden.error else Failure.RATE_LIMITED
    message = f"login paused until {forbidden.until:%Y-%m-%d %H:%M:%S} UTC: {forbidden.why}"
    return CallFailed(failure, message, error=forbidden.error, retry_at=forbidden.until)
