import ssl
from collections.abc import Iterator

import httpx
import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from tests.bot.sandbox.api import Api
from tests.clock import Clock


@pytest.fixture
def clock() -> Clock:
    """The network's time."""
    return Clock()


@pytest.fixture
def network(clock: Clock) -> SandboxNetwork:
    """An empty network."""
    return SandboxNetwork(clock)


@pytest.fixture
def bot(network: SandboxNetwork) -> SandboxAccount:
    """The account that is mentioned."""
    return network.create_account("buildbot.test", display_name="Build Bot")


@pytest.fixture
def alice(network: SandboxNetwork) -> SandboxAccount:
    """Somebody who mentions it."""
    return network.create_account("alice.test", display_name="Alice")


@pytest.fixture
def server(network: SandboxNetwork) -> Iterator[SandboxServer]:
    """The network on a port."""
    with SandboxServer(network) as server:
        yield server


@pytest.fixture
def http(server: SandboxServer) -> Iterator[httpx.Client]:
    """A plain client."""
    # Loopback needs no certificates, and reading them takes longer than most of these tests.
    no_certificates = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with httpx.Client(base_url=server.url, timeout=10, verify=no_certificates) as http:
        yield http


@pytest.fixture
def api(http: httpx.Client) -> Api:
    """Calls of somebody who is not logged in."""
    return Api(http)


@pytest.fixture
def as_bot(api: Api, bot: SandboxAccount) -> Api:
    """Calls of the bot."""
    return api.log_in(bot)


@pytest.fixture
def as_alice(api: Api, alice: SandboxAccount) -> Api:
    """Calls of Alice."""
    return api.log_in(alice)
