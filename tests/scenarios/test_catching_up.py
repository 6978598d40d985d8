"""A process that cannot hear what was said before it: what is claimed is settled, what is new waits, people know."""

from datetime import timedelta
from itertools import count

import pytest

from bot.bluesky.errors import CallFailed
from bot.jobs.catching_up import DEAF, DEAF_AFTER
from bot.rounds import Bot
from guardrails.documents import StrongRef
from guardrails.switches import Switch
from guardrails.transitions import Status
from tests.mentions import OPERATOR
from tests.scenarios.stages import ASK, built, pending
from tests.scenarios.world import World

LIST = "app.bsky.notification.listNotifications"


def is_deaf(world: World, rounds: int = 99) -> None:
    world.restart()
    world.fails("status", LIST, status=502, times=rounds)


def claimed(world: World) -> StrongRef:
    """The put of the reply never arrived, as far as anybody knows."""
    post = built(world)
    world.fails("drop_request")
    world.bot.reply()
    return post


def conditions(world: World) -> list[str]:
    return [condition.name for condition in world.ledger.conditions.standing()]


def test_a_claimed_reply_is_settled_though_nothing_can_be_heard(world: World) -> None:
    """It was begun before; what is only built waits."""
    post = claimed(world)
    other = world.says("bob.test", ASK)
    world.bot.ingest()
    world.lane_builds()
    is_deaf(world)
    world.clock.shift += timedelta(minutes=11)
    with pytest.raises(CallFailed):
        world.bot.reply()

    assert (Status.REPLIED, Status.BUILT) == (world.status(post), world.status(other))


def test_a_claimed_like_is_settled_though_nothing_can_be_heard(world: World) -> None:
    """The same for what stands beside the replies."""
    post = pending(world)
    world.fails("drop_request")
    world.bot.speak()
    is_deaf(world)
    world.clock.shift += timedelta(minutes=11)
    with pytest.raises(CallFailed):
        world.bot.speak()

    assert ["answered"] == [send.state for send in world.ledger.queries.sends(world.document(post).id)]


def test_people_are_told_when_it_lasts(world: World) -> None:
    """Not at once; and not any more once all was heard."""
    post = built(world)
    is_deaf(world, rounds=2)
    with pytest.raises(CallFailed):
        world.bot.reply()
    early = conditions(world)
    world.clock.shift += DEAF_AFTER
    with pytest.raises(CallFailed):
        world.bot.reply()
    late = conditions(world)
    world.bot.reply()

    assert ([], [DEAF], []) == (early, late, conditions(world))
    assert Status.REPLIED is world.status(post)


def test_what_a_bot_told_last_that_has_lost_the_rounds_does_not_stand(world: World) -> None:
    """Its call has failed late; the bot that has them now has heard all."""
    world.bot.reply()
    world.ledger.conditions.set(DEAF, "what was said while no bot ran is not read")
    world.bot.reply()

    assert [] == conditions(world)


def test_a_person_may_let_the_replies_go(world: World) -> None:
    """By pausing what cannot be read anyway."""
    post = built(world)
    is_deaf(world)
    for _ in range(2):
        with pytest.raises(CallFailed):
            world.bot.reply()
        world.clock.shift += DEAF_AFTER
    told = conditions(world)
    world.ledger.desk.throw(OPERATOR, Switch.PAUSE_INGEST, "it is down")
    world.bot.reply()

    assert ([DEAF], []) == (told, conditions(world))
    assert Status.REPLIED is world.status(post)


def test_a_page_that_fails_each_time_in_a_round_is_passed_in_the_next(world: World) -> None:
    """Every third call fails: the reading goes on at its place, and the reply goes out."""
    post = built(world)
    ours = world.network.post(world.network.account("wright.test").did, "hello")
    for number in range(250):
        world.network.post(world.network.account("bob.test").did, f"nice {number}", reply=ours)
    world.restart()
    for _ in range(3):
        world.network.faults.clear()
        world.fails("status", LIST, status=502, skip=2)
        if world.status(post) is not Status.REPLIED:
            _try_to_reply(world)

    assert Status.REPLIED is world.status(post)


def test_what_comes_in_later_holds_nothing_up(world: World) -> None:
    """More is asked than a round can judge: only what was there at the start has to be heard."""
    post = built(world)
    for number in range(20):
        world.says("bob.test", f"{ASK}, number {number}")
    world.restart()
    world.bot.presence.close()
    ticks = count()
    slow = Bot(world.settings, world.ledger, world.clock, timedelta(), steady=lambda: next(ticks) * 7.0)
    for _ in range(9):
        slow.reply()
        world.clock.shift += timedelta(seconds=5)
        world.says("carol.test", f"{ASK} at {world.clock()}")
    slow.close()

    assert Status.REPLIED is world.status(post)


def _try_to_reply(world: World) -> None:
    try:
        world.bot.reply()
    except CallFailed:
        world.clock.shift += timedelta(seconds=1)
