"""What the tests of the command line share."""

from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from bot.bluesky.session import open_account
from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.presence import ledger_sessions
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from bot.settings import Settings, load_settings
from tests.bot.terminal.prompt import Prompt, on_the_sandbox
from tests.bot.terminal.served import elsewhere


@pytest.fixture
def prompt(ledger_url: str) -> Prompt:
    """A prompt for whoever has the ledger and no more."""
    return Prompt({"SKYWRIGHT_DATABASE_URL": ledger_url})


@pytest.fixture
def sandbox() -> Iterator[SandboxServer]:
    """A Bluesky on a port."""
    with SandboxServer(SandboxNetwork(Clock())) as sandbox:
        yield sandbox


@pytest.fixture
def wright(sandbox: SandboxServer) -> SandboxAccount:
    """The bot's account."""
    return sandbox.network.create_account("wright.test", "canary-7f3a9c")


@pytest.fixture
def alice(sandbox: SandboxServer) -> SandboxAccount:
    """Somebody who asks."""
    return sandbox.network.create_account("alice.test")


@pytest.fixture
def host(prompt: Prompt, sandbox: SandboxServer, wright: SandboxAccount) -> Prompt:
    """A prompt for whoever has all of the bot's settings."""
    return prompt.having(**on_the_sandbox(sandbox, wright))


@pytest.fixture(params=["here", "there"])
def either(request: pytest.FixtureRequest, host: Prompt, ledger: Ledger) -> Iterator[Prompt]:
    """Whoever has the ledger and the bot's settings, and whoever has only the address of the bot and a token."""
    if request.param == "here":
        yield host
        return
    with pytest.MonkeyPatch.context() as patch:
        for name, value in host.env.items():
            patch.setenv(name, value)
        settings = load_settings(Settings)
    account = open_account(settings.account, ledger_sessions(ledger.db, settings), Clock())
    # It is in this process, and its log is not what the commands print.
    with capture_logs(), elsewhere(ledger, settings, lambda: account) as far:
        yield far
    account.close()
