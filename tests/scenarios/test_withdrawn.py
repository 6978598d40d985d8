"""What its author takes back: the build ends, or our reply and the app go; nothing else counts as taking back."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.errors import ClaimLost
from bot.ledger.conditions import ACCOUNT
from bot.ledger.views import Document
from guardrails.access import Caller, Role
from guardrails.documents import ClaimId, DeviceId, StrongRef
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from tests.facts import PURSE
from tests.scenarios.stages import CLAIM, POSTS, building, built, held, pending, received, replied, watch
from tests.scenarios.world import LANE, World

DELETE = "com.atproto.repo.deleteRecord"
OPERATOR = Caller(Role.OPERATOR, DeviceId("olga"))


def gone_reason(world: World, post: StrongRef) -> str | None:
    app = world.ledger.hosting.app(str(world.document(post).slug))
    return app.gone_reason if app is not None else None


OPEN: dict[Status, Callable[[World], StrongRef]] = {
    Status.RECEIVED: received,
    Status.AWAITING_APPROVAL: held,
    Status.PENDING_BUILD: pending,
    Status.BUILDING: building,
    Status.BUILT: built,
}


@pytest.mark.parametrize("status", OPEN)
def test_a_mention_deleted_before_its_answer_is_withdrawn(world: World, status: Status) -> None:
    """By the second look, without a word and without a like; the first one alone decides nothing."""
    post = OPEN[status](world)
    world.network.delete_record(post.uri)
    watch(world)
    first = world.document(post)
    world.bot.reply()
    watch(world)
    second = world.document(post)

    assert (status, True) == (first.status, first.absent_since is not None)
    assert (Status.SKIPPED, Reason.DELETED, False, False) == (
        second.status,
        second.reason,
        second.note_due,
        second.like_due,
    )
    world.bot.reply()
    assert [] == world.replies()


def test_a_build_stops_when_its_mention_is_deleted(world: World) -> None:
    """The lane hears it at its next heartbeat, and nobody else gets the ask."""
    post = building(world)
    world.network.delete_record(post.uri)
    watch(world, 2)

    with pytest.raises(ClaimLost):
        world.ledger.claims.heartbeat(LANE, CLAIM, "generating")
    assert world.ledger.claims.claim_next(LANE, ClaimId("claim-of-another-lane-00000"), "template", PURSE) is None


@pytest.mark.parametrize("every", [1, 60, 600])
def test_two_looks_less_than_a_minute_apart_are_one(world: World, every: float) -> None:
    """The AppView may be late, however often the bot is told to look."""
    world.settings = world.settings.model_copy(update={"watch_seconds": every})
    world.restart()
    post = pending(world)
    world.network.delete_record(post.uri)
    world.bot.watch()
    world.clock.shift += timedelta(seconds=58)
    world.bot.watch()
    early = world.status(post)
    world.clock.shift += timedelta(seconds=3)
    world.bot.watch()

    assert (Status.PENDING_BUILD, Status.SKIPPED) == (early, world.status(post))


def test_a_post_that_comes_back_begins_anew(world: World) -> None:
    """Twice absent counts only without a sight of it in between."""
    post = pending(world)
    for _ in range(3):
        world.network.takedown(post.uri)
        watch(world)
        world.network.takedown(post.uri, undo=True)
        watch(world)

    assert (Status.PENDING_BUILD, None) == (world.status(post), world.document(post).absent_since)


def away(world: World, did: str) -> Callable[[], None]:
    world.network.deactivate(did)
    return lambda: world.network.deactivate(did, undo=True)


def taken_down(world: World, did: str) -> Callable[[], None]:
    world.network.takedown(did)
    return lambda: world.network.takedown(did, undo=True)


def blocking(world: World, did: str) -> Callable[[], None]:
    block = world.network.block(did, world.network.account("wright.test").did)
    return lambda: world.network.delete_record(block.uri)


def unanswering(world: World, _did: str) -> Callable[[], None]:
    world.fails("status", POSTS, status=502, times=50)
    return world.network.faults.clear


@pytest.mark.parametrize("absence", [away, taken_down, blocking, unanswering])
def test_absence_alone_withdraws_nothing(world: World, absence: Callable[[World, str], Callable[[], None]]) -> None:
    """A build goes on, a reply stays; when its author is back, the ask is answered."""
    answered = replied(world)
    post = building(world)
    come_back = absence(world, world.network.account("alice.test").did)
    watch(world, 12)

    assert (Status.REPLIED, None) == (world.status(answered), world.document(answered).withdrawn_at)
    assert (Status.BUILDING, None) == (world.status(post), world.document(post).absent_since)
    come_back()
    world.clock.shift += world.settings.policy.lane.lease
    world.lane_builds()
    world.until_settled()
    assert (Status.REPLIED, 2) == (world.status(post), len(world.replies()))


def assert_taken_back(world: World, post: StrongRef) -> Document:
    document = world.document(post)
    assert (Status.REPLIED, []) == (document.status, world.replies())
    assert None not in (document.withdrawn_at, document.reply_deleted_at)
    assert "deleted" == gone_reason(world, post)
    (delete,) = [send for send in world.ledger.queries.sends(document.id) if send.op == "delete"]
    assert (f"delete:{document.reply_uri}", "answered", document.reply_uri) == (delete.key, delete.state, delete.uri)
    assert [] == world.ledger.queries.unsettled_sends()
    return document


def test_a_mention_deleted_after_its_answer_takes_reply_and_app_with_it(world: World) -> None:
    """Once; what we said is kept in the ledger, and another's answer stands."""
    other = replied(world)
    post = replied(world)
    world.network.delete_record(post.uri)
    watch(world)
    assert 2 == len(world.replies())
    for _ in range(3):
        world.clock.shift += timedelta(minutes=10, seconds=1)
        world.bot.watch()

    assert 1 == len(world.replies())
    assert (Status.REPLIED, None) == (world.status(other), gone_reason(world, other))
    world.network.delete_record(other.uri)
    watch(world)
    world.clock.shift += timedelta(minutes=10, seconds=1)
    watch(world, 2)
    document = assert_taken_back(world, post)
    assert_taken_back(world, other)
    assert 2 == len(world.network.calls_to(DELETE))
    reply, delete = [s for s in world.ledger.queries.sends(document.id) if s.key.startswith(("reply:", "delete:"))]
    assert (reply.record, reply.cid) == (delete.record, delete.cid)


@pytest.mark.parametrize(
    "kind", ["drop_request", "drop_answer", "close_mid_body", "broken_json", "error_after_commit", "rate_limit"]
)
def test_a_deletion_of_ours_is_repeated_until_it_is_done(world: World, kind: str) -> None:
    """Whatever becomes of a call, the reply is gone in the end; doing it twice does no harm."""
    post = replied(world)
    world.network.delete_record(post.uri)
    watch(world)
    world.fails(kind, DELETE, times=2)
    for _ in range(6):
        world.clock.shift += timedelta(minutes=11)
        world.bot.watch()

    assert_taken_back(world, post)


@pytest.mark.parametrize("kind", ["drop_answer", "drop_request"])
def test_a_mention_deleted_while_its_answer_is_under_way(world: World, kind: str) -> None:
    """The send settles first: what is out is taken back, what is surely not out is never said."""
    post = built(world)
    world.fails(kind)
    world.bot.reply()
    world.network.delete_record(post.uri)
    watch(world, 2)
    under_way = world.document(post)
    world.until_settled()
    watch(world)

    assert (Status.BUILT, True) == (under_way.status, under_way.withdrawn_at is not None)
    if kind == "drop_answer":
        assert_taken_back(world, post)
    else:
        assert (Status.ERROR, Reason.SEND_REFUSED, []) == (
            world.status(post),
            world.document(post).reason,
            world.replies(),
        )
    assert "deleted" == gone_reason(world, post)


def paused(world: World) -> Callable[[], object]:
    world.ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, "a bad day")
    return lambda: world.ledger.desk.release(OPERATOR, Switch.PAUSE_REPLIES)


def in_trouble(world: World) -> Callable[[], object]:
    world.ledger.conditions.set(ACCOUNT, "the account is labelled spam")
    return lambda: world.ledger.conditions.clear(ACCOUNT)


@pytest.mark.parametrize("quiet", [paused, in_trouble])
def test_a_bot_that_may_not_speak_deletes_nothing(world: World, quiet: Callable[[World], Callable[[], object]]) -> None:
    """It looks and takes the app down; the reply goes when it may speak again."""
    post = replied(world)
    world.network.delete_record(post.uri)
    watch(world)
    speak_again = quiet(world)
    watch(world, 3)

    assert (1, "deleted") == (len(world.replies()), gone_reason(world, post))
    speak_again()
    watch(world)
    assert_taken_back(world, post)


def test_a_network_that_does_not_answer_is_asked_once_a_round(world: World) -> None:
    """Though several replies are to be deleted; each call may take its whole deadline."""
    posts = [replied(world) for _ in range(3)]
    for post in posts:
        world.network.delete_record(post.uri)
    watch(world)
    world.fails("drop_request", DELETE, times=2)
    watch(world)
    first = len(world.network.calls_to(DELETE))
    watch(world, 10)

    assert 1 == first
    for post in posts:
        assert_taken_back(world, post)


def test_a_crash_after_the_deletion_leaves_nothing_to_do_twice(world: World) -> None:
    """The next process finds the reply gone, and the key answered or done again."""
    post = replied(world)
    world.network.delete_record(post.uri)
    watch(world)
    world.network.delete_record(str(world.document(post).reply_uri))
    world.restart()
    watch(world, 2)

    assert_taken_back(world, post)
