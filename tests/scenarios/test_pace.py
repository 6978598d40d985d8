"""How much is said, in which order, how late, and where it would not be seen."""

from dataclasses import replace
from datetime import datetime, timedelta
from unittest.mock import Mock

import pytest

from bot.errors import LostRace
from bot.jobs.sending import PUT_ONCE
from bot.ledger.conditions import ACCOUNT
from bot.ledger.usage import POINTS, used
from guardrails.documents import POST_COLLECTION, StrongRef, split_at_uri
from guardrails.tid import tid_at
from guardrails.transitions import Reason, Status
from tests.mentions import OPERATOR
from tests.scenarios.world import PUT, World

GET = "com.atproto.repo.getRecord"


def built(world: World, handle: str, number: int = 1) -> list[StrongRef]:
    """So many mentions of somebody, all built and none answered."""
    posts = [world.says(handle, f"@wright.test make me a timer, number {n}") for n in range(number)]
    world.bot.ingest()
    for _ in posts:
        world.lane_builds()
    return posts


def paced(world: World, per_hour: int) -> None:
    """The same bot with another pace."""
    world.settings = world.settings.model_copy(update={"replies_per_hour": per_hour})
    world.restart()


def on_the_hour(world: World) -> None:
    """Let time pass until the next hour begins."""
    now = world.ledger.db.time()
    next_hour = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    world.clock.shift += next_hour - now + timedelta(seconds=1)


def test_a_backlog_drains_at_the_pace_oldest_first_and_fair(world: World) -> None:
    """Six of alice's and one of bob's wait; at three an hour bob is not kept waiting behind all of hers."""
    on_the_hour(world)
    alice = built(world, "alice.test", 6)
    (bob,) = built(world, "bob.test")
    paced(world, 3)
    world.bot.reply()
    first = [post for post in [*alice, bob] if world.status(post) is Status.REPLIED]
    world.bot.reply()
    still = len(world.replies())
    on_the_hour(world)
    world.bot.reply()

    assert [alice[0], alice[1], bob] == first
    assert (3, 6) == (still, len(world.replies()))


def test_a_released_reply_to_somebody_who_is_away_is_held_again(world: World) -> None:
    """Nobody asks for ever: it is for the person who released it."""
    (post,) = built(world, "alice.test")
    world.clock.shift += timedelta(hours=25)
    world.bot.reply()
    world.ledger.decisions.release_reply(OPERATOR, world.document(post))
    world.network.deactivate(world.network.account("alice.test").did)
    for _ in range(2):
        world.bot.reply()
        world.clock.shift += timedelta(minutes=1)
    held = world.document(post)

    assert (Status.BUILT, []) == (held.status, world.replies())
    assert str(held.reply_held).startswith("25 hours old, ")


def test_a_lost_race_costs_no_place_in_the_pace(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another bot on the ledger won the key of the first; the only place of this hour is left to the second."""
    on_the_hour(world)
    paced(world, 1)
    (post,) = built(world, "alice.test")
    with monkeypatch.context() as lost:
        lost.setattr(world.ledger.sends, "claim_reply", Mock(side_effect=LostRace("claimed already")))
        world.bot.reply()
    before = world.status(post)
    with world.ledger.db.read() as connection:
        points = used(connection, POINTS, f"{world.ledger.db.time():%Y-%m-%dT%H}")
    world.bot.reply()

    assert (Status.BUILT, 0) == (before, points)
    assert Status.REPLIED is world.status(post)


def test_an_answer_to_an_old_ask_waits_for_a_person(world: World) -> None:
    """After a day nobody expects it any more; an operator lets it out, and it goes once."""
    (post,) = built(world, "alice.test")
    world.clock.shift += timedelta(hours=25)
    world.bot.reply()
    held = world.document(post)
    world.bot.reply()

    assert (Status.BUILT, "25 hours old", 0) == (held.status, held.reply_held, len(world.replies()))

    world.ledger.decisions.release_reply(OPERATOR, world.document(post))
    world.bot.reply()
    world.bot.reply()
    assert (Status.REPLIED, 1) == (world.status(post), len(world.replies()))


def dated(world: World, age: timedelta, key_age: timedelta) -> StrongRef:
    """Alice's mention that says it is so old, under a record key that says it is so old."""
    now, wright = world.clock(), world.network.account("wright.test").did
    alice = world.network.account("alice.test").did
    ask, key = "@wright.test make me a timer", tid_at(now - key_age)
    return world.network.post(alice, ask, mentions=[wright], created_at=now - age, rkey=key)


@pytest.mark.parametrize(
    ("age", "key_age", "status", "held"),
    [
        (timedelta(hours=30), timedelta(hours=30), Status.BUILT, "30 hours old"),
        (timedelta(days=900), timedelta(), Status.REPLIED, None),
        (timedelta(), timedelta(days=900), Status.REPLIED, None),
        (timedelta(), -timedelta(days=900), Status.REPLIED, None),
    ],
    ids=["as old as it says", "dated back", "an old key", "a key from the future"],
)
def test_an_ask_is_as_old_as_its_post(
    world: World, age: timedelta, key_age: timedelta, status: Status, held: str | None
) -> None:
    """Read late, after an outage, it is late already; but a date or a key alone may be of any time."""
    world.clock.shift += timedelta(days=3)  # so that all of it is from after the first start
    post = dated(world, age, key_age)
    world.bot.ingest()
    world.lane_builds()
    world.bot.reply()

    assert (status, held) == (world.status(post), world.document(post).reply_held)


def test_a_record_that_waited_for_hours_is_dated_anew_under_its_key(world: World) -> None:
    """Nothing was sent during the outage; afterwards one reply goes out with today's date and the old key."""
    (post,) = built(world, "alice.test")
    world.fails("drop_request")
    world.bot.reply()
    (before,) = world.ledger.queries.sends(world.document(post).id)
    world.clock.shift += timedelta(hours=6)
    world.bot.reply()
    (after,) = world.ledger.queries.sends(world.document(post).id)
    (record,) = world.network.repo(world.network.account("wright.test").did, POST_COLLECTION)
    created = datetime.fromisoformat(record["value"]["createdAt"])

    assert Status.REPLIED == world.status(post)
    assert before.rkey == after.rkey == split_at_uri(record["uri"]).rkey
    assert [before.cid, record["cid"]] == after.cids
    assert world.clock() - created < timedelta(minutes=1)


def test_a_record_that_did_go_out_before_the_outage_is_left_as_it_is(world: World) -> None:
    """The old version is in the repository: it is the answer, whatever its date."""
    (post,) = built(world, "alice.test")
    world.fails("drop_answer")
    world.bot.reply()
    world.clock.shift += timedelta(hours=6)
    world.bot.reply()
    (send,) = world.ledger.queries.sends(world.document(post).id)

    assert (Status.REPLIED, 1, 1) == (world.status(post), len(world.replies()), len(send.cids))


def test_an_account_in_trouble_says_nothing_and_loses_nothing(world: World) -> None:
    """While its condition stands nothing is sent; ingesting and building go on."""
    world.ledger.conditions.set(ACCOUNT, "labelled spam")
    (post,) = built(world, "alice.test")

    assert world.bot.reply().paused
    assert [] == world.replies()

    world.ledger.conditions.clear(ACCOUNT)
    world.bot.reply()
    assert Status.REPLIED == world.status(post)


def test_a_server_that_is_not_put_once_is_asked_before_each_try(world: World) -> None:
    """The finding of `doctor --write` stands: the record key is read before the put, the first time too."""
    (post,) = built(world, "alice.test")
    world.ledger.conditions.set(PUT_ONCE, "other bytes were taken")
    world.bot.reply()
    calls = [call.nsid for call in world.network.calls if call.nsid in (GET, PUT)]

    assert (Status.REPLIED, [GET, PUT]) == (world.status(post), calls)


@pytest.mark.parametrize("how", ["gated", "blocks us", "blocked"])
def test_where_it_cannot_be_seen_it_is_not_said(world: World, how: str) -> None:
    """The door was shut while the app was built: nothing is sent, and the document says why."""
    (post,) = built(world, "alice.test")
    alice, wright = (world.network.account(handle).did for handle in ("alice.test", "wright.test"))
    if how == "gated":
        world.network.gate(post.uri, [])
    else:
        world.network.block(*((alice, wright) if how == "blocks us" else (wright, alice)))
    world.bot.reply()
    document = world.document(post)

    assert (Status.ERROR, Reason.CANNOT_REPLY, 0) == (document.status, document.reason, len(world.replies()))
    assert document.detail


def test_a_mention_that_is_not_there_just_now_is_answered_when_it_is(world: World) -> None:
    """One look that finds nothing decides nothing."""
    (post,) = built(world, "alice.test")
    world.fails("status", "app.bsky.feed.getPosts", status=502, html=True, body="<h1>bad gateway</h1>")
    world.bot.reply()
    waiting = world.status(post)
    world.clock.shift += timedelta(minutes=1)
    world.bot.reply()

    assert (Status.BUILT, Status.REPLIED) == (waiting, world.status(post))


def test_nothing_is_sent_once_more_to_a_mention_that_is_gone(world: World) -> None:
    """The first try was lost on its way, then the mention went: one look that finds nothing waits, two end it."""
    (post,) = built(world, "alice.test")
    world.fails("drop_request")
    world.bot.reply()
    world.network.delete_record(post.uri)
    for _ in range(2):
        world.clock.shift += timedelta(minutes=11)
        world.bot.reply()
    waiting = (world.status(post), len(world.replies()))
    for _ in range(2):
        world.clock.shift += timedelta(minutes=11)
        world.bot.watch()
    world.bot.reply()

    assert (Status.BUILT, 0) == waiting
    assert (Status.ERROR, 0) == (world.status(post), len(world.replies()))


def test_a_reply_under_way_waits_a_day_for_an_author_who_is_away(world: World) -> None:
    """Back within the day, they get it; later than that it ends, and a person may have it sent."""
    alice, bob = (*built(world, "alice.test"), *built(world, "bob.test"))
    world.fails("drop_request", times=2)
    world.bot.reply()
    for handle in ("alice.test", "bob.test"):
        world.network.deactivate(world.network.account(handle).did)
    world.clock.shift += timedelta(hours=23)
    world.bot.reply()
    away = len(world.replies())
    world.network.deactivate(world.network.account("alice.test").did, undo=True)
    world.clock.shift += timedelta(hours=2)
    world.bot.reply()

    assert (0, 1) == (away, len(world.replies()))
    assert (Status.REPLIED, Status.ERROR) == (world.status(alice), world.status(bob))
    assert "the author's account is deactivated, taken down or deleted" == world.document(bob).detail


def test_an_answer_to_nobody_waits_for_a_person_in_the_end(world: World) -> None:
    """An author who does not come back leaves no document open without a person knowing."""
    (post,) = built(world, "alice.test")
    world.network.deactivate(world.network.account("alice.test").did)
    world.bot.reply()
    waiting = world.document(post).reply_held
    world.clock.shift += timedelta(hours=25)
    world.bot.reply()

    assert (None, "25 hours old") == (waiting, world.document(post).reply_held)
    assert Status.BUILT is world.status(post)


def test_spent_write_points_let_the_reply_wait(world: World) -> None:
    """The account's budget of the hour is used up: the reply goes out in the next one."""
    on_the_hour(world)
    (post,) = built(world, "alice.test")
    caps = world.ledger.pace._write_points
    world.ledger.pace._write_points = replace(caps, per_hour=1)
    world.bot.reply()
    waiting = world.status(post)
    world.ledger.pace._write_points = caps
    world.clock.shift += timedelta(minutes=1)
    world.bot.reply()

    assert (Status.BUILT, Status.REPLIED) == (waiting, world.status(post))
