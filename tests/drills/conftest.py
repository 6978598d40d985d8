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
    with machine(tmp_path, **on(sandbox, hook)) as here:
        yield here


def on(sandbox: SandboxServer, hook: Hook) -> dict[str, str]:
    """The settings of such a machine's bot; it is less busy than that of the stories, and has as long to answer."""
    return {
        "identifier": "wright.test",
        "password": "wright.test-pw",
        "pds_url": sandbox.url,
        "plc_url": f"{sandbox.url}/plc",
        "web_url": sandbox.url,
        "alert_url": hook.url,
        "poll_seconds": "0.5",
        "tick_seconds": "0.5",
        "call_deadline_seconds": "5",
    }
