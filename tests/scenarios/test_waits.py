"""What is told beside ends: a full cap once a day with its hour, a revision once a conversation, and much is not."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from bot.jobs.notes import LATE
from bot.ledger.conditions import ACCOUNT
from bot.ledger.purse import Purse, purse_of
from bot.public import page_address
from bot.speech import capped, note
from bot.texts import Note
from guardrails.caps import Cap
from guardrails.documents import POST_COLLECTION, ClaimId, Did, StrongRef
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.documents import newest
from tests.mentions import OPERATOR
from tests.scenarios.asides import asked, likes, speaks_until_settled, texts
from tests.scenarios.stages import POSTS, received, replied
from tests.scenarios.test_pace import on_the_hour
from tests.scenarios.world import LANE, World, ruled

ONE = ruled(caps={"author_per_hour": 1})


def one_too_many(world: World, text: str = "make me a clock", by: str = "alice.test") -> StrongRef:
    """An ask beyond the hour's only one."""
    world.rules = ONE
    on_the_hour(world)
    asked(world, "@wright.test make me a to-do list", by)
    return asked(world, f"@wright.test {text}", by)


def full(world: World, *, goes_on: bool = True, cap: Cap = Cap.AUTHOR_HOUR) -> str:
    """What is said of a cap that is full for the rest of the hour."""
    return capped(cap, next_hour(world), goes_on=goes_on).text


def next_hour(world: World) -> datetime:
    return world.ledger.db.time().replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


def test_a_full_cap_is_told_with_its_hour(world: World) -> None:
    """At once, under the ask, which then goes on by itself and is not told of again."""
    post = one_too_many(world)
    world.bot.speak()
    world.bot.speak()
    (record,) = world.replies()
    line, before = full(world), world.status(post)
    on_the_hour(world)
    world.bot.judge()
    world.bot.speak()

    assert (line, post.uri) == (record["text"], record["reply"]["parent"]["uri"])
    assert f"{next_hour(world) - timedelta(hours=1):%H}:00 UTC" in line
    assert (Status.RECEIVED, Status.PENDING_BUILD) == (before, world.status(post))
    assert [line] == texts(world)


def test_a_full_cap_is_told_to_an_author_once_a_day(world: World) -> None:
    """However many asks wait, and however many caps are full; another author has a line of their own."""
    first = one_too_many(world)
    world.bot.speak()
    line = full(world)
    asked(world, "@wright.test make me a metronome")
    world.bot.speak()
    asked(world, "@wright.test make me a poll", "bob.test")
    asked(world, "@wright.test make me a quiz", "bob.test")
    world.bot.speak()
    on_the_hour(world)
    world.bot.judge()
    world.bot.speak()

    assert [line, line] == texts(world)
    assert Status.PENDING_BUILD is world.status(first)


def test_a_full_cap_is_told_again_on_another_day(world: World) -> None:
    """By then the author has asked for something new."""
    one_too_many(world)
    world.bot.speak()
    world.clock.shift += timedelta(days=1)
    world.bot.judge()
    on_the_hour(world)
    asked(world, "@wright.test make me a metronome")
    asked(world, "@wright.test make me a compass")
    world.bot.speak()

    assert full(world) == texts(world)[0]
    assert 2 == len(texts(world))


def test_where_nothing_waits_the_hour_is_when_to_ask_again(world: World) -> None:
    """By a rule; the ask is skipped."""
    world.rules = ruled(caps={"author_per_hour": 1, "when_full": "skip"})
    on_the_hour(world)
    asked(world, "@wright.test make me a to-do list")
    post = asked(world, "@wright.test make me a clock")
    world.bot.speak()
    document = world.document(post)

    assert (Status.SKIPPED, Reason.CAPPED) == (document.status, document.reason)
    assert [full(world, goes_on=False)] == texts(world)


@pytest.mark.parametrize("kind", ["drop_request", "drop_answer", "broken_json", "error_after_commit"])
def test_a_fault_ends_in_one_line(world: World, kind: str) -> None:
    """The ask is judged again in its time, whatever becomes of the line."""
    post = one_too_many(world)
    due, line = world.document(post).not_before, full(world)
    world.fails(kind, collection=POST_COLLECTION)
    speaks_until_settled(world)

    assert [line] == texts(world)
    assert due == world.document(post).not_before


def test_a_line_that_comes_too_late_is_let_go(world: World) -> None:
    """It was not sent while the ask waited; now that ends another way, which is told instead."""
    post = one_too_many(world)
    world.fails("drop_request", collection=POST_COLLECTION)
    world.bot.speak()
    on_the_hour(world)
    world.bot.judge()
    for _ in range(2):
        world.lane_builds(outcome=BuildOutcome.REFUSED, reason="too big")
    world.bot.speak()

    assert [note(Note.NOT_BUILT, reason="too big").text] * 2 == texts(world)
    assert Status.BUILD_FAILED is world.status(post)


def test_an_ask_that_cannot_be_seen_for_a_moment_is_told_when_it_can(world: World) -> None:
    """And is judged again in its time all the same."""
    post = one_too_many(world)
    due = world.document(post).not_before
    world.fails("status", POSTS, status=502, times=3)
    world.bot.speak()
    silent = texts(world)
    world.network.faults.clear()
    world.bot.speak()

    assert ([], [full(world)]) == (silent, texts(world))
    assert due == world.document(post).not_before


def out_of_money(world: World) -> StrongRef:
    """An ask that was taken on, but whose author's day is spent when a lane comes for it."""
    world.rules = ruled(money={"estimate_usd": 0.05, "build_usd": 0.1, "author_day_usd": 0.1})
    asked(world, "@wright.test make me a to-do list")
    post = asked(world, "@wright.test make me a clock")
    world.lane_builds(cost_micros=100_000)
    claimed = world.ledger.claims.claim_next(LANE, ClaimId("claim-of-a-lane-in-vain-000"), "template", purse())
    assert (None, Status.PENDING_BUILD) == (claimed, world.status(post))
    return post


def purse() -> Purse:
    return purse_of(ruled(money={"estimate_usd": 0.05, "build_usd": 0.1, "author_day_usd": 0.1}))


def tomorrow(world: World) -> datetime:
    return world.ledger.db.time().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)


def test_an_author_whose_money_is_spent_before_the_build_is_told(world: World) -> None:
    """As of any cap: once, with the hour at which it goes on, and then it does."""
    post = out_of_money(world)
    line = capped(Cap.AUTHOR_MONEY, tomorrow(world), goes_on=True).text
    world.bot.speak()
    world.bot.speak()
    (record,) = world.replies()
    world.clock.shift += tomorrow(world) - world.ledger.db.time() + timedelta(minutes=1)
    world.lane_builds()

    assert (line, post.uri) == (record["text"], record["reply"]["parent"]["uri"])
    assert Status.BUILT is world.status(post)


def test_status_says_what_an_ask_without_money_waits_for(world: World) -> None:
    """Until there is some again; where everybody sees it, too."""
    post = out_of_money(world)
    page = page_address(world.settings.apps_url, world.document(post)) or ""
    line = capped(Cap.AUTHOR_MONEY, tomorrow(world), goes_on=True, address=page).text
    asked(world, "@wright.test make me a clock")
    lines = []
    for wait in (timedelta(), tomorrow(world) - world.ledger.db.time() + timedelta(minutes=1)):
        world.clock.shift += wait
        world.says("alice.test", "@wright.test status", post)
        world.bot.ingest()
        world.bot.speak()
        lines.append(texts(world)[0])

    assert [line, note(Note.IS_QUEUED, address=page).text] == lines


def test_an_ask_without_money_is_not_hurried_by_a_mention_that_cannot_be_seen(world: World) -> None:
    """It waits as long as it did; the line comes when the mention can be seen."""
    post = out_of_money(world)
    before = world.document(post).not_before
    world.fails("status", POSTS, status=502, times=2)
    world.bot.speak()
    after, said = world.document(post).not_before, len(texts(world))
    world.bot.speak()

    assert (before, 0, 1) == (after, said, len(texts(world)))


def test_an_ask_that_is_not_there_is_not_told(world: World) -> None:
    """It is looked at again when it is judged."""
    post = one_too_many(world)
    world.network.takedown(post.uri)
    world.bot.speak()

    assert ([], False) == (texts(world), world.document(post).note_due)


def test_a_full_cap_of_days_ago_is_not_told(world: World) -> None:
    """The bot was away, and has just judged it."""
    world.rules = ONE
    on_the_hour(world)
    for text in ("make me a to-do list", "make me a clock"):
        world.says("alice.test", f"@wright.test {text}")
    world.clock.shift += LATE + timedelta(minutes=1)
    world.bot.ingest()
    world.bot.speak()

    assert [Status.PENDING_BUILD, Status.RECEIVED] == sorted(each.status for each in newest(world.ledger, 2))
    assert [] == texts(world)


def revised(world: World, text: str, by: str = "alice.test") -> StrongRef:
    """A wish for a change, right under the bot's first answer."""
    reply = world.network.repo(world.network.account("wright.test").did, POST_COLLECTION)[-1]
    post = world.says(by, f"@wright.test {text}", StrongRef(uri=reply["uri"], cid=reply["cid"]))
    world.bot.ingest()
    world.bot.speak()
    return post


def test_a_revision_is_answered_once_a_conversation(world: World) -> None:
    """With how to ask anew; whoever wants it changed, and however often."""
    replied(world)
    posts = [revised(world, text) for text in ("make it blue", "now with sound")]
    posts.append(revised(world, "make it bigger", "bob.test"))

    assert {Reason.REVISION} == {world.document(post).reason for post in posts}
    assert [note(Note.REVISION).text] == texts(world)[:-1]
    assert posts[0].uri == world.replies()[0]["reply"]["parent"]["uri"]


def test_another_conversation_has_a_line_of_its_own(world: World) -> None:
    """About another app."""
    replied(world)
    revised(world, "make it blue")
    replied(world)
    answer = world.network.repo(world.network.account("wright.test").did, POST_COLLECTION)[0]
    world.says("alice.test", "@wright.test make it blue", StrongRef(uri=answer["uri"], cid=answer["cid"]))
    world.bot.ingest()
    world.bot.speak()

    assert 2 == texts(world).count(note(Note.REVISION).text)


def says_thanks(world: World) -> StrongRef:
    return asked(world, "@wright.test thank you!")


def gives_credit(world: World) -> StrongRef:
    return asked(world, "Look at my new timer, built with @wright.test")


def is_a_bot(world: World) -> StrongRef:
    alice = world.network.account("alice.test").did
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    world.network.put_record(
        alice, "app.bsky.actor.profile", "self", {"$type": "app.bsky.actor.profile", "labels": labels}
    )
    return asked(world)


def is_denied(world: World) -> StrongRef:
    world.ledger.people.deny(OPERATOR, Did(world.network.account("alice.test").did), "spam")
    return asked(world)


def blocks_us(world: World) -> StrongRef:
    post = received(world)
    alice, wright = (world.network.account(handle).did for handle in ("alice.test", "wright.test"))
    world.network.block(alice, wright)
    world.clock.shift += timedelta(minutes=2)
    world.bot.judge()
    return post


def wants_no_bots(world: World) -> StrongRef:
    alice = world.network.account("alice.test").did
    profile = {"$type": "app.bsky.actor.profile", "description": "cats, tea. #nobot"}
    world.network.put_record(alice, "app.bsky.actor.profile", "self", profile)
    return asked(world)


def goes_round(world: World) -> StrongRef:
    world.rules = ruled(loops={"exchanges": 1})
    first = asked(world, "@wright.test make me a clock")
    post = world.says("alice.test", "@wright.test make me a compass", first)
    world.bot.ingest()
    return post


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (says_thanks, Reason.THANKS),
        (gives_credit, Reason.CREDIT),
        (is_a_bot, Reason.BOT),
        (is_denied, Reason.DENIED),
        (blocks_us, Reason.CANNOT_REPLY),
        (wants_no_bots, Reason.OPTED_OUT),
        (goes_round, Reason.LOOP),
    ],
)
def test_much_is_left_without_a_word(world: World, said: Callable[[World], StrongRef], reason: Reason) -> None:
    """Nor does it get a like."""
    post = said(world)
    world.bot.speak()
    document = world.document(post)

    assert (Status.SKIPPED, reason) == (document.status, document.reason)
    assert [] == texts(world)
    assert post.uri not in {liked["uri"] for liked in likes(world)}


def paused(world: World) -> Callable[[], object]:
    world.ledger.desk.throw(OPERATOR, Switch.PAUSE_REPLIES, "a bad day")
    return lambda: world.ledger.desk.release(OPERATOR, Switch.PAUSE_REPLIES)


def in_trouble(world: World) -> Callable[[], object]:
    world.ledger.conditions.set(ACCOUNT, "the account is labelled spam")
    return lambda: world.ledger.conditions.clear(ACCOUNT)


@pytest.mark.parametrize("quiet", [paused, in_trouble])
def test_while_replies_rest_nothing_else_is_said_either(
    world: World, quiet: Callable[[World], Callable[[], object]]
) -> None:
    """No like, no line, no answer; all of them come when the bot may speak again."""
    go_on = quiet(world)
    post = one_too_many(world)
    first = newest(world.ledger, 2)[-1]
    world.says("alice.test", "@wright.test help")
    world.bot.ingest()
    said = world.bot.speak()
    silent = (likes(world), texts(world))
    go_on()
    world.bot.speak()

    assert (True, ([], [])) == (said.paused, silent)
    assert [first.source_uri] == [like["uri"] for like in likes(world)]
    assert {full(world), note(Note.HELP).text} == set(texts(world))
    assert Status.RECEIVED is world.status(post)
