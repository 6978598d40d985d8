"""What operators take down: the app and our reply go, nothing opens it again, and the same ask waits for a person."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from bot.errors import ClaimLost
from bot.jobs.rescue import rescue_once
from bot.ledger.hosting import App
from bot.ledger.selection import Ref
from bot.operations.doing import Act, Deed, Ending, Outcome
from bot.operations.port import Operations
from bot.pages.standing import Gone, standing_of
from bot.public import has_page
from bot.rules import RulesFile
from bot.steering import operations_of_bot
from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.bot.ledger.steps import done
from tests.mentions import BOT, OPERATOR
from tests.scenarios.stages import ASK, CLAIM, building, built, pending, replied, watch
from tests.scenarios.world import LANE, World, ruled

LIKE_IT = "@wright.test Make me a  Pomodoro Timers"


@pytest.fixture(autouse=True)
def usual_rules(world: World) -> None:
    """With the same ask looked for, as usual."""
    world.rules = ruled(caps={"author_per_hour": 9, "author_per_day": 9})


def operations(world: World) -> Operations:
    """Olga's."""
    presence = world.bot.presence
    return operations_of_bot(world.settings, world.ledger, RulesFile(None), presence.account)(OPERATOR)


def does(world: World, post: StrongRef, deed: Deed, action: str = "olga-1", *, keep_reply: bool = False) -> Outcome:
    """Olga does something to what was asked in a post, as she sees it now."""
    document = world.document(post)
    act = Act(deed, Ref(document.id, document.version), action, "a complaint", keep_reply=keep_reply)
    (outcome,) = operations(world).act([act])
    return outcome


def asks(world: World, said: str = ASK, by: str = "bob.test") -> StrongRef:
    post = world.says(by, said)
    world.bot.ingest()
    return post


def page_of(world: World, post: StrongRef) -> object:
    return standing_of(world.ledger, str(world.document(post).slug))


def app_of(world: World, post: StrongRef) -> App:
    app = world.ledger.hosting.app(str(world.document(post).slug))
    assert app is not None
    return app


def test_a_taken_down_app_is_gone_with_our_reply_and_its_ask_waits_for_a_person(world: World) -> None:
    """It stays replied, with a mark. The same ask is held, whoever makes it, and alice's own with a small change."""
    post = replied(world)
    outcome = does(world, post, Deed.TAKE_DOWN)
    world.bot.watch()
    document = world.document(post)

    assert (Ending.DONE, "it is taken down for good; our reply is deleted next") == (outcome.ending, outcome.told)
    assert (Status.REPLIED, True, []) == (document.status, document.taken_down_at is not None, world.replies())
    assert Gone("It was taken down.") == page_of(world, post)
    for who, said in (("bob.test", ASK), ("carol.test", ASK.upper()), ("alice.test", LIKE_IT)):
        again = world.document(asks(world, said, who))
        assert (Status.AWAITING_APPROVAL, Reason.TAKEN_DOWN_BEFORE) == (again.status, again.reason)
        assert document.id == again.detail
    assert Status.PENDING_BUILD is world.status(asks(world, "@wright.test make me a tip splitter", "alice.test"))


def test_nothing_opens_again_what_was_taken_down(world: World) -> None:
    """Neither a person nor its author, and its author's deleting the post changes nothing that is said of it."""
    post = pending(world)
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="no template fits")
    does(world, post, Deed.TAKE_DOWN)
    retried = does(world, post, Deed.RETRY, "olga-2")
    command = world.says("alice.test", "@wright.test retry", post)
    world.bot.ingest()

    assert (Ending.NOT_ALLOWED, "it was taken down for good") == (retried.ending, retried.told)
    assert (Status.SKIPPED, Status.BUILD_FAILED) == (world.status(command), world.status(post))
    world.network.delete_record(post.uri)
    watch(world, 2)
    assert Reason.TAKEN_DOWN.value == app_of(world, post).gone_reason


def test_our_reply_can_be_kept(world: World) -> None:
    """What is not out yet does not go out all the same; a kept one goes when its author takes the post back."""
    post = replied(world)
    outcome = does(world, post, Deed.TAKE_DOWN, keep_reply=True)
    world.bot.watch()

    assert "it is taken down for good; our reply stays" == outcome.told
    assert not has_page(world.document(post), world.document(post))
    assert 1 == len(world.replies())
    assert Gone("It was taken down.") == page_of(world, post)
    world.network.delete_record(post.uri)
    world.clock.shift += timedelta(minutes=10)
    watch(world, 2)
    assert [] == world.replies()


@pytest.mark.parametrize(("kind", "end"), [("drop_answer", Status.REPLIED), ("drop_request", Status.ERROR)])
def test_a_reply_that_may_be_out_is_settled_before_it_is_deleted(world: World, kind: str, end: Status) -> None:
    """The key settles first, wherever the try has ended; then it goes, or is never sent."""
    post = built(world)
    world.fails(kind)
    world.fails("drop_request", "com.atproto.repo.getRecord", times=2)
    world.bot.reply()
    outcome = does(world, post, Deed.TAKE_DOWN)
    on_its_way = world.document(post)
    world.until_settled()
    watch(world, 2)
    document = world.document(post)

    assert (Status.BUILT, True) == (on_its_way.status, on_its_way.sending)
    assert outcome.told.endswith("its reply is on its way, and is deleted once that is settled")
    assert [] == world.replies()
    assert (end, False) == (document.status, document.sending)
    assert Gone("It was taken down.") == page_of(world, post)


def test_a_late_publish_is_refused(world: World) -> None:
    """C97: a take-down while a build is running; the address is burnt all the same."""
    post = building(world)
    outcome = does(world, post, Deed.TAKE_DOWN)
    document = world.document(post)

    assert (Status.SKIPPED, Reason.TAKEN_DOWN, Ending.DONE) == (document.status, document.reason, outcome.ending)
    with pytest.raises(ClaimLost):
        world.ledger.hosting.store(LANE, CLAIM, "0" * 64, {"index.html": b"late"})
    with pytest.raises(ClaimLost):
        world.ledger.claims.report(LANE, CLAIM, done())
    assert Gone("It was taken down.") == page_of(world, post)


def test_the_same_action_takes_down_once(world: World) -> None:
    """Pressed twice, or sent again since the answer was lost."""
    post = replied(world)
    document = world.document(post)
    act = Act(Deed.TAKE_DOWN, Ref(document.id, document.version), "olga-1", "a complaint")
    first, second = operations(world).act([act, act])
    (third,) = operations(world).act([act])

    assert first == second == third
    assert [("take_down", document.id, "a complaint", "olga-1")] == [
        (row.action, row.target, row.detail, row.action_id) for row in world.ledger.audit.rows(None, 9)
    ]


def test_a_deleted_app_may_be_asked_for_again(world: World) -> None:
    """It is gone with our reply, and says who has removed it; but nobody is kept from asking."""
    post = replied(world)
    outcome = does(world, post, Deed.DELETE)
    world.bot.watch()

    assert (Ending.DONE, Status.REPLIED, []) == (outcome.ending, outcome.status, world.replies())
    assert Gone("The people who run this bot have removed it.") == page_of(world, post)
    assert Status.PENDING_BUILD is world.status(asks(world, by="alice.test"))
    assert Ending.DONE is does(world, post, Deed.TAKE_DOWN, "olga-2").ending
    assert Gone("It was taken down.") == page_of(world, post)


@pytest.mark.parametrize("deed", [Deed.DELETE, Deed.TAKE_DOWN])
def test_whoever_joined_the_ask_keeps_no_link_to_it(world: World, deed: Deed) -> None:
    """And is not judged afresh in its place."""
    post = replied(world)
    second = asks(world, by="alice.test")
    world.bot.speak()
    before = len(world.replies())
    does(world, post, deed)
    for _ in range(2):
        watch(world)
        rescue_once(world.ledger, BOT)

    assert (2, 0) == (before, len(world.replies()))
    assert (Status.SKIPPED, Reason.SAME_ASK) == (world.status(second), world.document(second).reason)
    assert Ending.NOT_ALLOWED is does(world, second, Deed.JUDGE_AGAIN, "olga-2").ending


def test_all_of_an_author_goes_at_once(world: World) -> None:
    """What is open is stopped, what is answered goes; bob's stays. The same action again tells the same."""
    answered, others = replied(world), asks(world)
    waiting = asks(world, "@wright.test make me a tip splitter", "alice.test")
    thanks = asks(world, "@wright.test thanks", "alice.test")
    first = operations(world).take_down_author("alice.test", "spam", "olga-1")
    again = operations(world).take_down_author("alice.test", "spam", "olga-1")
    world.bot.watch()

    assert {world.document(answered).id, world.document(waiting).id} == {outcome.id for outcome in first}
    assert [Ending.DONE, Ending.DONE] == [outcome.ending for outcome in first]
    assert [(each.id, each.ending) for each in first] == [(each.id, each.ending) for each in again]
    assert (Status.SKIPPED, Reason.TAKEN_DOWN) == (world.status(waiting), world.document(waiting).reason)
    assert (Status.REPLIED, Status.PENDING_BUILD) == (world.status(answered), world.status(others))
    assert Reason.THANKS is world.document(thanks).reason
    assert [] == world.replies()
    assert ["take_down", "take_down", "take_down_author"] == [row.action for row in world.ledger.audit.rows(None, 9)]


def test_an_app_that_lives_elsewhere_is_for_its_lane_to_remove(world: World) -> None:
    """The bot says 410 here, and tells operators what is left to do."""
    post = replied(world)
    with world.ledger.db.write() as connection:
        connection.execute(text("UPDATE apps SET address = 'https://pages.example/timer/'"))
    told = does(world, post, Deed.TAKE_DOWN).told

    left = f"skywright-builder unpublish {world.document(post).slug}"
    assert told.startswith("it is taken down for good; our reply is deleted next; at https://pages.example/timer/")
    assert left in told
