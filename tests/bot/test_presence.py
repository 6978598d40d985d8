"""The account as the jobs hold it: opened once, asked for again while the network is away, left alone when refused."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from secrets import token_hex

import pytest
from cryptography.fernet import Fernet
from pydantic import SecretStr

from bot.bluesky.config import AccountConfig
from bot.bluesky.errors import CallFailed, Failure, SessionConflict
from bot.clock import Clock
from bot.ledger.logins import Logins
from bot.ledger.policy import Caps
from bot.ledger.sessions import SealedSessions
from bot.presence import LedgerSessions, Presence
from bot.sandbox.faults import Fault
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from guardrails.documents import Did
from tests.bot.stage import Stage, staged

LOGIN = "com.atproto.server.createSession"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as stage:
        yield stage


@pytest.fixture
def clock(stage: Stage) -> Clock:
    return stage.clock


@pytest.fixture
def sandbox(clock: Clock) -> Iterator[SandboxServer]:
    network = SandboxNetwork(clock)
    network.create_account("wright.test")
    with SandboxServer(network) as sandbox:
        yield sandbox


@pytest.fixture
def sessions(stage: Stage) -> LedgerSessions:
    key, db = Fernet.generate_key().decode(), stage.ledger.db
    return LedgerSessions(SealedSessions(db, key, token_hex), Logins(db, key, Caps(10, 50)))


@pytest.fixture
def presence(sandbox: SandboxServer, sessions: LedgerSessions, clock: Clock) -> Iterator[Presence]:
    presence = present(sandbox, sessions, clock)
    yield presence
    presence.close()


def present(
    sandbox: SandboxServer, sessions: LedgerSessions, clock: Clock, password: str = "wright.test-pw"
) -> Presence:
    config = AccountConfig("wright.test", SecretStr(password), sandbox.url, f"{sandbox.url}/plc", 5)
    return Presence(config, sessions, clock)


def fails(presence: Presence) -> CallFailed:
    """What the account cannot be had for."""
    with pytest.raises(CallFailed) as caught:
        presence.account()
    return caught.value


def test_many_jobs_at_once_are_one_login(presence: Presence, sandbox: SandboxServer) -> None:
    """Logins are counted by the network; they all get the same account."""
    accounts = []
    threads = [threading.Thread(target=lambda: accounts.append(presence.account())) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 5 == len(accounts)
    assert {id(presence.account())} == {id(account) for account in accounts}
    assert 1 == len(sandbox.network.calls_to(LOGIN))


def test_the_session_outlives_the_process(
    presence: Presence, sandbox: SandboxServer, sessions: LedgerSessions, clock: Clock
) -> None:
    """The next one takes it from the ledger, and does not log in again."""
    presence.account()
    following = present(sandbox, sessions, clock)
    did = following.account().did
    following.close()

    assert sandbox.network.account("wright.test").did == did
    assert 1 == len(sandbox.network.calls_to(LOGIN))


def test_an_absent_network_is_asked_again_ever_later(presence: Presence, sandbox: SandboxServer, clock: Clock) -> None:
    """After 1, 2 and 4 seconds, whatever the jobs ask for meanwhile; and five minutes later at the latest."""
    network = sandbox.network
    network.faults.append(Fault("*", "drop_request", times=10_000))
    asked = []
    for wait in (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300):
        clock.shift += timedelta(seconds=wait - 0.1) if wait else timedelta()
        quiet_from = len(network.calls)
        too_early = fails(presence) if wait else None
        asked.append(len(network.calls) - quiet_from)
        clock.shift += timedelta(seconds=0.2)
        assert Failure.NOT_SENT == fails(presence).failure
        assert too_early is None or Failure.NOT_SENT == too_early.failure
        assert len(network.calls) > quiet_from
    network.faults.clear()
    clock.shift += timedelta(minutes=5, seconds=1)

    assert [0] * 11 == asked
    assert presence.account().did


def test_a_clock_that_was_put_back_puts_no_try_off(presence: Presence, sandbox: SandboxServer, clock: Clock) -> None:
    """The next is due at once, instead of a day later."""
    network = sandbox.network
    network.faults.append(Fault("*", "drop_request", times=10_000))
    fails(presence)
    asked = len(network.calls)
    clock.shift -= timedelta(days=1)
    fails(presence)

    assert len(network.calls) > asked


def test_a_login_that_comes_too_often_waits_until_it_is_welcome(
    presence: Presence, sandbox: SandboxServer, clock: Clock
) -> None:
    """The network says when; not a second earlier."""
    sandbox.network.faults.append(Fault(LOGIN, "rate_limit", seconds=90))
    failed = fails(presence)
    clock.shift += timedelta(seconds=85)
    still = fails(presence)
    clock.shift += timedelta(seconds=10)

    assert (Failure.RATE_LIMITED, Failure.RATE_LIMITED) == (failed.failure, still.failure)
    assert presence.account().did
    assert 2 == len(sandbox.network.calls_to(LOGIN))


def test_a_refusal_told_again_and_again_does_not_grow(
    sandbox: SandboxServer, sessions: LedgerSessions, clock: Clock
) -> None:
    """Jobs are told every few seconds for as long as nobody mends the password: that must cost no memory."""
    presence = present(sandbox, sessions, clock, "wrong")
    fails(presence)
    lengths = [depth(fails(presence)) for _ in range(20)]

    assert 1 == len(set(lengths))


def test_a_session_that_another_process_kept_is_a_conflict(sessions: LedgerSessions) -> None:
    """The ledger's lost race in the account's words."""
    did = Did("did:plc:wright")
    first = sessions.save(did, "first", None)
    sessions.save(did, "second", first)

    with pytest.raises(SessionConflict):
        sessions.save(did, "late", first)
    kept = sessions.load(did)
    assert kept is not None
    assert "second" == kept.text


def depth(failed: CallFailed) -> int:
    """How many places an exception says that it came through."""
    steps, traceback = 0, failed.__traceback__
    while traceback is not None:
        steps, traceback = steps + 1, traceback.tb_next
    return steps
