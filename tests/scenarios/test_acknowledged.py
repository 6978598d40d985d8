"""A like says that an ask was taken on: once, on the mention, and never at the cost of the reply."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.bluesky.errors import CallFailed
from bot.bluesky.likes import LIKE_COLLECTION
from bot.ledger.conditions import ACCOUNT
from bot.ledger.policy import Caps, LedgerPolicy
from guardrails.documents import POST_COLLECTION, StrongRef, split_at_uri
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from tests.ledger_fixtures import OpenLedger
from tests.mentions import BOT, OPERATOR
from tests.scenarios.asides import asked, held, likes, nothing_to_build, speaks_until_settled
from tests.scenarios.world import PUT, World

LISTED = "com.atproto.repo.listRecords"


def test_an_ask_that_is_taken_on_is_liked_once(world: World) -> None:
    """The like is on the mention as it was read; its author is told, and the ledger has nothing left to do."""
    post = asked(world)
    world.bot.speak()
    world.bot.speak()

    (told,) = [each for each in world.network.notifications(split_at_uri(post.uri).did) if each["reason"] == "like"]

    assert [post.model_dump()] == likes(world)
    assert post.uri == told["reasonSubject"]
    assert not world.document(post).like_due


def test_an_ask_that_waits_for_a_person_is_liked_and_not_again_when_approved(world: World) -> None:
    """Taken on is taken on."""
    document = held(world)
    world.bot.speak()
    world.ledger.documents.approve(OPERATOR, world.ledger.queries.document(document.id))
    world.bot.speak()

    assert [document.mention.post.model_dump()] == likes(world)
    assert not world.ledger.queries.document(document.id).like_due


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("kind", ["drop_request", "drop_answer", "broken_json", "error_after_commit", "rate_limit"])
def test_a_fault_ends_in_one_like(world: World, kind: str, times: int) -> None:
    """Whatever becomes of the request or its answer; the document goes its way."""
    post = asked(world)
    world.fails(kind, collection=LIKE_COLLECTION, times=times)
    speaks_until_settled(world)

    assert [post.model_dump()] == likes(world)
    assert Status.PENDING_BUILD is world.status(post)


def test_a_process_that_dies_after_the_like_finds_it(world: World) -> None:
    """Its put was answered to nobody, and the next process sends no second one."""
    post = asked(world)
    world.fails("drop_answer", collection=LIKE_COLLECTION)
    world.bot.speak()
    world.restart()
    speaks_until_settled(world)

    assert [post.model_dump()] == likes(world)
    assert ["answered"] == [send.state for send in world.ledger.queries.sends(world.document(post).id)]


def test_a_refused_like_is_no_error_of_the_document(world: World) -> None:
    """It is not tried again, and the ask is built and answered."""
    post = asked(world)
    world.fails("status", collection=LIKE_COLLECTION, status=400, body={"error": "InvalidRequest", "message": "no"})
    world.bot.speak()
    world.bot.speak()
    world.lane_builds()
    world.bot.reply()

    assert [] == likes(world)
    assert Status.REPLIED is world.status(post)


def withdrawn(world: World, post: StrongRef) -> None:
    world.ledger.documents.withdraw(BOT, world.document(post), Reason.CANCELLED)


def gone(world: World, post: StrongRef) -> None:
    world.network.delete_record(post.uri)


def blocked(world: World, post: StrongRef) -> None:
    alice, wright = (world.network.account(handle).did for handle in ("alice.test", "wright.test"))
    world.network.block(alice, wright)


def too_late(world: World, post: StrongRef) -> None:
    world.clock.shift += timedelta(hours=25)


@pytest.mark.parametrize("meanwhile", [withdrawn, gone, blocked, too_late])
def test_there_is_nothing_to_like_any_more(world: World, meanwhile: Callable[[World, StrongRef], None]) -> None:
    """Nothing is sent, and nothing waits for ever."""
    post = asked(world)
    meanwhile(world, post)
    world.bot.speak()

    assert [] == likes(world)
    assert not world.document(post).like_due


@pytest.mark.parametrize("meanwhile", [withdrawn, blocked, too_late])
def test_a_like_that_was_not_sent_is_let_go(world: World, meanwhile: Callable[[World, StrongRef], None]) -> None:
    """The claim is settled as refused, and the document does not move for it."""
    post = asked(world)
    world.fails("drop_request", collection=LIKE_COLLECTION)
    world.bot.speak()
    meanwhile(world, post)
    before = world.status(post)
    world.clock.shift += timedelta(minutes=11)
    world.bot.speak()

    assert [] == likes(world)
    assert ["refused"] == [send.state for send in world.ledger.queries.sends(world.document(post).id)]
    assert before is world.status(post)


def test_a_look_that_tells_nothing_is_taken_again(world: World) -> None:
    """The AppView does not answer: the like waits."""
    post = asked(world)
    world.fails("status", "app.bsky.feed.getPosts", status=502)
    assert 1 == world.bot.speak().waiting

    world.bot.speak()
    assert [post.model_dump()] == likes(world)


def test_nothing_else_is_liked(world: World) -> None:
    """Neither what nobody will build, nor what an operator asked in the place of its author."""
    nothing_to_build(world)
    post = asked(world)
    mention = world.document(post).mention.model_copy(
        update={"by_operator": True, "post": world.says("bob.test", "I wish I had a timer")}
    )
    world.ledger.documents.receive(OPERATOR, [mention], Reason.ASKED_BY_OPERATOR)
    world.bot.judge()
    world.bot.speak()

    assert Status.PENDING_BUILD is world.status(mention.post)
    assert [post.model_dump()] == likes(world)


def test_likes_may_be_switched_off(world: World) -> None:
    """By a setting; what was due is not caught up on later."""
    world.settings = world.settings.model_copy(update={"likes": False})
    world.restart()
    asked(world)
    world.bot.speak()
    world.settings = world.settings.model_copy(update={"likes": True})
    world.restart()
    world.bot.speak()

    assert [] == likes(world)


def test_nothing_is_said_while_replies_are_paused_or_the_account_is_in_trouble(world: World) -> None:
    """It is said once they are not."""
    post = asked(world)
    world.ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, "a quiet hour")
    assert world.bot.speak().paused
    world.ledger.desk.release(OPERATOR, Switch.PAUSE_REPLIES)
    world.ledger.conditions.set(ACCOUNT, "the account is labelled spam")
    assert world.bot.speak().paused
    assert [] == likes(world)

    world.ledger.conditions.clear(ACCOUNT)
    world.bot.speak()
    assert [post.model_dump()] == likes(world)


def test_nothing_is_said_before_the_repository_was_looked_at(world: World) -> None:
    """A start that cannot list our own posts says nothing."""
    asked(world)
    world.restart()
    world.fails("status", LISTED, status=502, times=2)
    with pytest.raises(CallFailed):
        world.bot.speak()

    assert [] == likes(world)


def test_write_points_are_left_to_the_replies(world: World, open_test_ledger: OpenLedger) -> None:
    """Near the budget a like waits, while the reply goes out."""
    world.ledger = open_test_ledger(LedgerPolicy(write_points=Caps(per_hour=2, per_day=100)))
    world.restart()
    post = asked(world)
    assert 1 == world.bot.speak().waiting
    world.lane_builds()
    world.bot.reply()

    assert ([], Status.REPLIED) == (likes(world), world.status(post))
    assert [POST_COLLECTION] == [call.collection for call in world.network.calls_to(PUT)]
