"""What a start does before it says anything: the first one, one over a lost ledger, one that cannot look."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.bluesky.errors import CallFailed
from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status
from tests.documents import newest
from tests.mentions import OPERATOR
from tests.scenarios.stages import AN_APP, we_say
from tests.scenarios.world import World, settings_for


@pytest.fixture
def unstarted(ledger: Ledger, clock: Clock, sandbox: SandboxServer) -> Iterator[World]:
    """A bot over an empty ledger that has read nothing yet; alice's mention is a minute old."""
    account = sandbox.network.account("alice.test")
    wright = sandbox.network.account("wright.test")
    sandbox.network.post(account.did, "@wright.test make me a to-do list", mentions=[wright.did])
    clock.shift += timedelta(minutes=1)
    world = World(ledger, clock, sandbox, settings_for(sandbox))
    yield world
    world.bot.close()


def test_a_first_start_leaves_the_past_alone(unstarted: World) -> None:
    """What was posted before is kept as skipped, with the reason, and later mentions are answered."""
    unstarted.bot.ingest()
    (old,) = newest(unstarted.ledger, 10)
    unstarted.clock.shift += timedelta(seconds=1)
    new = unstarted.says("alice.test", "@wright.test make me a timer")
    unstarted.bot.ingest()

    assert (Status.SKIPPED, Reason.BEFORE_FIRST_START) == (old.status, old.reason)
    assert Status.PENDING_BUILD == unstarted.status(new)


def test_a_person_may_have_the_past_answered_after_all(unstarted: World) -> None:
    """An operator lets one old ask be judged again: it counts as any other."""
    unstarted.bot.ingest()
    (old,) = newest(unstarted.ledger, 10)
    unstarted.ledger.documents.judge_again(OPERATOR, old)
    unstarted.bot.judge()

    assert Status.PENDING_BUILD == unstarted.ledger.queries.document(old.id).status


def test_a_first_start_may_be_told_to_look_back(unstarted: World) -> None:
    """With `--since` the past counts as far as was said."""
    unstarted.restart(since=timedelta(hours=1))
    unstarted.bot.ingest()
    (old,) = newest(unstarted.ledger, 10)

    assert Status.PENDING_BUILD == old.status


def test_a_lost_ledger_answers_nothing_twice(unstarted: World) -> None:
    """The mention has a reply in the repository; a ledger that knows nothing finds it there."""
    network = unstarted.network
    (mention,) = network.repo(network.account("alice.test").did, "app.bsky.feed.post")
    we_say(unstarted, "it is ready", StrongRef(uri=mention["uri"], cid=mention["cid"]), AN_APP)
    unstarted.restart(since=timedelta(hours=1))
    unstarted.bot.reply()
    unstarted.bot.ingest()
    unstarted.bot.judge()

    assert [] == newest(unstarted.ledger, 10)
    assert 1 == len(unstarted.replies())


def test_an_old_copy_of_the_ledger_answers_nothing_twice(world: World) -> None:
    """The ledger holds the mention as built, as an hour-old backup would; its reply is out already."""
    post = world.says("alice.test", "@wright.test make me a to-do list")
    world.bot.ingest()
    world.lane_builds()
    we_say(world, "it is ready", post, AN_APP)
    world.restart()
    world.bot.reply()

    assert Status.REPLIED == world.status(post)
    assert 1 == len(world.replies())


def test_an_old_copy_with_an_ask_under_way_is_answered_by_what_is_there(world: World) -> None:
    """The reply was adopted while the ask was still to be built; the finished build then says nothing."""
    post = world.says("alice.test", "@wright.test make me a to-do list")
    world.bot.ingest()
    we_say(world, "it is ready", post, AN_APP)
    world.restart()
    world.bot.reply()
    world.lane_builds()
    world.bot.reply()

    assert (Status.REPLIED, Reason.ADOPTED) == (world.status(post), world.document(post).reason)
    assert 1 == len(world.replies())


def test_nothing_is_sent_when_the_look_fails(world: World) -> None:
    """While our own posts cannot be listed, a built document waits; afterwards it is answered."""
    post = world.says("alice.test", "@wright.test make me a to-do list")
    world.bot.ingest()
    world.lane_builds()
    world.restart()
    world.fails("status", "com.atproto.repo.listRecords", status=502, html=True, body="<h1>bad gateway</h1>")

    with pytest.raises(CallFailed):
        world.bot.reply()
    assert [] == world.replies()

    world.bot.reply()
    assert Status.REPLIED == world.status(post)
