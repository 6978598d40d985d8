"""Accounts for the tests: a scripted PDS that logs in, and a keeper of sessions in memory."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import SecretStr

from bot.bluesky.config import AccountConfig
from bot.bluesky.errors import CallFailed, SessionConflict
from bot.bluesky.login import LoginForbidden
from bot.bluesky.session import Account, KeptSession, open_account
from guardrails.documents import Did
from tests.bot.bluesky.scripted import Answer, Call, ScriptedPds, answered, refused, scripted_pds
from tests.clock import Clock

DID = Did("did:plc:buildbotbuildbotbuildbot")
PASSWORD = "canary-password"


@dataclass
class MemoryKeeper:
    """Keeps sessions as the ledger does, by version, and what became of logins; there is no budget of them."""

    kept: dict[str, KeptSession] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    now: Callable[[], datetime] = field(default_factory=Clock)
    leased: bool = False
    forbidden: LoginForbidden | None = None
    refused: str | None = None
    returned: int = 0

    def load(self, did: Did) -> KeptSession | None:
        return self.kept.get(did)

    def save(self, did: Did, text: str, expected_version: int | None) -> int:
        with self.lock:
            known = self.kept[did].version if did in self.kept else None
            if known != expected_version:
                raise SessionConflict
            self.kept[did] = KeptSession(text, (known or 0) + 1)
            return self.kept[did].version

    @contextmanager
    def lease(self, did: Did, seconds: float) -> Iterator[bool]:
        with self.lock:
            taken = not self.leased
            self.leased = True
        try:
            yield taken
        finally:
            self.leased = self.leased and not taken

    def reserve_login(self, did: Did, password: str) -> LoginForbidden | None:
        forbidden = self.forbidden
        if forbidden is None or (forbidden.until is None and password != self.refused):
            return None
        return None if forbidden.until and forbidden.until <= self.now() else forbidden

    def return_login(self, did: Did) -> None:
        self.returned += 1

    def pause_logins(self, did: Did, until: datetime, why: str, error: str | None) -> None:
        self.forbidden = LoginForbidden(until, why, error)

    def refuse_login(self, did: Did, password: str, why: str, error: str | None) -> None:
        self.forbidden, self.refused = LoginForbidden(None, why, error), password

    def allow_login(self, did: Did) -> None:
        if self.forbidden and self.forbidden.until is None:
            self.forbidden = None


@dataclass
class Tokens:
    """The sessions of one account on a scripted PDS: which access and refresh tokens are good."""

    minted: int = 0
    access: set[str] = field(default_factory=set)
    refresh: set[str] = field(default_factory=set)
    login: Answer | None = None
    renewal: Answer | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def pair(self) -> Answer:
        with self.lock:
            self.minted += 1
            self.access.add(f"access-{self.minted}")
            self.refresh.add(f"refresh-{self.minted}")
            return answered(
                {
                    "did": DID,
                    "handle": "buildbot.test",
                    "accessJwt": f"access-{self.minted}",
                    "refreshJwt": f"refresh-{self.minted}",
                    "active": True,
                }
            )

    def answer(self, call: Call) -> Answer | None:
        """The PDS's answer as far as sessions are concerned; None when the call may go on."""
        if call.nsid == "com.atproto.server.createSession":
            return self.login or self.pair()
        if call.nsid == "com.atproto.server.refreshSession":
            if self.renewal is not None:
                return self.renewal
            good = call.token in self.refresh
            return self.pair() if good else refused(400, "ExpiredToken", "Token has been revoked")
        return None if call.token in self.access else refused(400, "ExpiredToken", "Token has expired")


@dataclass
class Scene:
    """A scripted PDS and everything that an account on it needs."""

    pds: ScriptedPds
    tokens: Tokens
    keeper: MemoryKeeper
    clock: Clock
    config: AccountConfig
    opened: list[Account] = field(default_factory=list)

    def open(self, on_failure: Callable[[CallFailed], None] = lambda _: None) -> Account:
        account = open_account(self.config, self.keeper, self.clock, on_failure=on_failure)
        self.opened.append(account)
        return account


@contextmanager
def resumed(pds_url: str, *, deadline: float = 5.0) -> Iterator[Account]:
    """An account on a server that need not even log in: its session is kept already."""
    keeper = MemoryKeeper({DID: kept_session("access-0", "refresh-0")})
    account = open_account(
        AccountConfig(DID, SecretStr(PASSWORD), pds_url, call_deadline_seconds=deadline), keeper, Clock()
    )
    try:
        yield account
    finally:
        account.close()


def kept_session(access: str, refresh: str, version: int = 1, did: str = DID) -> KeptSession:
    """A session as an earlier process left it."""
    return KeptSession(f"buildbot.test:::{did}:::{access}:::{refresh}:::https://old.example", version)


@contextmanager
def scene(answer: Callable[[Call], Answer], *, deadline: float = 5.0) -> Iterator[Scene]:
    """A PDS that logs in and asks `answer` for the rest."""
    tokens = Tokens()
    with scripted_pds(lambda call: tokens.answer(call) or answer(call)) as pds:
        config = AccountConfig(DID, SecretStr(PASSWORD), pds.url, call_deadline_seconds=deadline)
        clock = Clock()
        made = Scene(pds, tokens, MemoryKeeper(now=clock), clock, config)
        try:
            yield made
        finally:
            for account in made.opened:
                account.close()
