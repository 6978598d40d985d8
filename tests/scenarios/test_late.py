"""A put that lands after it was given up: it is found, it is ours, and nothing is ever sent beside it."""

from datetime import timedelta

import pytest

from bot.bluesky.likes import LIKE_COLLECTION
from bot.errors import LostRace
from bot.jobs.sending import Voice, resume
from bot.ledger.usage import POINTS, Priority, used
from bot.ledger.views import Send
from guardrails.documents import POST_COLLECTION, StrongRef
from guardrails.tid import TidClock
from guardrails.transitions import Reason, Status
from tests.mentions import BOT, OPERATOR
from tests.scenarios.stages import built, pending, watch
from tests.scenarios.test_pace import on_the_hour
from tests.scenarios.world import PUT, World

GET = "com.atproto.repo.getRecord"


def given_up(world: World, *, withdrawn: bool) -> tuple[StrongRef, Send]:
    """An ask whose reply is on its way when it is given up: its author took it back, or shut the door."""
    post = built(world)
    world.fails("drop_request")
    world.bot.reply()
    if withdrawn:
        world.says("alice.test", "@wright.test cancel", post)
        world.bot.ingest()
    else:
        world.network.gate(post.uri, [])
    world.clock.shift += timedelta(minutes=11)
    world.bot.reply()
    assert Status.ERROR is world.status(post)
    return post, reply_to(world, post)


def reply_to(world: World, post: StrongRef) -> Send:
    return world.ledger.queries.send(f"reply:{world.document(post).id}")


def lands(world: World, send: Send) -> None:
    """The put arrives at last."""
    world.network.put_record(world.network.account("wright.test").did, send.collection, send.rkey, send.record)


def looks_again(world: World) -> None:
    world.clock.shift += timedelta(seconds=66)
    world.bot.reply()


def test_what_lands_after_its_withdrawal_is_taken_back(world: World) -> None:
    """Though the document ended in error long ago."""
    post, send = given_up(world, withdrawn=True)
    lands(world, send)
    looks_again(world)
    found = (world.status(post), reply_to(world, post).state, len(world.replies()))
    watch(world)
    document = world.document(post)

    assert (Status.ERROR, "answered", 1) == found
    assert (Status.ERROR, []) == (document.status, world.replies())
    assert None not in (document.withdrawn_at, document.reply_deleted_at)


def test_what_lands_after_a_refusal_is_the_answer(world: World) -> None:
    """A person who has it sent again sends nothing."""
    post, send = given_up(world, withdrawn=False)
    lands(world, send)
    looks_again(world)
    world.ledger.documents.send_again(OPERATOR, world.document(post))
    puts = len(world.network.calls_to(PUT))
    world.bot.reply()

    assert (Status.REPLIED, Reason.ADOPTED) == (world.status(post), world.document(post).reason)
    assert (1, puts) == (len(world.replies()), len(world.network.calls_to(PUT)))


def test_nothing_is_sent_again_before_the_look(world: World) -> None:
    """A person is quick; the put that was given up is not, and lands after that."""
    post, send = given_up(world, withdrawn=False)
    world.network.delete_record(world.network.repo(post.uri.split("/")[2], "app.bsky.feed.threadgate")[0]["uri"])
    world.ledger.documents.send_again(OPERATOR, world.document(post))
    world.bot.reply()
    early = world.replies()
    lands(world, send)
    looks_again(world)

    assert [] == early
    assert (Status.REPLIED, 1) == (world.status(post), len(world.replies()))


def test_what_its_author_took_back_is_not_answered_after_all(world: World) -> None:
    """Nobody opens its document again, and nothing is said."""
    post, _ = given_up(world, withdrawn=True)
    looks_again(world)
    with pytest.raises(LostRace):
        world.ledger.documents.send_again(OPERATOR, world.document(post))
    world.bot.reply()

    assert (Status.ERROR, []) == (world.status(post), world.replies())


def test_what_never_lands_is_looked_for_once(world: World) -> None:
    """After that the key is free, and a person may have it sent."""
    post, _ = given_up(world, withdrawn=False)
    before = len(world.network.calls_to(GET))
    for _ in range(3):
        looks_again(world)
    looks = len(world.network.calls_to(GET)) - before
    world.network.delete_record(world.network.repo(post.uri.split("/")[2], "app.bsky.feed.threadgate")[0]["uri"])
    world.ledger.documents.send_again(OPERATOR, world.document(post))
    world.bot.reply()

    assert 1 == looks
    assert (Status.REPLIED, 1) == (world.status(post), len(world.replies()))


def test_a_look_that_tells_nothing_is_repeated(world: World) -> None:
    """Nobody wins the key meanwhile."""
    post, send = given_up(world, withdrawn=True)
    lands(world, send)
    world.fails("status", GET, status=502)
    looks_again(world)
    unclear = reply_to(world, post).state
    world.clock.shift += timedelta(minutes=11)
    world.bot.reply()

    assert ("refused", "answered") == (unclear, reply_to(world, post).state)


def test_what_may_still_land_is_shown_until_it_was_looked_for(world: World) -> None:
    """To operators, as what is unknown is; each look that tells nothing waits longer than the one before."""
    post, send = given_up(world, withdrawn=False)
    shown = [each.key for each in world.ledger.queries.unsettled_sends()]
    world.fails("status", GET, status=502, times=4)
    waits = []
    for _ in range(4):
        world.clock.shift += timedelta(minutes=10, seconds=1)
        world.bot.reply()
        present = reply_to(world, post)
        assert present.next_try_at is not None
        waits.append(present.next_try_at - world.ledger.db.time())
    world.clock.shift += timedelta(minutes=11)
    world.bot.reply()

    assert [send.key] == shown
    assert all(timedelta(minutes=9) < wait for wait in waits)
    assert [] == world.ledger.queries.unsettled_sends()


def test_a_put_that_lands_after_its_deletion_is_deleted_again(world: World) -> None:
    """The first try of the reply was on its way all the time, over a restart."""
    post = built(world)
    world.fails("drop_request")
    world.bot.reply()
    world.clock.shift += timedelta(minutes=2)
    world.bot.reply()
    send = reply_to(world, post)
    world.says("alice.test", "@wright.test delete", post)
    world.bot.ingest()
    world.bot.watch()
    gone = len(world.replies())
    lands(world, send)
    world.restart()
    watch(world, 2)

    assert (0, 0) == (gone, len(world.replies()))
    assert None is not world.document(post).reply_deleted_at


def test_after_a_deletion_of_what_was_tried_once_nothing_is_looked_for(world: World) -> None:
    """Nothing else can be on its way; and of what can be, not for ever."""
    post = built(world)
    world.bot.reply()
    world.says("alice.test", "@wright.test delete", post)
    world.bot.ingest()
    world.bot.watch()
    before = len(world.network.calls_to(GET))
    world.clock.shift += timedelta(hours=2)
    world.bot.watch()

    assert before == len(world.network.calls_to(GET))


def test_a_look_after_a_deletion_ends(world: World) -> None:
    """After half an hour no put is on its way any more."""
    post = built(world)
    world.fails("drop_request")
    world.bot.reply()
    world.clock.shift += timedelta(minutes=2)
    world.bot.reply()
    world.says("alice.test", "@wright.test delete", post)
    world.bot.ingest()
    world.bot.watch()
    before = len(world.network.calls_to(GET))
    for _ in range(5):
        world.clock.shift += timedelta(hours=3)
        world.bot.watch()

    assert before + 1 == len(world.network.calls_to(GET))


def test_something_else_that_landed_there_is_not_ours(world: World) -> None:
    """It settles nothing and is left alone, and a person is told."""
    post, send = given_up(world, withdrawn=True)
    did = world.network.account("wright.test").did
    world.network.put_record(did, POST_COLLECTION, send.rkey, send.record | {"text": "not ours"})
    looks_again(world)
    watch(world)

    (shown,) = world.ledger.queries.unsettled_sends()

    assert ("refused", 1) == (reply_to(world, post).state, len(world.replies()))
    assert "another record is there" in str(shown.conflict)


def test_a_late_reply_goes_with_its_mention(world: World) -> None:
    """Its document is in error, and its author deletes the post."""
    post, send = given_up(world, withdrawn=False)
    lands(world, send)
    looks_again(world)
    world.network.delete_record(post.uri)
    watch(world)
    world.clock.shift += timedelta(minutes=11)
    watch(world, 2)

    assert (Status.ERROR, []) == (world.status(post), world.replies())
    assert world.document(post).reply_deleted_at is not None


def test_a_late_like_is_known_of(world: World) -> None:
    """It was given up when it was not worth a try any more."""
    post = pending(world)
    world.fails("drop_request")
    world.bot.speak()
    (like,) = world.ledger.queries.sends(world.document(post).id)
    world.clock.shift += timedelta(hours=25)
    world.bot.speak()
    refused = world.ledger.queries.send(like.key).state
    lands(world, like)
    world.clock.shift += timedelta(minutes=11)
    world.bot.speak()

    assert (LIKE_COLLECTION, "refused", "answered") == (
        like.collection,
        refused,
        world.ledger.queries.send(like.key).state,
    )


def test_of_two_bots_that_try_again_one_pays(world: World) -> None:
    """The other has lost the race, and no write points."""
    on_the_hour(world)
    post = built(world)
    world.fails("drop_request")
    world.bot.reply()
    stale = reply_to(world, post)
    world.ledger.sends.begin_try(stale)
    voice = Voice(world.ledger, world.bot.presence.account(), BOT, TidClock(world.clock, 1), world.clock, lambda: False)
    with pytest.raises(LostRace):
        resume(voice, stale, Priority.REPLY)

    with world.ledger.db.read() as connection:
        assert 2 == used(connection, POINTS, f"{world.ledger.db.time():%Y-%m-%dT%H}")
