"""What is left when the bot is told to end, and what it finds when it is back."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.clock import Clock
from bot.jobs.board import JobBoard
from bot.ledger.ledger import Ledger
from bot.rounds import Bot
from bot.sandbox.server import SandboxServer
from bot.scheduler import Scheduler
from guardrails.transitions import Status
from tests.documents import newest
from tests.scenarios.world import World, settings_for
from tests.waiting import until


def test_a_round_that_is_told_to_end_leaves_the_rest_to_the_next_start(world: World) -> None:
    """The reply under way is finished; the other document is not even claimed for one."""
    posts = [world.says(handle, "@wright.test make me a to-do list") for handle in ("alice.test", "bob.test")]
    world.bot.ingest()
    for _ in posts:
        world.lane_builds()
    ending = Bot(world.settings, world.ledger, world.clock, timedelta(), lambda: bool(world.replies()))
    ending.reply()
    ending.close()

    assert [Status.REPLIED, Status.BUILT] == [world.status(post) for post in posts]
    assert [] == world.ledger.queries.sends(world.document(posts[1]).id)

    world.bot.reply()
    assert [Status.REPLIED, Status.REPLIED] == [world.status(post) for post in posts]
    assert 2 == len(world.replies())


def test_a_send_that_is_due_waits_for_the_next_start_too(world: World) -> None:
    """Told to end before the round began, the bot sends nothing at all."""
    post = world.says("alice.test", "@wright.test make me a to-do list")
    world.bot.ingest()
    world.lane_builds()
    world.fails("drop_request")
    world.bot.reply()
    world.clock.shift += timedelta(minutes=11)
    ending = Bot(world.settings, world.ledger, world.clock, timedelta(), lambda: True)
    ending.reply()
    ending.close()

    assert (Status.BUILT, []) == (world.status(post), world.replies())

    world.until_settled()
    assert (Status.REPLIED, 1) == (world.status(post), len(world.replies()))


def test_what_was_asked_while_nobody_ran_is_answered(world: World) -> None:
    """An ask that came after the first start counts, however long the bot was away."""
    world.clock.shift += timedelta(hours=3)
    post = world.says("alice.test", "@wright.test make me a to-do list")
    world.clock.shift += timedelta(hours=3)
    world.restart()
    world.bot.ingest()
    world.lane_builds()
    world.bot.reply()

    assert Status.REPLIED == world.status(post)


@pytest.fixture
def hurried(ledger: Ledger, clock: Clock, sandbox: SandboxServer) -> Iterator[World]:
    """A bot that polls often and waits half a second for an answer."""
    settings = settings_for(sandbox, call_deadline_seconds=0.5, poll_seconds=0.1, tick_seconds=0.1)
    world = World(ledger, clock, sandbox, settings)
    yield world
    world.bot.close()


def test_a_network_that_takes_a_call_and_never_answers_costs_that_call(hurried: World) -> None:
    """The deadline ends it, the next poll comes, and the mention is found."""
    board = JobBoard(hurried.clock)
    scheduler = Scheduler(hurried.bot.jobs(), board)
    hurried.fails("delay", "app.bsky.notification.listNotifications", seconds=60, times=2)
    scheduler.start()
    until(lambda: not hurried.network.faults)
    post = hurried.says("alice.test", "@wright.test make me a to-do list")

    def accepted() -> bool:
        return any(each.source_uri == post.uri for each in newest(hurried.ledger, 10))

    until(accepted, 10)
    until(lambda: board.snapshot()["ingest"].runs >= 2, 10)
    scheduler.drain()

    assert [] == board.stuck()
