"""Mentions that were not read yet: no fault, no cap and no sweep makes them count as read."""

from datetime import timedelta

import pytest

from bot.bluesky.errors import CallFailed
from bot.jobs.ingest import UNREAD, WATERMARK, Reach, ingest_once
from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status
from tests.mentions import BOT
from tests.scenarios.stages import ASK
from tests.scenarios.world import World

LIST = "app.bsky.notification.listNotifications"


def chatter(world: World, number: int) -> None:
    """Notifications that are for nobody, newer than all before."""
    ours = world.network.post(world.network.account("wright.test").did, "hello")
    bob = world.network.account("bob.test").did
    for each in range(number):
        world.network.post(bob, f"nice {each}", reply=ours)


def missed(world: World) -> StrongRef:
    """An ask from the beginning of an outage of more than two days, on the third page by now."""
    world.says("carol.test", "@wright.test thanks")
    world.bot.ingest()
    world.clock.shift += timedelta(hours=1)
    post = world.says("alice.test", ASK)
    for _ in range(2):
        world.clock.shift += timedelta(hours=30)
        chatter(world, 120)
    world.restart()
    world.bot.standing()  # its session is renewed, so that faults hit pages
    return post


def unread(world: World) -> list[str]:
    return [condition.detail for condition in world.ledger.conditions.standing() if condition.name == UNREAD]


def fails_on_page(world: World, page: int) -> None:
    world.fails("status", LIST, status=502, skip=page - 1)


def test_a_sweep_that_ends_first_hides_nothing(world: World) -> None:
    """It reads a day, the outage was longer; the process dies before its first reading is done."""
    post, before = missed(world), world.ledger.desk.watermark(WATERMARK)
    world.bot.sweep()
    after = world.ledger.desk.watermark(WATERMARK)
    world.restart()
    world.bot.ingest()

    assert before == after
    assert Status.PENDING_BUILD is world.status(post)


def test_a_reading_that_fails_goes_on_at_its_page(world: World) -> None:
    """A sweep comes between, and moves nothing; what was read is not read again."""
    post = missed(world)
    fails_on_page(world, 3)
    with pytest.raises(CallFailed):
        world.bot.ingest()
    told = unread(world)
    world.bot.sweep()
    again = world.bot.ingest()

    assert (1, []) == (len(told), unread(world))
    assert (1, True) == (again.pages, again.whole)
    assert Status.PENDING_BUILD is world.status(post)


def test_a_process_that_dies_in_between_begins_anew(world: World) -> None:
    """Its place is gone, its mark is not."""
    post = missed(world)
    fails_on_page(world, 3)
    with pytest.raises(CallFailed):
        world.bot.ingest()
    world.bot.sweep()
    world.restart()
    world.bot.ingest()

    assert Status.PENDING_BUILD is world.status(post)
    assert [] == unread(world)


def test_more_pages_than_a_round_takes_are_read_in_the_next(world: World) -> None:
    """Until then operators see that there is a gap, and the mark stays."""
    post, before = missed(world), world.ledger.desk.watermark(WATERMARK)
    account, reach = world.bot.presence.account(), Reach(None, 2, world.clock() - timedelta(days=9))
    first = ingest_once(world.ledger, account, BOT, reach)
    told, mark = unread(world), world.ledger.desk.watermark(WATERMARK)
    second = ingest_once(world.ledger, account, BOT, reach)
    world.bot.judge()

    assert (True, False, True) == (first.gap, first.whole, second.whole)
    assert (1, before, []) == (len(told), mark, unread(world))
    assert "are not read yet" in told[0]
    assert Status.PENDING_BUILD is world.status(post)


def test_what_is_new_is_read_beside_a_page_that_fails_for_ever(world: World) -> None:
    """Somebody's ask of now does not wait for the old page, and the mark waits for it."""
    old, before = missed(world), world.ledger.desk.watermark(WATERMARK)
    fails_on_page(world, 3)
    with pytest.raises(CallFailed):
        world.bot.ingest()
    new = world.says("carol.test", ASK)
    fails_on_page(world, 1)
    with pytest.raises(CallFailed):
        world.bot.ingest()
    status, mark = world.status(new), world.ledger.desk.watermark(WATERMARK)
    world.bot.ingest()

    assert (Status.RECEIVED, before) == (status, mark)
    assert (Status.PENDING_BUILD, Status.PENDING_BUILD) == (world.status(old), world.status(new))


def test_a_place_that_the_server_refuses_is_left(world: World) -> None:
    """The next reading begins anew."""
    post = missed(world)
    fails_on_page(world, 3)
    with pytest.raises(CallFailed):
        world.bot.ingest()
    world.fails("status", LIST, status=400, body={"error": "InvalidRequest", "message": "no such cursor"})
    with pytest.raises(CallFailed):
        world.bot.ingest()
    anew = world.bot.ingest()

    assert 3 == anew.pages
    assert Status.PENDING_BUILD is world.status(post)


def test_the_past_of_a_first_start_stays_past(world: World) -> None:
    """Its first reading is cut short and a sweep ends before it goes on: all that was there is left alone."""
    old = world.says("alice.test", ASK)
    world.clock.shift += timedelta(hours=30)
    chatter(world, 120)
    with world.ledger.db.write() as connection:
        connection.exec_driver_sql("DELETE FROM watermarks")
    world.restart()
    fails_on_page(world, 2)
    with pytest.raises(CallFailed):
        world.bot.ingest()
    world.bot.sweep()
    world.bot.ingest()

    assert (Status.SKIPPED, Reason.BEFORE_FIRST_START) == (world.status(old), world.document(old).reason)


def test_what_comes_back_from_before_the_first_start_stays_past(world: World) -> None:
    """Its author was away at the first reading, and comes back after it."""
    alice = world.network.account("alice.test").did
    old = world.says("alice.test", ASK)
    world.network.deactivate(alice)
    world.clock.shift += timedelta(minutes=30)
    with world.ledger.db.write() as connection:
        connection.exec_driver_sql("DELETE FROM watermarks")
    world.restart()
    world.bot.ingest()
    world.network.deactivate(alice, undo=True)
    world.bot.sweep()

    assert (Status.SKIPPED, Reason.BEFORE_FIRST_START) == (world.status(old), world.document(old).reason)
