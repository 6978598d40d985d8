"""The whole bot over two sources of mentions."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.jobs.stream import Stream, StreamState
from bot.ledger.conditions import STREAM, STREAM_GAP
from bot.ledger.ledger import Ledger
from bot.sandbox.server import SandboxServer
from bot.sandbox.stream import SandboxStream
from guardrails.transitions import Status
from tests.scenarios.listening import is_found
from tests.scenarios.stages import ASK
from tests.scenarios.world import World, settings_for
from tests.waiting import until


@pytest.fixture
def live(sandbox: SandboxServer) -> Iterator[SandboxStream]:
    with SandboxStream(sandbox.network.happenings) as stream:
        yield stream


@pytest.fixture
def world(ledger: Ledger, clock: Clock, sandbox: SandboxServer, live: SandboxStream) -> Iterator[World]:
    """Its bot listens."""
    world = World(ledger, clock, sandbox, settings_for(sandbox, stream_url=live.url))
    world.start()
    world.bot.begin()
    stream_of(world).start()
    until(lambda: live.listeners)
    yield world
    stream_of(world).stop()
    world.bot.close()


def stream_of(world: World) -> Stream:
    assert world.bot.stream is not None
    return world.bot.stream


def told_of(world: World, new: int) -> StreamState | None:
    """How the listening goes once so many documents have come of it."""
    state = stream_of(world).state()
    return state if state.counts.get("new") == new else None


def test_what_is_heard_is_judged_at_once_and_counted(world: World) -> None:
    """By both sources, by the notifications alone while nobody listens, or by the stream alone."""
    both = world.says("alice.test", ASK)
    until(is_found(world, both))
    until(lambda: world.status(both) is Status.PENDING_BUILD)
    world.bot.ingest()
    world.network.mute(world.network.account("wright.test").did, world.network.account("bob.test").did)
    alone = world.says("bob.test", ASK)
    state = until(lambda: told_of(world, 2))
    stream_of(world).stop()
    world.says("carol.test", ASK)
    world.bot.ingest()
    world.clock.shift += timedelta(minutes=11)

    assert {"both": 1, "stream": 1, "notifications": 1} == world.ledger.sources.compared()
    assert is_found(world, alone)()
    assert state.brings


def test_what_the_stream_has_not_kept_is_swept_for(world: World) -> None:
    """By the next reading of the notifications, however far back that goes; then it is well."""
    world.ledger.conditions.set(STREAM_GAP, "four days")
    late = world.network.post(
        world.network.account("alice.test").did,
        ASK,
        mentions=[world.network.account("wright.test").did],
        created_at=world.clock() - timedelta(hours=2),
    )
    stream_of(world).stop()
    world.bot.ingest()

    assert is_found(world, late)()
    assert not world.ledger.conditions.stands(STREAM_GAP)


def test_a_bot_without_a_stream_forgets_what_was_wrong_with_it(world: World) -> None:
    """Nobody would mend it."""
    world.ledger.conditions.set(STREAM, "away")
    world.ledger.conditions.set(STREAM_GAP, "four days")
    without = World(world.ledger, world.clock, world.sandbox, world.settings.model_copy(update={"stream_url": None}))
    without.bot.begin()
    without.bot.close()

    assert [] == world.ledger.conditions.standing()
    assert without.bot.stream is None
