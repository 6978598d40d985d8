"""The world of the stories, on both databases."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from tests.scenarios.world import World, settings_for

MORNING = 8


@pytest.fixture
def clock(ledger_clock: Clock) -> Clock:
    """The one clock of the world: shift it to let time pass for everybody. Stories begin in the coming morning.

    Caps count by the hour and by the day: a story of a few hours would else end on another day, if it is told at night.
    """
    now = ledger_clock()
    morning = now.replace(hour=MORNING, minute=0, second=0, microsecond=0)
    ledger_clock.shift += morning - now if now < morning else morning + timedelta(days=1) - now
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
