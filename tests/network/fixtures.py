"""The fixture that gives tests the real AT network: one per test process, and all its tests in one of them."""

import os
from collections.abc import Iterator

import pytest

from tests.missing import missing
from tests.network.install import NotInstallable, install
from tests.network.net import Network, running_network
from tests.postgres import PostgresServer

# One of them pays for the start, and without `make network` for the set-up.
SECONDS = 300


@pytest.fixture(scope="session")
def network(pg_server: PostgresServer) -> Iterator[Network]:
    """A running network, shared: a test makes accounts of its own, and waits with `process()` before it reads."""
    try:
        installed = install(os.environ)
    except NotInstallable as error:
        missing(str(error))
    with running_network(installed, pg_server) as running:
        yield running


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep what uses the network together (--dist loadgroup): pausing it, or waiting for it, is felt by everybody."""
    for item in items:
        if "network" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.network)
            item.add_marker(pytest.mark.xdist_group("network"))
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(SECONDS))
