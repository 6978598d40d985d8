"""The bot's account: logged in by DID, its session kept outside, one renewal at a time in all processes."""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

from atproto_client import Session

from bot.bluesky.config import AccountConfig
from bot.bluesky.errors import CallFailed, Failure, SessionConflict
from bot.bluesky.gate import Bucket, Gate, bucket_of
from bot.bluesky.identity import IdentityResolver, is_handle
from bot.bluesky.login import Login, LoginBook
from bot.bluesky.scope import Scope, scope_of
from bot.bluesky.translate import ACCESS_EXPIRED, ACCESS_INVALID, Clock
from bot.bluesky.xrpc import Json, Xrpc, has_tokens
from guardrails.documents import Did, is_did

T = TypeVar("T")

RENEWALS_PER_CALL = 2
# How long a process waits for another one's renewal: a refresh takes a tenth of a second or two.
LEASE_ROUNDS = 20
LEASE_PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class KeptSession:
    """A session as it is stored: `text` holds the tokens."""

    text: str = field(repr=False)
    version: int


class SessionKeeper(LoginBook, Protocol):
    """Where sessions outlive the process; several processes may share one."""

    def load(self, did: Did) -> KeptSession | None:
        """The session that is stored now."""
        ...

    def save(self, did: Did, text: str, expected_version: int | None) -> int:
        """Store over the version that was loaded (None: over nothing); the new version, or SessionConflict."""
        ...

    def lease(self, did: Did, seconds: float) -> AbstractContextManager[bool]:
        """Whether this process alone may renew the session inside the block, for so many seconds."""
        ...


class Account:
    """Calls as the bot's account; they raise CallFailed and nothing else of the network's.

    `on_failure` hears of every call that failed, whoever made it.
    """

    def __init__(
        self,
        did: Did,
        pds_url: str,
        config: AccountConfig,
        sessions: SessionKeeper,
        now: Clock,
        *,
        on_failure: Callable[[CallFailed], None],
        pause: Callable[[float], None],
    ) -> None:
        self.did = did
        self.pds_url = pds_url
        self._sessions = sessions
        self._on_failure = on_failure
        self._pause = pause
        self._gate = Gate(now)
        self._lock = threading.Lock()
        self._version: int | None = None
        # A refresh and a login, each with a deadline of its own, and the time to keep what they bring.
        self._lease_seconds = 2 * config.call_deadline_seconds + 5

        def client() -> Xrpc:
            return Xrpc(pds_url, deadline_seconds=config.call_deadline_seconds, now=now)

        self._login = Login(did, config.password, sessions, client, now, config.call_deadline_seconds)
        self._xrpc = Xrpc(pds_url, deadline_seconds=config.call_deadline_seconds, now=now, told=self._gate.told)
        try:
            with self._lock:
                self._session: Session = self._kept() or self._renew(None)
        except BaseException:
            self._xrpc.close()
            raise

    @property
    def handle(self) -> str:
        """The handle that the account had when its session was last renewed."""
        return str(self._session.handle)

    @property
    def scope(self) -> Scope | None:
        """What the session may do, by the password of its login; None where its token does not say."""
        return scope_of(self._session.access_jwt)

    def query(self, nsid: str, params: Mapping[str, Any] | None = None) -> Json:
        """The JSON answer to a question."""
        return self._call(Bucket.CALLS, lambda token: self._xrpc.query(nsid, params or {}, token))

    def procedure(self, nsid: str, body: Mapping[str, Any], *, writes: bool) -> Json:
        """The JSON answer to a procedure, its body sent as it is; with `writes` an unclear end is UNKNOWN."""
        bucket = bucket_of(nsid, writes=writes)
        return self._call(bucket, lambda token: self._xrpc.procedure(nsid, body, token, writes=writes))

    def upload(self, nsid: str, content: bytes, media_type: str) -> Json:
        """The JSON answer to bytes sent to a method that may be called again with the same: never UNKNOWN."""
        bucket = bucket_of(nsid, writes=False)
        return self._call(bucket, lambda token: self._xrpc.upload(nsid, content, media_type, token))

    def no_writes_until(self, points: int) -> datetime | None:
        """When the server takes a write of so many points, None when, as far as it has told, it takes it now."""
        return self._gate.closed_until(Bucket.WRITES, points)

    @property
    def clock_ahead(self) -> timedelta | None:
        """By how much this machine's clock is ahead of the server's; None until an answer tells the time."""
        return self._gate.ahead

    def retry_login(self) -> None:
        """Allow a login again with credentials that were refused."""
        self._login.allow()

    def close(self) -> None:
        """Close the connections; the session stays valid."""
        self._xrpc.close()

    def _call(self, bucket: Bucket, send: Callable[[str], Json]) -> Json:
        try:
            with self._xrpc.deadline():
                return self._renewing(lambda token: self._gated(bucket, lambda: send(token)))
        except CallFailed as failed:
            self._on_failure(failed)
            raise

    def _gated(self, bucket: Bucket, send: Callable[[], T]) -> T:
        """Send, unless the server has said that it would only refuse."""
        self._gate.check(bucket)
        try:
            return send()
        except CallFailed as failed:
            self._gate.note(bucket, failed)
            raise

    def _renewing(self, send: Callable[[str], Json]) -> Json:
        """Send, and again with a renewed session: a call whose token was refused has done nothing."""
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
                self._session = self._kept() or self._renew(refusal)
            return self._session

    def _renew(self, refusal: CallFailed | None) -> Session:
        """The next session, made under the lease; without the lease, the one that its holder makes."""
        for _ in range(LEASE_ROUNDS):
            with self._sessions.lease(self.did, self._lease_seconds) as alone:
                newer = self._kept()
                if newer:
                    return newer
                if alone:
                    return self._refreshed(refusal) or self._log_in(refusal)
            self._pause(LEASE_PAUSE_SECONDS)
        raise CallFailed(Failure.NOT_SENT, "another process is renewing the session")

    def _refreshed(self, refusal: CallFailed | None) -> Session | None:
        if refusal is None or refusal.error != ACCESS_EXPIRED:
            return None
        try:
            fresh = self._gated(Bucket.CALLS, lambda: self._xrpc.refresh_session(self._session))
        except CallFailed as failed:
            if failed.error not in {ACCESS_EXPIRED, ACCESS_INVALID}:
                raise
            return None
        return self._keep(fresh)

    def _log_in(self, refusal: CallFailed | None) -> Session:
        session = self._keep(self._login.new_session(refusal))
        self._login.kept()
        return session

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


def open_account(
    config: AccountConfig,
    sessions: SessionKeeper,
    now: Clock,
    *,
    retry: bool = False,
    on_failure: Callable[[CallFailed], None] = lambda _: None,
    pause: Callable[[float], None] = time.sleep,
) -> Account:
    """The account, with its kept session or logged in by DID; CallFailed when that fails, AUTH for a wrong password.

    With `retry` a password that was refused is tried once more.
    """
    did, pds_url = whereabouts(config, now)
    if retry:
        sessions.allow_login(did)
    return Account(did, pds_url, config, sessions, now, on_failure=on_failure, pause=pause)


def whereabouts(config: AccountConfig, now: Clock) -> tuple[Did, str]:
    """Whose account it is and on which PDS, without a login; CallFailed when nobody says."""
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
