"""The benches of the running bot, by numbers so small that nothing is measured: each line is there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.sandbox.server import SandboxServer
from tests.bench import footprint, lane_http, latency, stream
from tests.bench.places import SQLITE, Places
from tests.bench.table import Line
from tests.network.net import Network
from tests.postgres import PostgresServer

pytestmark = pytest.mark.slow


@pytest.fixture
def there(tmp_path: Path, pg_server: PostgresServer) -> Places:
    return Places(tmp_path, pg_server)


def names(lines: Iterator[Line]) -> list[str]:
    """Their names; what was measured is above nothing."""
    found = list(lines)
    assert all(line.ours > 0 and line.against > 0 for line in found), found
    return [line.name for line in found]


@pytest.mark.postgres
@pytest.mark.timeout(120)
def test_lanes_are_measured(monkeypatch: pytest.MonkeyPatch, there: Places) -> None:
    """Rate, half, worst and processor, for one lane and for two."""
    monkeypatch.setattr(lane_http, "LANES", (1, 2))
    monkeypatch.setattr(lane_http, "QUICK_CYCLES", 4)
    monkeypatch.setattr(lane_http, "QUICK_ROUNDS", 1)

    assert [
        f"lane over HTTP, {lanes}: {what}"
        for lanes in ("1 lane", "2 lanes")
        for what in ("rate", "p50", "p99", "processor")
    ] == names(lane_http.on_backend(there, SQLITE, quick=True))


def test_the_stream_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against orjson, and against the SDK's models."""
    monkeypatch.setattr(stream, "QUICK_ROUNDS", 1)
    monkeypatch.setattr(stream, "OF_THE_MODELS", 20)

    assert 2 == len(names(stream.lines(quick=True)))


@pytest.mark.postgres
@pytest.mark.timeout(120)
def test_footprints_are_measured(there: Places) -> None:
    """Two lines each for bot and lane, and the ledger's."""
    with SandboxServer(footprint.small_network()) as sandbox:
        assert 4 == len(names(footprint.memory(sandbox, 2)))
    assert 1 == len(names(iter([footprint.size(there, SQLITE, 8)])))


def test_latency_is_measured(monkeypatch: pytest.MonkeyPatch, network: Network) -> None:
    """From the post to the document, and from the app to the reply."""
    monkeypatch.setattr(latency, "WARM_UP", 0)
    with latency.scene(network, {"poll_seconds": "0.2", "tick_seconds": "0.2"}) as here:
        assert 4 == len(names(latency.told("polling", latency.times_of(here, 2))))
