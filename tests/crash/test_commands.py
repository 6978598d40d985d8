"""A process may die at any effect that it has while people take things back: each wish is granted, and once."""

from functools import partial

import pytest

from bot.sandbox.network import SandboxNetwork
from tests.crash.conftest import NewLedger
from tests.crash.host import Host
from tests.crash.ports import Fate, Side
from tests.crash.telling import told
from tests.crash.wishes import Wishes, check_the_wishes

CHUNKS = 2
# What is said, built and taken back in the end is the story of every effect; here for every few.
STRIDE = 3

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
wishes_told = partial(told, begun=Wishes, check=check_the_wishes)


@pytest.fixture(scope="session")
def points(sqlite_ledgers: NewLedger) -> list[int]:
    """The effects from the first word on, by number, as they are when nobody dies: all while the wishes are granted."""
    stories: list[Wishes] = []

    def begun(host: Host, network: SandboxNetwork) -> Wishes:
        stories.append(Wishes(host, network))
        return stories[-1]

    fate = Fate()
    with sqlite_ledgers() as engine:
        told(engine, fate, begun=begun, check=check_the_wishes)
    assert 0 == fate.deaths
    (story,) = stories
    return [*range(story.begun, story.granted), *range(story.granted, len(fate.effects), STRIDE)]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_death_before_every_effect(sqlite_ledgers: NewLedger, points: list[int], chunk: int) -> None:
    """Which is after the one before it. A command may be obeyed twice, never not at all, and is answered once."""
    assert 30 <= len(points)
    for point in points[chunk::CHUNKS]:
        fate = Fate(point, Side.BEFORE)
        with sqlite_ledgers() as engine:
            wishes_told(engine, fate)
        assert 1 == fate.deaths, f"nobody died before effect {point}"
