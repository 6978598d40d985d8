"""What people and networks send that nobody would wish for: each ends in a stated status or a clear error."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.notifications import Notification, list_page
from bot.clock import Clock
from bot.jobs.ingest import WATERMARK, Reach, ingest_once
from bot.ledger.ledger import Ledger
from bot.sandbox.server import SandboxServer
from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status
from tests.documents import newest
from tests.mentions import BOT, facet
from tests.scenarios.world import World, settings_for

LOGIN = "com.atproto.server.createSession"


def wright(world: World) -> str:
    return world.network.account("wright.test").did


def alice_posts(world: World, text: str, facets: list[dict[str, Any]], **more: Any) -> StrongRef:
    return world.network.post(world.network.account("alice.test").did, text, facets=facets, **more)


def fill_the_list(world: World, number: int, since: datetime) -> None:
    """Notifications that ask for nothing, a millisecond apart: replies to a post of the bot's."""
    ours = world.network.post(wright(world), "good morning")
    carol = world.network.account("carol.test").did
    for n in range(number):
        world.network.post(carol, f"hello {n}", reply=ours, created_at=since + timedelta(milliseconds=n))


def documents(world: World) -> int:
    return len(newest(world.ledger, 1000))


@pytest.mark.parametrize("text", ["@wright.test", "@wright.test \u200b\u202e", "@wright.test " + "🎉" * 280])
def test_nothing_to_build(world: World, text: str) -> None:
    """An empty mention, one of invisible characters and one of emoji are skipped with the reason."""
    post = world.says("alice.test", text)
    world.bot.ingest()

    assert (Status.SKIPPED, Reason.NOTHING_TO_BUILD) == (world.status(post), world.document(post).reason)


def test_a_handle_in_the_text_is_no_mention(world: World) -> None:
    """Without a facet nobody was asked."""
    alice_posts(world, "@wright.test make me a timer", [])
    world.bot.ingest()

    assert 0 == documents(world)


def test_a_facet_that_names_somebody_else_is_no_mention(world: World) -> None:
    """The text says wright, the facet says bob."""
    bob = world.network.account("bob.test").did
    alice_posts(world, "@wright.test make me a timer", [facet(0, 12, bob)])
    world.bot.ingest()

    assert 0 == documents(world)


@pytest.mark.parametrize(("start", "end"), [(500, 600), (12, 3), (5, 5), (1, 2_000)])
def test_a_facet_outside_the_text_still_mentions_us(world: World, start: int, end: int) -> None:
    """A client that counted wrongly meant us all the same; the handle in front is not part of the ask."""
    post = alice_posts(world, "@wright.test make me a timer", [facet(start, end, wright(world))])
    world.bot.ingest()

    assert (Status.PENDING_BUILD, "make me a timer") == (world.status(post), world.document(post).mention.ask)


def test_a_backdated_mention_is_found_by_the_sweep(world: World) -> None:
    """A slow clock puts it an hour below the watermark, where polling does not look."""
    fill_the_list(world, 100, world.clock())
    world.clock.shift += timedelta(minutes=20)
    world.says("bob.test", "@wright.test make me a to-do list")
    world.bot.ingest()
    post = alice_posts(
        world,
        "@wright.test make me a timer",
        [facet(0, 12, wright(world))],
        created_at=world.clock() - timedelta(hours=1),
    )
    polled = world.bot.ingest()
    swept = world.bot.sweep()

    assert (0, 1) == (polled.new, swept.new)
    assert Status.PENDING_BUILD == world.status(post)


def test_mentions_that_share_a_millisecond_with_a_pages_edge_are_all_found(world: World) -> None:
    """Five mentions in one millisecond lie across the edge of a page of a hundred."""
    moment = world.clock()
    mention = [facet(0, 12, wright(world))]
    five = [alice_posts(world, f"@wright.test timer {n}", mention, created_at=moment) for n in range(5)]
    fill_the_list(world, 97, moment + timedelta(milliseconds=10))
    world.clock.shift += timedelta(seconds=1)
    read = world.bot.ingest()

    assert (5, 2, False) == (read.new, read.pages, read.gap)
    assert all(world.document(post) for post in five)


def test_a_post_that_was_edited_before_it_was_read_is_taken_as_it_is(world: World) -> None:
    """Same uri, new text, new cid: the reply's parent is what stands there now."""
    post = world.says("alice.test", "@wright.test make me a timer")
    edited = world.network.edit(post.uri, text="@wright.test make me a wheel")
    world.bot.ingest()

    document = world.document(post)

    assert ("make me a wheel", edited.cid) == (document.mention.ask, document.source_cid)


def test_a_post_that_was_deleted_before_it_was_read_makes_nothing(world: World) -> None:
    """It is not listed any more."""
    post = world.says("alice.test", "@wright.test make me a timer")
    world.network.delete_record(post.uri)
    world.bot.ingest()

    assert 0 == documents(world)


def test_reading_the_same_pages_again_makes_nothing_new(world: World) -> None:
    """An item that comes twice, in a page or in two readings, is one document."""
    world.says("alice.test", "@wright.test make me a timer")
    first, second, third = world.bot.ingest(), world.bot.ingest(), world.bot.sweep()

    assert (1, 0, 0) == (first.new, second.new, third.new)


def test_what_the_account_has_seen_decides_nothing(world: World) -> None:
    """Somebody opens the app as the bot: what comes in after that is told as read, and is an ask all the same."""
    world.network.account("wright.test").seen_at = world.clock() + timedelta(hours=1)
    post = world.says("alice.test", "@wright.test make me a timer")
    listed = list_page(world.bot.presence.account()).items
    read = [world.bot.ingest().new for _ in range(2)]

    assert [True] == [item.raw["isRead"] for item in listed if isinstance(item, Notification)]
    assert [1, 0] == read
    assert Status.PENDING_BUILD == world.status(post)


@pytest.mark.parametrize("year", [2019, 2099])
def test_a_date_that_lies_hides_nothing(world: World, year: int) -> None:
    """Handled once, by when it came; what is said later is read all the same, and no mark is moved by it."""
    mention = [facet(0, 12, wright(world))]
    odd = alice_posts(world, "@wright.test make me a timer", mention, created_at=datetime(year, 1, 1, tzinfo=UTC))
    read = [world.bot.ingest().new, world.bot.sweep().new]
    mark, now = world.ledger.desk.watermark(WATERMARK), world.clock()
    after = world.says("bob.test", "@wright.test make me a to-do list")
    read.append(world.bot.ingest().new)

    assert [1, 0, 1] == read
    assert {Status.PENDING_BUILD} == {world.status(post) for post in (odd, after)}
    assert mark is None or mark <= now


def test_our_own_posts_ask_for_nothing(world: World) -> None:
    """The bot mentioning itself starts nothing."""
    world.network.post(wright(world), "@wright.test make me a timer", mentions=[wright(world)])
    world.bot.ingest()

    assert 0 == documents(world)


def test_an_unreadable_item_is_parked_and_the_rest_goes_on(world: World) -> None:
    """One item of a page is of a shape that nobody knows; it is kept raw, once, and the others become documents."""
    world.says("alice.test", "@wright.test make me a timer")
    odd = {"uri": "at://did:plc:x/app.bsky.feed.post/3k", "reason": "mention", "record": {"$type": "a.b.c"}}
    page = {"notifications": [odd, *world.network.notifications(wright(world))]}
    world.fails("status", "app.bsky.notification.listNotifications", status=200, body=page, times=2)
    first, second = world.bot.ingest(), world.bot.ingest()

    assert (1, 1) == (first.new, first.parked)
    assert (0, 1) == (second.parked, world.ledger.desk.parked_count())


def test_a_record_that_is_nested_too_deep_is_read_without_its_depths(world: World) -> None:
    """Its author makes it up, and what no parser takes would keep all others from being read for good."""
    world.says("alice.test", "@wright.test make me a timer")
    (item,) = world.network.notifications(wright(world))
    embed: dict[str, Any] = {}
    for _ in range(300):
        embed = {"of": [embed]}
    deep = item | {"uri": f"{item['uri']}x", "record": item["record"] | {"embed": embed}}
    page = {"notifications": [deep, item]}
    world.fails("status", "app.bsky.notification.listNotifications", status=200, body=page, times=2)
    first, second = world.bot.ingest(), world.bot.ingest()

    assert [(2, 0), (0, 0)] == [(first.new, first.parked), (second.new, second.parked)]
    assert {"make me a timer"} == {document.mention.ask for document in newest(world.ledger, 9)}


def test_a_wrong_password_is_tried_once(ledger: Ledger, clock: Clock, sandbox: SandboxServer) -> None:
    """It is told as a refusal of the account, and not tried again by every job."""
    world = World(ledger, clock, sandbox, settings_for(sandbox, password="wrong"))
    failures = []
    for job in (world.bot.ingest, world.bot.judge, world.bot.reply, world.bot.ingest):
        with pytest.raises(CallFailed) as caught:
            job()
        failures.append(caught.value.failure)

    assert [Failure.AUTH] * 4 == failures
    assert 1 == sum(call.nsid == LOGIN for call in sandbox.network.calls)


def test_a_pds_that_is_down_stops_nothing_for_good(world: World) -> None:
    """Jobs fail with a clear error while it is away, and go on when it is back."""
    post = world.says("alice.test", "@wright.test make me a timer")
    world.fails("drop_request", "*", times=2)
    for _ in range(2):
        with pytest.raises(CallFailed) as caught:
            world.bot.ingest()
        assert Failure.NOT_SENT == caught.value.failure
    world.bot.ingest()

    assert Status.PENDING_BUILD == world.status(post)


def test_reaching_the_cap_of_pages_is_told(world: World) -> None:
    """A listing that does not end is cut off, and said to be a gap."""
    fill_the_list(world, 150, world.clock())
    read = ingest_once(
        world.ledger, world.bot.presence.account(), BOT, Reach(world.clock() - timedelta(days=1), 1, world.clock())
    )

    assert (True, 1, 100) == (read.gap, read.pages, read.ignored)
