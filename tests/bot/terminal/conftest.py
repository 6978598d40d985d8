"""What the tests of the command line share."""

from collections.abc import Iterator

import pytest

from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from tests.bot.terminal.prompt import Prompt, on_the_sandbox


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
