"""The sandbox, a machine on it, and what the drills have in common."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from tests.bot.hook import Hook, hooked
from tests.scenarios.processes import Machine, machine


@pytest.fixture
def sandbox() -> Iterator[SandboxServer]:
    network = SandboxNetwork(Clock())
    network.create_account("wright.test", self_labels=["bot"])
    for handle in ("alice.test", "bob.test", "carol.test"):
        network.create_account(handle)
    with SandboxServer(network) as server:
        yield server


@pytest.fixture
def hook() -> Iterator[Hook]:
    with hooked() as hook:
        yield hook


@pytest.fixture
def here(sandbox: SandboxServer, hook: Hook, tmp_path: Path) -> Iterator[Machine]:
    """A machine whose bot is on the sandbox, and whose operators are told by a webhook."""
    settings = {
        "identifier": "wright.test",
        "password": "wright.test-pw",
        "pds_url": sandbox.url,
        "plc_url": f"{sandbox.url}/plc",
        "web_url": sandbox.url,
        "alert_url": hook.url,
    }
    with machine(tmp_path, **settings) as here:
        yield here
