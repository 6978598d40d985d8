"""A process may die at any effect that it has while people say what they want: each wish is granted, and once."""

import pytest

from tests.crash.conftest import NewLedger
from tests.crash.ports import Fate, Side
from tests.crash.telling import told, wished

CHUNKS = 2
# Until all four are granted; what is said, built and taken back after that is what the other stories tell.
GRANTED = 16
STRIDE = 7

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(scope="session")
def effects(sqlite_ledgers: NewLedger) -> int:
    """How many effects there are when nobody dies."""
    fate = Fate()
    with sqlite_ledgers() as engine:
        told(engine, fate, wished)
    assert 0 == fate.deaths
    return len(fate.effects)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_death_before_every_effect(sqlite_ledgers: NewLedger, effects: int, chunk: int) -> None:
    """Which is after the one before it. A command may be obeyed twice, never not at all, and is answered once."""
    points = [*range(GRANTED), *range(GRANTED, effects, STRIDE)]
    for point in points[chunk::CHUNKS]:
        fate = Fate(point, Side.BEFORE)
        with sqlite_ledgers() as engine:
            told(engine, fate, wished)
        assert 1 == fate.deaths, f"nobody died before effect {point}"
