"""How long a round lasts where every call takes as long as it may."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import chain, count, repeat

import pytest

from bot.jobs.ingest import WATERMARK, Ingested
from bot.ledger.conditions import ACCOUNT
from bot.rounds import CALLS_PER_ROUND, Bot
from guardrails.switches import Switch
from guardrails.transitions import Status
from tests.mentions import OPERATOR
from tests.scenarios.stages import ASK, built
from tests.scenarios.world import PUT, World

POSTS = "app.bsky.feed.getPosts"
FOR_EVER = 1000.0


def test_on_a_slow_network_a_round_leaves_the_rest_to_the_next(world: World) -> None:
    """Each reply takes a whole call's time: the round ends well before its process would be taken for hung."""
    number = CALLS_PER_ROUND + 3
    for each in range(number):
        world.says("alice.test", f"@wright.test make me a timer, number {each}")
    world.bot.ingest()
    for _ in range(number):
        world.lane_builds()
    moments = count(step=world.settings.call_deadline_seconds)
    slow = Bot(world.settings, world.ledger, world.clock, timedelta(), steady=lambda: next(moments))
    slow.reply()
    first = len(world.replies())
    slow.reply()
    slow.close()

    # One call's time went by for the look; what came in was judged in a round's time of its own.
    assert CALLS_PER_ROUND - 1 == first
    assert (number, number) == (len(world.replies()), world.ledger.pages.counts()[Status.REPLIED])


def paused(world: World) -> None:
    world.ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, "an incident")


def in_trouble(world: World) -> None:
    world.ledger.conditions.set(ACCOUNT, "the account is labelled spam")


@pytest.mark.parametrize("job", ["reply", "speak"])
@pytest.mark.parametrize("quiet", [paused, in_trouble])
def test_what_may_not_be_said_any_more_ends_in_the_middle_of_a_round(
    world: World, job: str, quiet: Callable[[World], None]
) -> None:
    """Replies and likes: what is on its way goes out, and nothing after it."""
    for each in range(3):
        world.says("alice.test", f"@wright.test make me a timer, number {each}")
    world.bot.ingest()
    for _ in range(3 if job == "reply" else 0):
        world.lane_builds()

    def steady() -> float:
        if world.network.calls_to(PUT):
            quiet(world)
        return 0.0

    bot = Bot(world.settings, world.ledger, world.clock, timedelta(), steady=steady)
    getattr(bot, job)()
    bot.close()

    assert 1 == len(world.network.calls_to(PUT))


def much_ado(world: World) -> None:
    """Two and a half pages of notifications that are for nobody, the newest of all."""
    ours = world.network.post(world.network.account("wright.test").did, "hello")
    bob = world.network.account("bob.test").did
    for number in range(250):
        world.network.post(bob, f"nice {number}", reply=ours)


def bot_with(world: World, steady: Iterator[float]) -> Bot:
    """The next process, by whose steady clock so much time goes by."""
    world.restart()
    world.bot.presence.close()
    return Bot(world.settings, world.ledger, world.clock, timedelta(), steady=lambda: next(steady))


@pytest.mark.parametrize("job", ["ingest", "sweep"])
def test_a_reading_that_takes_too_long_goes_on_in_the_next_round(world: World, job: str) -> None:
    """Page by page, if it must be; nothing counts as read before all of it is, and nobody is forgotten."""
    post = world.says("alice.test", ASK)
    much_ado(world)
    before = world.ledger.desk.watermark(WATERMARK)
    slow = bot_with(world, count(step=FOR_EVER))
    rounds: list[tuple[Ingested, bool]] = []
    for _ in range(3):
        done: Ingested = getattr(slow, job)()
        rounds.append((done, before == world.ledger.desk.watermark(WATERMARK)))
    later = world.says("alice.test", ASK)
    slow.ingest()
    slow.presence.close()

    # A sweep says nothing of what is between its day and where polling had come.
    assert [(1, True, True), (1, True, True), (1, False, job == "sweep")] == [
        (done.pages, done.gap, same) for done, same in rounds
    ]
    assert [Status.RECEIVED, Status.RECEIVED] == [world.status(post), world.status(later)]


def test_nothing_is_said_before_all_was_heard(world: World) -> None:
    """A reply waits until the last page of what came in was read."""
    post = built(world)
    world.says("alice.test", "@wright.test cancel", post)
    much_ado(world)
    slow = bot_with(world, chain([0, FOR_EVER] * 2, repeat(2 * FOR_EVER)))
    early = [slow.reply() for _ in range(2)]
    status = world.status(post)
    slow.reply()
    slow.presence.close()

    assert [0, 0] == [done.answered for done in early]
    assert (Status.BUILT, Status.SKIPPED, 1) == (status, world.status(post), len(world.replies()))


@pytest.mark.parametrize(("told", "early", "late"), [({}, 3, 6), ({"retry-after": "20"}, 15, 21)])
def test_a_look_that_failed_is_taken_again_soon(world: World, told: dict[str, str], early: float, late: float) -> None:
    """In seconds, or when the server said; for judging as for answering."""
    done = built(world)
    post = world.says("bob.test", ASK)
    world.fails("status", POSTS, status=503, headers=told, times=2)
    world.bot.ingest()
    world.bot.reply()
    seen = []
    for seconds in (early, late - early):
        world.clock.shift += timedelta(seconds=seconds)
        world.bot.judge()
        world.bot.reply()
        seen.append((world.status(post), world.status(done)))

    assert [(Status.RECEIVED, Status.BUILT), (Status.PENDING_BUILD, Status.REPLIED)] == seen


def test_a_round_without_time_judges_nothing(world: World) -> None:
    """What was not looked at is not put off either: the next round takes it."""
    post = world.says("alice.test", ASK)
    slow = bot_with(world, chain([0], repeat(FOR_EVER)))
    slow.ingest()
    slow.presence.close()
    received = world.document(post)

    assert (Status.RECEIVED, [], None) == (received.status, received.verdicts_json, received.not_before)
    assert [] == world.network.calls_to(POSTS)
