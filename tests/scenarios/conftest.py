"""The world of the stories, on both databases."""

from collections.abc import Iterator

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from tests.scenarios.world import World, settings_for


@pytest.fixture
def clock(ledger_clock: Clock) -> Clock:
    """The one clock of the world: shift it to let time pass for everybody."""
    return ledger_clock


@pytest.fixture
def sandbox(clock: Clock) -> Iterator[SandboxServer]:
    network = SandboxNetwork(clock)
    network.create_account("wright.test", self_labels=["bot"])
    for handle in ("alice.test", "bob.test", "carol.test"):
        network.create_account(handle)
    with SandboxServer(network) as server:
        yield server


@pytest.fixture
def world(ledger: Ledger, clock: Clock, sandbox: SandboxServer) -> Iterator[World]:
    world = World(ledger, clock, sandbox, settings_for(sandbox))
    world.start()
    yield world
    world.bot.close()
