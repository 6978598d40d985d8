"""Restarts, several processes and a PDS in trouble: logins stay rare, and nobody is locked out by them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from pydantic import SecretStr

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.login import LOGIN_SPACING
from bot.bluesky.profiles import own_state
from bot.bluesky.session import Account
from bot.clock import Clock
from bot.jobs.board import JobBoard
from bot.ledger.ledger import Ledger
from bot.presence import ledger_sessions
from bot.rounds import Bot
from bot.sandbox.faults import Fault
from bot.sandbox.server import SandboxServer
from bot.settings import Settings
from guardrails.documents import Did
from tests.bot.ledger.races import at_once
from tests.ledger_fixtures import OpenLedger
from tests.scenarios.processes import free_ports
from tests.scenarios.world import settings_for

LOGIN = "com.atproto.server.createSession"
REFRESH = "com.atproto.server.refreshSession"
STARTS = 40
ACCESS_LIFE = timedelta(hours=2)


class Supervisor:
    """Starts one bot process after the other over one ledger; each makes a call as its account and is gone."""

    def __init__(self, ledger: Ledger, clock: Clock, sandbox: SandboxServer, settings: Settings) -> None:
        self.ledger = ledger
        self.clock = clock
        self.sandbox = sandbox
        self.settings = settings

    @contextmanager
    def process(self, ledger: Ledger | None = None, **changes: Any) -> Iterator[Bot]:
        settings = self.settings.model_copy(update=changes)
        bot = Bot(settings, ledger or self.ledger, self.clock, timedelta())
        try:
            yield bot
        finally:
            bot.close()

    def start(self, **changes: Any) -> str:
        """What became of one start."""
        with self.process(**changes) as bot:
            return outcome(bot.presence.account)

    def starts(self, times: int = STARTS, **changes: Any) -> set[str]:
        """What became of so many within a minute."""
        outcomes = set()
        for _ in range(times):
            outcomes.add(self.start(**changes))
            self.clock.shift += timedelta(minutes=1) / (times + 1)
        return outcomes

    def called(self, nsid: str) -> int:
        return len(self.sandbox.network.calls_to(nsid))

    def revoke(self) -> None:
        """Every session of the account is over, as after a changed password."""
        self.clock.shift += ACCESS_LIFE + timedelta(minutes=1)
        self.sandbox.network.sessions.revoke(self.sandbox.network.account("wright.test").did)


def outcome(account: Callable[[], Account]) -> str:
    """Whether a call as the account succeeds."""
    try:
        return "fine" if own_state(account()).active else "not active"
    except CallFailed as failed:
        return failed.failure.value


@pytest.fixture
def supervisor(ledger: Ledger, clock: Clock, sandbox: SandboxServer) -> Supervisor:
    # A quarter past, so that no budget of an hour is renewed by chance.
    now = ledger.db.time()
    clock.shift += now.replace(minute=15, second=0) + timedelta(hours=1) - now
    did = sandbox.network.account("wright.test").did
    return Supervisor(ledger, clock, sandbox, settings_for(sandbox, identifier=did))


def test_forty_restarts_without_a_session_are_one_login(supervisor: Supervisor) -> None:
    """The first keeps it for the others."""
    assert {"fine"} == supervisor.starts()
    assert 1 == supervisor.called(LOGIN)


def test_forty_restarts_with_a_session_are_none(supervisor: Supervisor) -> None:
    """Nor a refresh, while it lasts."""
    supervisor.start()
    supervisor.clock.shift += timedelta(hours=1)

    assert {"fine"} == supervisor.starts()
    assert (1, 0) == (supervisor.called(LOGIN), supervisor.called(REFRESH))


def test_forty_restarts_with_an_expired_session_are_one_refresh(supervisor: Supervisor) -> None:
    """And no login."""
    supervisor.start()
    supervisor.clock.shift += ACCESS_LIFE

    assert {"fine"} == supervisor.starts()
    assert (1, 1) == (supervisor.called(LOGIN), supervisor.called(REFRESH))


def test_forty_restarts_with_a_revoked_session_are_one_login(supervisor: Supervisor) -> None:
    """A refused refresh means one fresh login."""
    supervisor.start()
    supervisor.revoke()

    assert {"fine"} == supervisor.starts()
    assert (2, 1) == (supervisor.called(LOGIN), supervisor.called(REFRESH))


def test_forty_restarts_with_a_wrong_password_are_one_login(supervisor: Supervisor) -> None:
    """It waits for the operator, however long that takes; the right one is tried at once."""
    wrong = partial(supervisor.starts, password=SecretStr("wrong"))

    assert {"auth"} == wrong()
    supervisor.clock.shift += timedelta(days=3)
    assert {"auth"} == wrong(3)
    assert 1 == supervisor.called(LOGIN)
    assert "fine" == supervisor.start()
    assert 2 == supervisor.called(LOGIN)


def test_a_running_bot_finds_out_that_its_password_is_allowed_again(supervisor: Supervisor) -> None:
    """An operator mended the account, and told the ledger so."""
    account = supervisor.sandbox.network.account("wright.test")
    right, account.password = account.password, "another"
    with supervisor.process() as bot:
        assert ["auth"] * 3 == [outcome(bot.presence.account) for _ in range(3)]
        account.password = right
        ledger_sessions(supervisor.ledger.db, supervisor.settings).allow_login(Did(account.did))
        supervisor.clock.shift += timedelta(seconds=31)

        assert "fine" == outcome(bot.presence.account)
    assert 2 == supervisor.called(LOGIN)


def test_forty_restarts_while_the_pds_is_away_are_no_login(
    ledger: Ledger, clock: Clock, sandbox: SandboxServer
) -> None:
    """And use nothing of the budget up: once it is back, the bot is, too."""
    (port,) = free_ports(1)
    settings = settings_for(sandbox, identifier=sandbox.network.account("wright.test").did)
    away = settings.model_copy(update={"pds_url": f"http://127.0.0.1:{port}"})
    supervisor = Supervisor(ledger, clock, sandbox, away)

    assert {"not-sent"} == supervisor.starts()
    assert 0 == supervisor.called(LOGIN)
    with SandboxServer(sandbox.network, port):
        assert "fine" == supervisor.start()
    assert 1 == supervisor.called(LOGIN)


def test_forty_restarts_over_a_pds_that_cannot_answer(supervisor: Supervisor) -> None:
    """What stands before it may have let the login through, so there is one in the time of two calls."""
    supervisor.settings = supervisor.settings.model_copy(update={"call_deadline_seconds": 30})
    supervisor.sandbox.network.faults.append(Fault(LOGIN, "status", times=1000, status=502, html=True, body="<h1>"))

    assert {"not-sent", "rate-limited"} == supervisor.starts()
    assert 1 == supervisor.called(LOGIN)
    supervisor.sandbox.network.faults.clear()
    supervisor.clock.shift += timedelta(seconds=2)
    assert "fine" == supervisor.start()


def test_forty_restarts_while_every_token_is_refused(supervisor: Supervisor) -> None:
    """A login has just been made, and another would not mend it."""
    invalid = {"error": "InvalidToken", "message": "Bad token scope"}
    fault = Fault("com.atproto.server.getSession", "status", times=1000, status=400, body=invalid)
    supervisor.sandbox.network.faults.append(fault)

    assert {"auth"} == supervisor.starts()
    assert 1 == supervisor.called(LOGIN)


def test_a_limited_login_waits_for_its_time_over_restarts(supervisor: Supervisor) -> None:
    """Not a second less than the server said."""
    supervisor.sandbox.network.faults.append(Fault(LOGIN, "rate_limit", seconds=3600))
    begun = supervisor.clock()
    assert {"rate-limited"} == supervisor.starts()
    supervisor.clock.shift += begun + timedelta(seconds=3590) - supervisor.clock()
    assert {"rate-limited"} == supervisor.starts(1)
    assert 1 == supervisor.called(LOGIN)

    supervisor.clock.shift += timedelta(seconds=11)
    assert "fine" == supervisor.start()
    assert 2 == supervisor.called(LOGIN)


def test_the_budget_of_logins_ends_with_a_word(supervisor: Supervisor) -> None:
    """Sessions that do not last use it up; who asks is told until when, and no login is sent."""
    supervisor.settings = supervisor.settings.model_copy(update={"logins_per_hour": 100, "logins_per_day": 3})
    now = supervisor.ledger.db.time()
    supervisor.clock.shift += now.replace(hour=0) + timedelta(days=1) - now
    for _ in range(3):
        assert "fine" == supervisor.start()
        supervisor.revoke()
    with supervisor.process() as bot, pytest.raises(CallFailed) as caught:
        own_state(bot.presence.account())
    midnight = supervisor.clock().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)

    assert (Failure.RATE_LIMITED, midnight) == (caught.value.failure, caught.value.retry_at)
    assert f"login paused until {midnight:%Y-%m-%d %H:%M:%S} UTC: the budget" in str(caught.value)
    assert 3 == supervisor.called(LOGIN)


def test_a_paused_login_is_shown_as_it_is(supervisor: Supervisor) -> None:
    """The jobs that need the account fail with it, and the health page tells what a job failed with."""
    supervisor.sandbox.network.faults.append(Fault(LOGIN, "rate_limit", seconds=3600))
    supervisor.start()
    board = JobBoard(supervisor.clock)
    board.add("ingest", 5, 20)
    with supervisor.process() as bot:
        board.run("ingest", bot.ingest)

    assert "CallFailed: rate-limited: login paused until " in (board.snapshot()["ingest"].last_error or "")


def test_bots_that_start_at_once_are_one_login(supervisor: Supervisor, open_test_ledger: OpenLedger) -> None:
    """And those whose session expires at once are one refresh."""
    ledgers = [open_test_ledger() for _ in range(4)]
    processes = [supervisor.process(ledger) for ledger in ledgers]
    bots = [process.__enter__() for process in processes]
    ask = [partial(outcome, bot.presence.account) for bot in bots]

    assert ["fine"] * 4 == at_once(ask)
    assert (1, 0) == (supervisor.called(LOGIN), supervisor.called(REFRESH))
    supervisor.clock.shift += ACCESS_LIFE + timedelta(minutes=1)
    assert ["fine"] * 4 == at_once(ask)
    assert (1, 1) == (supervisor.called(LOGIN), supervisor.called(REFRESH))
    supervisor.revoke()
    assert ["fine"] * 4 == at_once(ask)
    assert 2 == supervisor.called(LOGIN)
    for process in processes:
        process.__exit__(None, None, None)


def test_a_refresh_whose_answer_was_lost_is_repeated(supervisor: Supervisor) -> None:
    """By the next process, too; the server gives the same successor, so it costs no login."""
    supervisor.start()
    supervisor.clock.shift += ACCESS_LIFE + timedelta(minutes=1)
    supervisor.sandbox.network.faults.append(Fault(REFRESH, "drop_answer"))

    assert ["not-sent", "fine"] == [supervisor.start() for _ in range(2)]
    assert (1, 2) == (supervisor.called(LOGIN), supervisor.called(REFRESH))


def test_a_session_lost_soon_after_its_login_is_waited_for(supervisor: Supervisor) -> None:
    """The spacing of logins binds the next process; then it goes on by itself."""
    supervisor.start()
    network = supervisor.sandbox.network
    network.sessions.revoke(network.account("wright.test").did)
    fault = Fault(
        "com.atproto.server.getSession", "status", status=400, body={"error": "ExpiredToken", "message": "expired"}
    )
    network.faults.append(fault)

    assert "auth" == supervisor.start()
    supervisor.clock.shift += LOGIN_SPACING
    network.faults.append(fault)
    assert "fine" == supervisor.start()
    assert 2 == supervisor.called(LOGIN)
