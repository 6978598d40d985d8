"""A ledger that was lost, or that is old: what is in the repository is answered, and the rest is answered once."""

from collections.abc import Callable, Mapping
from datetime import timedelta

import pytest

from bot.bluesky.errors import CallFailed
from bot.jobs.ingest import Reach, ingest_once
from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.crash.shelf import Shelf
from tests.documents import newest
from tests.mentions import BOT, OPERATOR
from tests.scenarios.stages import AN_APP
from tests.scenarios.world import PUT, World

pytestmark = pytest.mark.slow
LIST = "com.atproto.repo.listRecords"
A_PAGE = 100
HOUR = timedelta(hours=1)


def asks(shelf: Shelf, handle: str = "alice.test", text: str = "make me a to-do list") -> StrongRef:
    return shelf.world.says(handle, f"@wright.test {text}")


def received(world: World) -> None:
    reach = Reach(None, 1, world.clock() - HOUR)
    assert 1 == ingest_once(world.ledger, world.bot.presence.account(), BOT, reach).new


def pending(world: World) -> None:
    world.bot.ingest()


def building(world: World) -> None:
    pending(world)
    world.lane_claims()


def built(world: World) -> None:
    pending(world)
    world.lane_builds()


def claimed_and_not_sent(world: World) -> None:
    built(world)
    world.fails("drop_request")
    world.bot.reply()


def claimed_and_sent(world: World) -> None:
    built(world)
    world.fails("drop_answer")
    world.bot.reply()


def replied(world: World) -> None:
    built(world)
    world.bot.reply()


MOMENTS: Mapping[str, tuple[Callable[[World], None], Status]] = {
    "received": (received, Status.RECEIVED),
    "pending": (pending, Status.PENDING_BUILD),
    "building": (building, Status.BUILDING),
    "built": (built, Status.BUILT),
    "claimed and not sent": (claimed_and_not_sent, Status.BUILT),
    "claimed and sent": (claimed_and_sent, Status.BUILT),
    "replied": (replied, Status.REPLIED),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_hour_old_copy(shelf: Shelf, moment: str) -> None:
    """Whatever the copy believes of Alice's ask, and though it knows nothing of Bob's: both are answered, once."""
    first = asks(shelf)
    reach, status = MOMENTS[moment]
    reach(shelf.world)
    copy = shelf.copy()
    shelf.go_on()
    later = asks(shelf, "bob.test")
    shelf.go_on()
    shelf.clock.shift += HOUR

    world = shelf.put_back(copy)
    assert status is world.status(first)
    shelf.go_on()
    newest = asks(shelf, "carol.test")
    shelf.go_on()

    assert sorted([first.uri, later.uri, newest.uri]) == shelf.answers()
    assert world.status(first) in (Status.REPLIED, Status.SKIPPED)
    assert [] == world.ledger.queries.unsettled_sends()


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_copy_whose_story_never_went_on(shelf: Shelf, moment: str) -> None:
    """The machine was lost together with the hour; nothing was answered in it, and everything is afterwards."""
    first = asks(shelf)
    MOMENTS[moment][0](shelf.world)
    copy = shelf.copy()
    later = asks(shelf, "bob.test")
    shelf.clock.shift += HOUR

    shelf.put_back(copy)
    shelf.go_on()

    assert sorted([first.uri, later.uri]) == shelf.answers()


def test_a_lost_ledger(shelf: Shelf) -> None:
    """One ask was answered and one was waiting when it was lost; told to look back, the bot answers the second."""
    answered = asks(shelf)
    shelf.go_on()
    waiting = asks(shelf, "bob.test")
    shelf.world.bot.ingest()
    shelf.clock.shift += HOUR

    shelf.lose(since=3 * HOUR)
    shelf.go_on()

    assert sorted([answered.uri, waiting.uri]) == shelf.answers()


def test_a_lost_ledger_that_is_told_nothing(shelf: Shelf) -> None:
    """Without `--since` a first start leaves the past alone, and what comes later is answered."""
    answered, waiting = asks(shelf), None
    shelf.go_on()
    waiting = asks(shelf, "bob.test")
    shelf.clock.shift += HOUR

    world = shelf.lose()
    shelf.go_on()
    later = asks(shelf, "carol.test")
    shelf.go_on()

    assert Reason.BEFORE_FIRST_START is world.document(waiting).reason
    assert sorted([answered.uri, later.uri]) == shelf.answers()


@pytest.mark.parametrize("kept", [True, False])
def test_nothing_is_sent_while_the_listing_fails(shelf: Shelf, kept: bool) -> None:
    """Not by a copy that holds the ask as built, and not by an empty ledger; afterwards each is answered once."""
    first = asks(shelf)
    built(shelf.world)
    copy = shelf.copy()
    shelf.world.bot.reply()
    other = asks(shelf, "bob.test")
    world = shelf.put_back(copy) if kept else shelf.lose(since=HOUR)
    world.fails("status", LIST, status=502, html=True, body="<h1>bad gateway</h1>", times=5)
    before = len(shelf.network.calls_to(PUT))

    for job in (world.bot.ingest, world.bot.judge, world.bot.reply, world.bot.speak, world.bot.reply):
        with pytest.raises(CallFailed):
            job()
    assert before == len(shelf.network.calls_to(PUT))

    shelf.go_on()
    assert sorted([first.uri, other.uri]) == shelf.answers()


@pytest.mark.parametrize("kept", [True, False])
def test_more_of_our_posts_than_a_page_holds(shelf: Shelf, kept: bool) -> None:
    """The reply lies below a hundred newer posts of ours, and the second page fails at first."""
    post = asks(shelf)
    built(shelf.world)
    copy = shelf.copy()
    shelf.world.bot.reply()
    for number in range(A_PAGE + 5):
        shelf.bot_says(f"a word of my own, {number}")
    world = shelf.put_back(copy) if kept else shelf.lose(since=HOUR)
    world.fails("status", LIST, status=502, skip=1)

    with pytest.raises(CallFailed):
        world.bot.reply()
    shelf.go_on()

    assert [post.uri] == shelf.answers()


def test_a_look_that_is_cut_short_is_no_look(shelf: Shelf) -> None:
    """Two replies lie days and a page apart: that the newer one was found does not make the older one forgotten."""
    old, new = asks(shelf), asks(shelf, "bob.test")
    shelf.world.bot.ingest()
    shelf.world.lane_builds()
    shelf.world.lane_builds()
    copy = shelf.copy()
    shelf.bot_says("it is ready", old, AN_APP)
    shelf.clock.shift += timedelta(days=3)
    for number in range(A_PAGE):
        shelf.bot_says(f"a word of my own, {number}")
    shelf.bot_says("it is ready", new, AN_APP)
    world = shelf.put_back(copy)
    world.fails("status", LIST, status=502, skip=1)

    with pytest.raises(CallFailed):
        world.bot.reply()
    shelf.go_on()

    assert sorted([old.uri, new.uri]) == shelf.answers()


def test_a_start_that_is_told_to_answer_further_back_looks_further_back(shelf: Shelf) -> None:
    """`--since` reaches over more days than a look at the start otherwise does."""
    post = asks(shelf)
    shelf.go_on()
    shelf.clock.shift += timedelta(days=6)

    shelf.lose(since=timedelta(days=7))
    shelf.go_on()

    assert [post.uri] == shelf.answers()


def test_a_copy_from_before_the_first_answer(shelf: Shelf) -> None:
    """It has answered nothing, holds an ask as built, and is older than a look at a first start reaches."""
    post = asks(shelf)
    built(shelf.world)
    copy = shelf.copy()
    shelf.world.bot.reply()
    shelf.clock.shift += timedelta(days=6)

    shelf.put_back(copy)
    shelf.go_on()

    assert [post.uri] == shelf.answers()


def test_a_start_cut_short_that_was_told_to_answer_far_back(shelf: Shelf) -> None:
    """Old asks are received as asks to answer; the next start, told nothing, still looks for their replies."""
    post = asks(shelf)
    shelf.go_on()
    shelf.clock.shift += timedelta(days=6)
    world = shelf.lose(since=timedelta(days=7))
    world.fails("status", LIST, status=502)

    with pytest.raises(CallFailed):
        world.bot.ingest()
    world.restart()
    shelf.go_on()

    assert [post.uri] == shelf.answers()


def test_a_reply_under_another_key_than_the_claimed_one(shelf: Shelf) -> None:
    """The copy claims a record key that was never sent; the repository holds the reply under another."""
    post = asks(shelf)
    claimed_and_not_sent(shelf.world)
    elsewhere = shelf.bot_says("it is ready", post, AN_APP)

    world = shelf.put_back(shelf.copy())
    shelf.go_on()

    (send,) = [send for send in world.ledger.queries.sends(world.document(post).id) if send.key.startswith("reply:")]
    assert [post.uri] == shelf.answers()
    assert ("answered", elsewhere.uri) == (send.state, send.uri)


def test_a_mention_that_is_read_after_its_reply_was_found(shelf: Shelf) -> None:
    """The start finds a reply to a post of which the ledger knows nothing; the post is read a moment later."""
    copy = shelf.copy()
    post = asks(shelf)
    shelf.go_on()

    world = shelf.put_back(copy)
    world.bot.reply()
    assert 1 == world.bot.ingest().known
    shelf.go_on()

    assert [post.uri] == shelf.answers()
    assert [] == newest(world.ledger, 10)


def test_a_note_is_no_reply(shelf: Shelf) -> None:
    """Alice was told that it could not be built, and the bot restarts; built after all, it is answered."""
    post = asks(shelf)
    shelf.world.bot.ingest()
    shelf.world.lane_builds(outcome=BuildOutcome.REFUSED, reason="I can build timers")
    shelf.world.bot.speak()
    assert [post.uri] == shelf.answers()
    world = shelf.world
    world.restart()
    world.bot.reply()

    world.ledger.documents.retry(OPERATOR, world.document(post))
    shelf.go_on()

    assert 2 * [post.uri] == shelf.answers()
    assert Status.REPLIED is world.status(post)
    assert Reason.SENT is world.document(post).reason


def test_a_note_settles_no_reply_that_was_claimed_after_it(shelf: Shelf) -> None:
    """The same, when the bot dies between the claim and the send."""
    post = asks(shelf)
    shelf.world.bot.ingest()
    shelf.world.lane_builds(outcome=BuildOutcome.REFUSED, reason="I can build timers")
    shelf.world.bot.speak()
    world = shelf.world
    world.ledger.documents.retry(OPERATOR, world.document(post))
    world.lane_builds()
    world.fails("drop_request")
    world.bot.reply()
    world.restart()
    shelf.go_on()

    assert 2 * [post.uri] == shelf.answers()
    assert Status.REPLIED is world.status(post)
