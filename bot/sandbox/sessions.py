"""Logging in, and the two tokens of a session."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bot.sandbox.errors import XrpcError, invalid_request
from bot.sandbox.state import SandboxAccount, State
from bot.sandbox.tokens import SERVICE_DID, invalid_token, read, sign

ACCESS_LIFE = timedelta(seconds=7200)
REFRESH_LIFE = timedelta(days=90)
REUSE_GRACE = timedelta(hours=2)
LIMIT_WINDOW = timedelta(minutes=5)

_FULL_ACCESS = "com.atproto.access"
_APP_PASSWORD = "com.atproto.appPass"  # noqa: S105  the name of a scope
_PRIVILEGED = "com.atproto.appPassPrivileged"
_REFRESH = "com.atproto.refresh"


@dataclass(frozen=True)
class Caller:
    """Who a call comes from, and whether with an app password."""

    account: SandboxAccount
    scope: str

    @property
    def did(self) -> str:
        """The caller's DID."""
        return self.account.did


@dataclass
class _Chain:
    """One refresh token; once used it lives on for a while and always leads to the same successor."""

    did: str
    scope: str
    ends_at: datetime
    successor: str | None = None


class Sessions:
    """Issues and reads tokens by the network's clock; the caller holds the network's lock."""

    def __init__(self, state: State, secret: bytes) -> None:
        self._state = state
        self._secret = secret
        self._chains: dict[str, _Chain] = {}
        self._logins: dict[str, list[datetime]] = {}
        self._minted = 0
        self.logins_per_window: int | None = None

    def log_in(self, identifier: str, password: str) -> tuple[SandboxAccount, dict[str, str]]:
        """The account and its first two tokens; failures count against the limit as successes do."""
        self._count_login(identifier)
        account = self._state.find_account(identifier)
        if account is None or password not in (account.password, *account.app_passwords.values()):
            raise XrpcError(401, "AuthenticationRequired", "Invalid identifier or password")
        refuse_taken_down(account)
        scope = _scope(account, password)
        return account, self._tokens(account.did, scope, self._new_chain(account.did, scope))

    def refresh(self, token: str) -> tuple[SandboxAccount, dict[str, str]]:
        """The next pair; the same token again, within two hours of its first use, gives the same successor."""
        now = self._state.clock()
        jti = read(token, "refresh+jwt", self._secret, now.timestamp())["jti"]
        chain = self._chains.get(jti)
        if chain is None or chain.ends_at <= now or chain.successor not in {None, *self._chains}:
            raise XrpcError(400, "ExpiredToken", "Token has been revoked")
        account = self._state.accounts[chain.did]
        refuse_taken_down(account)
        if chain.successor is None:
            chain.successor = self._new_chain(chain.did, chain.scope)
            chain.ends_at = min(chain.ends_at, now + REUSE_GRACE)
        return account, self._tokens(chain.did, chain.scope, chain.successor)

    def log_out(self, token: str) -> None:
        """End a session by its refresh token; access tokens live on until they expire, and twice is once."""
        claims = read(token, "refresh+jwt", self._secret, self._state.clock().timestamp())
        self._chains.pop(claims["jti"], None)

    def revoke(self, did: str) -> None:
        """End every session of an account, as a changed password does."""
        self._chains = {jti: chain for jti, chain in self._chains.items() if chain.did != did}

    def caller(self, token: str) -> Caller:
        """Who holds this access token."""
        claims = read(token, "at+jwt", self._secret, self._state.clock().timestamp())
        account = self._state.accounts.get(claims["sub"])
        if account is None or account.status == "deleted":
            raise invalid_token()
        return Caller(account, claims["scope"])

    def _new_chain(self, did: str, scope: str) -> str:
        self._minted += 1
        jti = hashlib.sha256(self._secret + str(self._minted).encode()).hexdigest()[:32]
        self._chains[jti] = _Chain(did, scope, self._state.clock() + REFRESH_LIFE)
        return jti

    def _tokens(self, did: str, scope: str, jti: str) -> dict[str, str]:
        now = self._state.clock()
        issued = {"sub": did, "aud": SERVICE_DID, "iat": int(now.timestamp())}
        access = {"scope": scope, **issued, "exp": int((now + ACCESS_LIFE).timestamp())}
        ends_at = self._chains[jti].ends_at
        refresh = {"scope": _REFRESH, **issued, "exp": int(ends_at.timestamp()), "jti": jti}
        return {
            "accessJwt": sign("at+jwt", access, self._secret),
            "refreshJwt": sign("refresh+jwt", refresh, self._secret),
        }

    def _count_login(self, identifier: str) -> None:
        now, limit = self._state.clock(), self.logins_per_window
        recent = [at for at in self._logins.get(identifier, []) if at > now - LIMIT_WINDOW]
        if limit is not None and len(recent) >= limit:
            raise rate_limited(now, (recent[0] + LIMIT_WINDOW - now).total_seconds(), limit=limit)
        self._logins[identifier] = [*recent, now]


def _scope(account: SandboxAccount, password: str) -> str:
    if password == account.password:
        return _FULL_ACCESS
    privileged = {account.app_passwords[name] for name in account.privileged}
    return _PRIVILEGED if password in privileged else _APP_PASSWORD


def refuse_taken_down(account: SandboxAccount) -> None:
    """401 AccountTakedown for an account that the moderators closed."""
    if account.status == "takendown":
        raise XrpcError(401, "AccountTakedown", "Account has been taken down")


def refuse_inactive(account: SandboxAccount) -> None:
    """401 for an account that may not write."""
    refuse_taken_down(account)
    if account.status == "deactivated":
        raise XrpcError(401, "AccountDeactivated", "Account is deactivated")


def refuse_app_password(caller: Caller) -> None:
    """400 for what an app password must not do."""
    if caller.scope != _FULL_ACCESS:
        raise invalid_token("Bad token scope")


def session_view(account: SandboxAccount, did_doc: dict[str, Any]) -> dict[str, Any]:
    """What createSession, refreshSession and getSession say about an account; a closed one has none."""
    if account.status == "takendown":
        raise invalid_request(f"Could not find user info for account: {account.did}")
    view: dict[str, Any] = {
        "did": account.did,
        "didDoc": did_doc,
        "handle": account.handle,
        "email": f"{account.handle}@example.test",
        "emailConfirmed": False,
        "active": account.active,
    }
    return view if account.active else {**view, "status": account.status}


def rate_limited(now: datetime, after: float, *, limit: int = 3000) -> XrpcError:
    """429 with the headers that say to come back `after` so many seconds."""
    headers = {
        "ratelimit-limit": str(limit),
        "ratelimit-reset": str(int(now.timestamp() + after)),
        "ratelimit-remaining": "0",
        "ratelimit-policy": f"{limit};w={int(LIMIT_WINDOW.total_seconds())}",
        "retry-after": str(int(after)),
    }
    return XrpcError(429, "RateLimitExceeded", "Rate Limit Exceeded", headers)
