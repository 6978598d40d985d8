"""The same ask posted again joins the first: built once, and its author gets the link; without the first it is anew."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.jobs.rescue import rescue_once
from bot.speech import note
from bot.texts import Note
from guardrails.documents import POST_COLLECTION, StrongRef
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.mentions import BOT, OPERATOR
from tests.scenarios.asides import speaks_until_settled, texts
from tests.scenarios.stages import ASK, building, built, held, pending, received, replied, watch
from tests.scenarios.world import PUT, World, ruled

SAME = "@wright.test Make me a pomodoro timer!"


@pytest.fixture(autouse=True)
def usual_rules(world: World) -> None:
    """With little room, so that what is counted twice would not be built."""
    world.rules = ruled(caps={"author_per_hour": 1, "author_per_day": 1})


def again(world: World, by: str = "alice.test", text: str = SAME) -> StrongRef:
    """The same ask, posted once more and judged."""
    post = world.says(by, text)
    world.bot.ingest()
    return post


def declined(world: World) -> StrongRef:
    post = held(world)
    world.ledger.documents.stop(OPERATOR, world.document(post), Reason.DECLINED)
    return post


def failed(world: World) -> StrongRef:
    post = pending(world)
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")
    return post


def lost(world: World) -> StrongRef:
    post = building(world)
    world.clock.shift += timedelta(hours=25)
    rescue_once(world.ledger, BOT)
    return post


STANDS: dict[Status, Callable[[World], StrongRef]] = {
    Status.RECEIVED: received,
    Status.AWAITING_APPROVAL: held,
    Status.PENDING_BUILD: pending,
    Status.BUILDING: building,
    Status.BUILT: built,
    Status.REPLIED: replied,
}
OVER: dict[Status, Callable[[World], StrongRef]] = {
    Status.SKIPPED: declined,
    Status.BUILD_FAILED: failed,
    Status.ERROR: lost,
}


def link_of(world: World, first: StrongRef) -> str:
    """What is said to somebody who asked for the same before."""
    return note(Note.SAME_ASK, address=f"{world.settings.apps_url}/{world.document(first).slug}").text


@pytest.mark.parametrize("status", STANDS)
def test_an_ask_joins_one_that_stands(world: World, status: Status) -> None:
    """At each of its stages: nothing is built for it."""
    first = STANDS[status](world)
    second = again(world)
    document = world.document(second)

    assert status is world.status(first)
    assert (Status.SKIPPED, Reason.SAME_ASK) == (document.status, document.reason)
    assert world.document(first).id == document.joined_to


@pytest.mark.parametrize("status", OVER)
def test_an_ask_is_judged_by_itself_where_the_first_is_over(world: World, status: Status) -> None:
    """Its author may ask anew for what came to nothing."""
    OVER[status](world)

    assert Status.PENDING_BUILD is world.status(again(world))


def test_somebody_elses_ask_is_another_one(world: World) -> None:
    """And so is another ask of the same author, if only by a number."""
    world.rules = ruled()
    pending(world)

    assert Status.PENDING_BUILD is world.status(again(world, "bob.test"))
    assert Status.PENDING_BUILD is world.status(again(world, text="@wright.test make me a 50/10 pomodoro timer"))


def test_the_link_comes_when_the_first_is_answered(world: World) -> None:
    """Under the second post, once, and not before."""
    first = pending(world)
    second = again(world)
    world.bot.speak()
    before = texts(world)
    world.lane_builds()
    world.bot.reply()
    world.bot.speak()
    world.bot.speak()
    told = world.replies()[0]

    assert ([], 2) == (before, len(world.replies()))
    assert (link_of(world, first), second.model_dump()) == (told["text"], told["reply"]["parent"])


@pytest.mark.parametrize("kind", ["drop_request", "drop_answer", "error_after_commit"])
def test_a_fault_ends_in_one_link(world: World, kind: str) -> None:
    """Whatever becomes of the request or its answer."""
    first = replied(world)
    again(world)
    world.fails(kind, PUT, collection=POST_COLLECTION)
    speaks_until_settled(world)

    assert [link_of(world, first)] == texts(world)[:-1]


def test_the_second_hears_how_the_first_has_ended(world: World) -> None:
    """As the first does."""
    pending(world)
    again(world)
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")
    world.bot.speak()

    assert [note(Note.NOT_BUILT, reason="it needs a server").text] * 2 == texts(world)


def test_a_refusal_is_told_once_of_both(world: World) -> None:
    """It is the same whatever was asked."""
    first = held(world)
    again(world)
    world.ledger.documents.stop(OPERATOR, world.document(first), Reason.DECLINED)
    world.bot.speak()

    assert [note(Note.DECLINED).text] == texts(world)


def test_a_post_deleted_and_posted_again_within_a_minute_is_built_once(world: World) -> None:
    """And answered once, where it stands now; its author has room for no second one."""
    first = pending(world)
    world.clock.shift += timedelta(seconds=20)
    world.network.delete_record(first.uri)
    second = again(world, text=ASK)
    joined = world.status(second)
    watch(world, 2)
    world.bot.judge()
    world.lane_builds()
    world.bot.reply()
    world.bot.speak()
    (record,) = world.replies()

    assert Status.SKIPPED is joined
    assert (Reason.DELETED, Status.REPLIED) == (world.document(first).reason, world.status(second))
    assert second.model_dump() == record["reply"]["parent"]


def test_a_post_deleted_while_it_is_built_hands_its_place_to_the_second(world: World) -> None:
    """Its lane stops, and the next one builds for the second."""
    first = building(world)
    world.network.delete_record(first.uri)
    second = again(world)
    watch(world, 2)
    world.bot.judge()

    assert (Status.SKIPPED, Status.PENDING_BUILD) == (world.status(first), world.status(second))


def test_a_post_deleted_after_its_answer_is_built_anew_for_the_second(world: World) -> None:
    """The first answer, its app and the link to it are gone; the second does not count again."""
    first = replied(world)
    second = again(world)
    world.bot.speak()
    world.network.delete_record(first.uri)
    world.clock.shift += timedelta(minutes=10)
    watch(world, 2)
    world.bot.judge()
    status = world.status(second)
    world.lane_builds()
    world.bot.reply()

    assert (Status.PENDING_BUILD, Status.REPLIED) == (status, world.status(second))
    assert world.document(first).reply_deleted_at is not None
    assert [second.uri] == [record["reply"]["parent"]["uri"] for record in world.replies()]


def test_a_post_deleted_after_its_answer_and_posted_again_has_one_answer(world: World) -> None:
    """No link leads to what is about to go: it waits until the first is surely still there."""
    first = replied(world)
    world.network.delete_record(first.uri)
    world.clock.shift += timedelta(seconds=20)
    second = again(world)
    world.bot.speak()
    before = [record["reply"]["parent"]["uri"] for record in world.replies()]
    world.clock.shift += timedelta(minutes=10)
    for _ in range(3):
        watch(world)
        world.bot.judge()
        world.bot.speak()
    world.lane_builds()
    world.bot.reply()
    world.bot.speak()

    assert ([first.uri], Status.REPLIED) == (before, world.status(second))
    assert [second.uri] == [record["reply"]["parent"]["uri"] for record in world.replies()]


def test_the_link_waits_for_a_look_at_the_first(world: World) -> None:
    """An absence alone decides nothing: once the first is seen again, the second has its link."""
    first = replied(world)
    again(world)
    world.network.takedown(first.uri)
    world.bot.speak()
    before = len(texts(world))
    world.network.takedown(first.uri, undo=True)
    world.clock.shift += timedelta(minutes=6)
    world.bot.speak()

    assert 1 == before
    assert [link_of(world, first)] == texts(world)[:-1]


def test_a_link_for_which_no_answer_is_left_comes_on_the_next_day(world: World) -> None:
    """It is not lost for good."""
    world.rules = ruled(commands={"answers_per_day": 1})
    first = replied(world)
    world.says("alice.test", "@wright.test help")
    world.bot.ingest()
    world.bot.speak()
    again(world)
    world.bot.speak()
    same_day = texts(world)[:-1]
    midnight = world.ledger.db.time().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    world.clock.shift += midnight - world.ledger.db.time() + timedelta(minutes=1)
    world.bot.speak()

    assert [note(Note.HELP).text] == same_day
    assert link_of(world, first) == texts(world)[0]


@pytest.mark.parametrize("under", range(2))
@pytest.mark.parametrize("stage", [pending, replied])
def test_what_its_author_cancels_is_not_built_for_the_second(
    world: World, stage: Callable[[World], StrongRef], under: int
) -> None:
    """Be it said under the first post or under the second: whoever takes it back wants neither."""
    posts = [stage(world), again(world)]
    world.says("alice.test", "@wright.test cancel", posts[under])
    world.bot.ingest()
    world.bot.judge()
    watch(world)
    world.bot.speak()

    assert [True, True] == [world.document(post).withdrawn_at is not None for post in posts]
    assert 0 == world.ledger.pages.counts()[Status.PENDING_BUILD]
    assert [note(Note.TAKEN_BACK).text] == texts(world)


def test_a_crash_between_withdrawal_and_reopening_is_mended(world: World) -> None:
    """The first was withdrawn by a process that then was gone."""
    first = pending(world)
    second = again(world)
    world.ledger.documents.withdraw(BOT, world.document(first), Reason.DELETED)
    rescue_once(world.ledger, BOT)
    world.bot.judge()

    assert Status.PENDING_BUILD is world.status(second)
