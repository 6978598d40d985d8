"""The bot's account: logged in by DID, its session kept outside, one renewal at a time."""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from atproto_client import Session
from pydantic import SecretStr

from bot.bluesky.config import AccountConfig
from bot.bluesky.errors import CallFailed, Failure, SessionConflict
from bot.bluesky.identity import IdentityResolver, is_did, is_handle
from bot.bluesky.translate import ACCESS_EXPIRED, ACCESS_INVALID, Clock
from bot.bluesky.xrpc import Json, Xrpc, has_tokens
from guardrails.documents import Did

# A token that is refused right after a login is not mended by the next login, and logins are counted (300 a day).
LOGIN_SPACING = timedelta(minutes=5)
RENEWALS_PER_CALL = 2


@dataclass(frozen=True)
class KeptSession:
    """A session as it is stored: `text` holds the tokens."""

    text: str = field(repr=False)
    version: int


class SessionKeeper(Protocol):
    """Where sessions outlive the process; several processes may share one."""

    def load(self, did: Did) -> KeptSession | None:
        """The session that is stored now."""
        ...

    def save(self, did: Did, text: str, expected_version: int | None) -> int:
        """Store over the version that was loaded (None: over nothing); the new version, or SessionConflict."""
        ...


class Account:
    """Calls as the bot's account; `query` and `procedure` raise CallFailed and nothing else of the network's."""

    def __init__(
        self, did: Did, pds_url: str, password: SecretStr, xrpc: Xrpc, sessions: SessionKeeper, now: Clock
    ) -> None:
        self.did = did
        self.pds_url = pds_url
        self._password = password
        self._xrpc = xrpc
        self._sessions = sessions
        self._now = now
        self._lock = threading.Lock()
        self._version: int | None = None
        self._refused: CallFailed | None = None
        self._logged_in_at: datetime | None = None
        with self._lock:
            self._session: Session = self._kept() or self._log_in()

    @property
    def handle(self) -> str:
        """The handle that the account had when its session was last renewed."""
        return str(self._session.handle)

    def query(self, nsid: str, params: Mapping[str, Any] | None = None) -> Json:
        """The JSON answer to a question."""
        return self._renewing(lambda token: self._xrpc.query(nsid, params or {}, token))

    def procedure(self, nsid: str, body: Mapping[str, Any], *, writes: bool) -> Json:
        """The JSON answer to a procedure, its body sent as it is; with `writes` an unclear end is UNKNOWN."""
        return self._renewing(lambda token: self._xrpc.procedure(nsid, body, token, writes=writes))

    def retry_login(self) -> None:
        """Allow a login again after one was refused."""
        with self._lock:
            self._refused = None
            self._logged_in_at = None

    def close(self) -> None:
        """Close the connections; the session stays valid."""
        self._xrpc.close()

    def _renewing(self, send: Callable[[str], Json]) -> Json:
        """Send, and again with a renewed session: a call whose token was refused has done nothing."""
        with self._xrpc.deadline():
            session = self._session
            for _ in range(RENEWALS_PER_CALL):
                token = session.access_jwt
                try:
                    return send(token)
                except CallFailed as failed:
                    if failed.error not in {ACCESS_EXPIRED, ACCESS_INVALID}:
                        raise
                    refusal = failed
                session = self._renewed(token, refusal)
            return send(session.access_jwt)

    def _renewed(self, token: str, refusal: CallFailed) -> Session:
        """A session with another access token than the refused one: somebody else's, a refreshed or a new one."""
        with self._lock:
            if self._session.access_jwt == token:
                self._session = self._kept() or self._refreshed(refusal) or self._log_in(refusal)
            return self._session

    def _refreshed(self, refusal: CallFailed) -> Session | None:
        if refusal.error != ACCESS_EXPIRED:
            return None
        try:
            fresh = self._xrpc.refresh_session(self._session)
        except CallFailed as failed:
            if failed.error not in {ACCESS_EXPIRED, ACCESS_INVALID}:
                raise
            return None
        return self._keep(fresh)

    def _log_in(self, refusal: CallFailed | None = None) -> Session:
        self._check_login(refusal)
        try:
            session = self._xrpc.create_session(self.did, self._password.get_secret_value())
        except CallFailed as failed:
            if failed.failure is not Failure.NOT_SENT:
                self._refused = failed
            raise
        if session.did != self.did:
            raise CallFailed(Failure.AUTH, f"the server logged {session.did} in for {self.did}")
        self._logged_in_at = self._now()
        return self._keep(session)

    def _check_login(self, refusal: CallFailed | None) -> None:
        """Raises what the last login came back with, until `retry_login` or the end of the limit."""
        past = self._refused
        if past and (past.retry_at is None or self._now() < past.retry_at):
            raise CallFailed(past.failure, past.message, status=past.status, error=past.error, retry_at=past.retry_at)
        if refusal and self._logged_in_at and self._now() < self._logged_in_at + LOGIN_SPACING:
            raise CallFailed(Failure.AUTH, refusal.message, status=refusal.status, error=refusal.error)

    def _keep(self, session: Session) -> Session:
        """Store a session before its first use; whoever stored one meanwhile is followed."""
        for _ in range(3):
            try:
                self._version = self._sessions.save(self.did, session.encode(), self._version)
            except SessionConflict:
                newer = self._kept()
                if newer:
                    return newer
            else:
                return session
        raise CallFailed(Failure.NOT_SENT, "the session could not be kept")

    def _kept(self) -> Session | None:
        """The stored session, if it is another than the one that we know of."""
        kept = self._sessions.load(self.did)
        known, self._version = self._version, kept.version if kept else None
        if kept is None or kept.version == known:
            return None
        with suppress(ValueError, TypeError):
            session = Session.decode(kept.text)
            if session.did == self.did and has_tokens(session):
                # The setting decides where the account lives, not what was stored under an older one.
                session.pds_endpoint = self.pds_url
                return session
        return None


def open_account(config: AccountConfig, sessions: SessionKeeper, now: Clock) -> Account:
    """The account, with its kept session or logged in by DID; CallFailed when that fails, AUTH for a wrong password."""
    did, pds_url = _whereabouts(config, now)
    xrpc = Xrpc(pds_url, deadline_seconds=config.call_deadline_seconds, now=now)
    try:
        return Account(did, pds_url, config.password, xrpc, sessions, now)
    except BaseException:
        xrpc.close()
        raise


def _whereabouts(config: AccountConfig, now: Clock) -> tuple[Did, str]:
    name = config.identifier.strip().removeprefix("@")
    if not is_did(name) and not is_handle(name):
        raise CallFailed(Failure.REFUSED, "the identifier is neither a handle nor a DID", error="InvalidIdentifier")
    if config.pds_url:
        pds_url = config.pds_url.rstrip("/")
        return (Did(name) if is_did(name) else _did_from(pds_url, name.lower(), config, now)), pds_url
    return _published(name, config, now)


def _did_from(pds_url: str, handle: str, config: AccountConfig, now: Clock) -> Did:
    xrpc = Xrpc(pds_url, deadline_seconds=config.call_deadline_seconds, now=now)
    try:
        answer = xrpc.query("com.atproto.identity.resolveHandle", {"handle": handle})
    finally:
        xrpc.close()
    did = answer.get("did")
    if not isinstance(did, str) or not is_did(did):
        raise CallFailed(Failure.NOT_SENT, f"the PDS did not say who {handle} is")
    return Did(did)


def _published(name: str, config: AccountConfig, now: Clock) -> tuple[Did, str]:
    """DID and PDS as published; a handle counts only if the document claims it: the password goes to that PDS."""
    resolver = IdentityResolver(config.plc_url, deadline_seconds=config.call_deadline_seconds, now=now)
    try:
        did = Did(name) if is_did(name) else resolver.did_of(name.lower())
        identity = resolver.identity_of(did)
    finally:
        resolver.close()
    if not is_did(name) and name.lower() not in identity.handles:
        raise CallFailed(Failure.REFUSED, f"{did} does not claim the handle {name}", error="HandleNotClaimed")
    return did, identity.pds_url
