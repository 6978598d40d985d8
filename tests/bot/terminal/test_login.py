"""Making sure, by hand, that the bot can work as its account."""

import pytest

from bot.sandbox.faults import Fault
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from tests.bot.terminal.prompt import Prompt

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
LOGIN = "com.atproto.server.createSession"


def test_it_says_as_whom_the_bot_works(host: Prompt, sandbox: SandboxServer, wright: SandboxAccount) -> None:
    """A second time there is nothing to log in for."""
    told = [host.lines("login") for _ in range(2)]

    assert [[f"wright.test ({wright.did}) at {sandbox.url}"]] * 2 == told
    assert 1 == len(sandbox.network.calls_to(LOGIN))


def test_a_refused_password_is_tried_again_when_told_to(
    host: Prompt, sandbox: SandboxServer, wright: SandboxAccount
) -> None:
    """And only then; the mend names that way."""
    right, wright.password = wright.password, "another"
    refused = [host.run("login") for _ in range(2)]
    wright.password = right
    still = host.run("login")

    assert [5, 5, 5] == [result.exit_code for result in (*refused, still)]
    assert "not tried again: Invalid identifier or password" in still.stderr
    assert "skywright login --retry" in still.stderr
    assert 1 == len(sandbox.network.calls_to(LOGIN))
    assert [f"wright.test ({wright.did}) at {sandbox.url}"] == host.lines("login", "--retry")
    assert 2 == len(sandbox.network.calls_to(LOGIN))


def test_a_paused_login_says_until_when(host: Prompt, sandbox: SandboxServer) -> None:
    """Which no retry shortens."""
    sandbox.network.faults.append(Fault(LOGIN, "rate_limit", seconds=3600))
    host.run("login")
    result = host.run("login", "--retry")

    assert (5, True) == (result.exit_code, "login paused until" in result.stderr)
    assert 1 == len(sandbox.network.calls_to(LOGIN))


def test_an_account_that_is_not_active_is_a_failed_check(
    host: Prompt, sandbox: SandboxServer, wright: SandboxAccount
) -> None:
    """Though it can be logged in."""
    sandbox.network.deactivate(wright.did)
    result = host.having(SKYWRIGHT_IDENTIFIER=wright.did).run("login")

    assert (1, "the account is not active: deactivated\n") == (result.exit_code, result.stderr)
