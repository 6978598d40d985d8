"""Who may ask: by operators' rows, by what accounts say of themselves, by labels, lists, blocks, age and followers."""

from datetime import timedelta
from typing import Any

import pytest

from bot.sandbox.faulty_wire import PLC
from bot.sandbox.state import PROFILE
from guardrails.documents import Did, StrongRef
from guardrails.facts import Membership
from guardrails.transitions import Reason, Status
from tests.mentions import OPERATOR
from tests.scenarios.asides import likes, texts
from tests.scenarios.stages import ASK, POSTS
from tests.scenarios.world import World, ruled

PROFILES = "app.bsky.actor.getProfiles"
LIST = "app.bsky.graph.getList"
Stand = tuple[Status, Reason, str]


def did(world: World, name: str) -> Did:
    return Did(world.network.account(f"{name}.test").did)


def profile(world: World, name: str, **fields: Any) -> None:
    world.network.put_record(did(world, name), PROFILE, "self", fields)


def asked(world: World, by: str = "alice", **more: Any) -> StrongRef:
    """An ask, read and judged."""
    post = world.says(f"{by}.test", ASK, **more)
    world.bot.ingest()
    return post


def stands(world: World, post: StrongRef) -> Stand:
    document = world.document(post)
    return document.status, document.reason, document.detail


def later(world: World, seconds: float = 61) -> None:
    world.clock.shift += timedelta(seconds=seconds)
    world.bot.judge()


def test_whoever_is_denied_is_not_built_for(world: World) -> None:
    """From the next check on; nothing of the network is asked, and nothing said."""
    world.ledger.people.deny(OPERATOR, did(world, "alice"), "sends spam")
    post = asked(world)
    world.bot.speak()

    assert (Status.SKIPPED, Reason.DENIED, "denied by an operator") == stands(world, post)
    assert [] == world.network.calls_to(POSTS)
    assert ([], []) == (texts(world), likes(world))


def test_a_denial_that_is_over_keeps_nobody_out(world: World) -> None:
    """It had an end."""
    world.ledger.people.deny(OPERATOR, did(world, "alice"), "cool down", world.clock() + timedelta(hours=1))
    world.clock.shift += timedelta(hours=2)

    assert Status.PENDING_BUILD == world.status(asked(world))


def test_a_self_labelled_bot_is_passed_over(world: World) -> None:
    """What others call a bot is none."""
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    profile(world, "alice", labels=labels)
    world.network.label(did(world, "bob"), "bot")

    assert (Status.SKIPPED, Reason.BOT, "the author calls itself a bot") == stands(world, asked(world))
    assert Status.PENDING_BUILD == world.status(asked(world, "bob"))


@pytest.mark.parametrize("who", ["the author", "the root", "the parent", "the quoted"])
def test_nobot_in_a_bio_is_heeded(world: World, who: str) -> None:
    """The asker's, and of whose posts it is about."""
    root = world.says("bob.test", "an old recipe")
    parent = world.says("carol.test", "a new recipe", root)
    dora = world.network.create_account("dora.test").did
    quoted = world.network.post(dora, "my recipe")
    name = {"the author": "alice", "the root": "bob", "the parent": "carol", "the quoted": "dora"}[who]
    profile(world, name, description="Cooking. #nobot")
    embed = {"$type": "app.bsky.embed.record", "record": quoted.model_dump()}
    wright = did(world, "wright")
    post = world.network.post(did(world, "alice"), ASK, mentions=[wright], reply=parent, extra={"embed": embed})
    world.bot.ingest()

    whose = "the author's bio" if who == "the author" else f"the bio of {did(world, name)}, whose post it is about"
    assert (Status.SKIPPED, Reason.OPTED_OUT, f"#nobot in {whose}") == stands(world, post)


@pytest.mark.parametrize("name", ["bob", "carol"])
def test_a_block_of_whose_post_it_is_about_ends_it(world: World, name: str) -> None:
    """The parent's author as well as the quoted one's."""
    parent = world.says("bob.test", "my recipe", world.says("alice.test", "recipes, anybody?"))
    quoted = world.says("carol.test", "my recipe")
    world.network.block(did(world, name), did(world, "wright"))
    embed = {"$type": "app.bsky.embed.record", "record": quoted.model_dump()}
    wright = did(world, "wright")
    post = world.network.post(did(world, "alice"), ASK, mentions=[wright], reply=parent, extra={"embed": embed})
    world.bot.ingest()

    assert (Status.SKIPPED, Reason.BLOCKED) == stands(world, post)[:2]
    assert did(world, name) in world.document(post).detail


def test_an_ask_about_a_post_of_the_forgotten_is_passed_over(world: World) -> None:
    """They want nothing to do with us."""
    world.ledger.people.forget(OPERATOR, did(world, "bob"))
    post = asked(world, reply_to=world.says("bob.test", "my recipe"))

    assert (Status.SKIPPED, Reason.OPTED_OUT) == stands(world, post)[:2]


@pytest.mark.parametrize("on", ["the account", "the post"])
@pytest.mark.parametrize(
    ("value", "status"),
    [
        ("spam", Status.SKIPPED),
        ("!hide", Status.SKIPPED),
        ("porn", Status.AWAITING_APPROVAL),
        ("!new-order", Status.AWAITING_APPROVAL),
        ("!no-unauthenticated", Status.PENDING_BUILD),
        ("likes-cats", Status.PENDING_BUILD),
    ],
)
def test_labels_skip_hold_or_say_nothing(world: World, on: str, value: str, status: Status) -> None:
    """By their value, on the account or on the post."""
    post = world.says("alice.test", ASK)
    world.network.label(post.uri if on == "the post" else did(world, "alice"), value)
    world.bot.ingest()
    document = world.document(post)

    assert status is document.status
    assert (status is Status.PENDING_BUILD) is (document.reason is not Reason.LABELLED)
    assert status is Status.PENDING_BUILD or document.detail.startswith(f"labelled {value} by ")


def test_labels_are_read_when_it_is_judged(world: World) -> None:
    """Not when it was heard: the moderators may be slower than the bot."""
    post = world.says("alice.test", ASK)
    world.fails("status", POSTS, status=502)
    world.bot.ingest()
    world.network.label(did(world, "alice"), "spam")
    later(world)

    assert (Status.SKIPPED, Reason.LABELLED) == stands(world, post)[:2]


def test_whoever_cannot_be_looked_up_waits(world: World) -> None:
    """Neither built nor skipped: it is asked again."""
    world.fails("status", PROFILES, status=502)
    post = asked(world)
    before = stands(world, post)
    later(world)

    assert (Status.RECEIVED, Reason.INGESTED) == before[:2]
    assert Status.PENDING_BUILD == world.status(post)


def test_whoever_it_is_about_must_be_looked_up_as_well(world: World) -> None:
    """Who asks may be known already: of twenty-six people one does not fit into the first question."""
    crowd = [world.network.create_account(f"fan{n}.test").handle for n in range(26)]
    posts = [world.says(one, ASK, world.says(two, "hello")) for one, two in zip(crowd[::2], crowd[1::2], strict=True)]
    world.fails("status", PROFILES, status=502, skip=1)
    world.bot.ingest()
    *others, last = [world.document(post) for post in posts]
    later(world)

    assert {Status.PENDING_BUILD} == {document.status for document in others}
    assert Status.RECEIVED == last.status
    assert "who asks, or whose post it is about, could not be looked up" == last.verdicts[-1].detail
    assert Status.PENDING_BUILD == world.status(posts[-1])


@pytest.fixture
def friends(world: World) -> str:
    """Bob's list of friends, and rules that go by it; Alice is on it."""
    uri = world.network.make_list(did(world, "bob"), "friends").uri
    world.network.put_on_list(uri, did(world, "alice"))
    world.rules = ruled(authors={"allow_list": uri}, ask={"same_hours": 0})
    return uri


def test_with_an_allow_list_only_its_members_may_ask(world: World, friends: str) -> None:
    """And those for whom an operator vouches."""
    world.ledger.people.allow(OPERATOR, did(world, "carol"), "a colleague")

    assert Status.PENDING_BUILD == world.status(asked(world))
    assert (Status.SKIPPED, Reason.NOT_ON_LIST) == stands(world, asked(world, "bob"))[:2]
    assert Status.PENDING_BUILD == world.status(asked(world, "carol"))


def test_a_list_that_fails_says_nothing(world: World, friends: str) -> None:
    """Whoever was seen on it may ask, nobody else is sent away."""
    asked(world)
    world.clock.shift += timedelta(minutes=11)
    world.fails("status", LIST, status=502)
    alice, bob = asked(world), asked(world, "bob")
    document = world.document(bob)
    look = document.facts.look if document.facts is not None else None

    assert (Status.PENDING_BUILD, Status.RECEIVED) == (world.status(alice), document.status)
    assert look is not None
    assert Membership.UNSURE is look.membership
    later(world)
    assert Reason.NOT_ON_LIST is world.document(bob).reason


@pytest.mark.parametrize(
    ("rules", "detail"),
    [
        ({"min_age_days": 30}, "2.0 days old, 30 are asked for"),
        ({"min_followers": 2}, "1 followers, 2 are asked for"),
        ({"min_followers": 2, "below_floor": "skip"}, "1 followers, 2 are asked for"),
    ],
)
def test_below_a_floor_it_is_held_or_skipped(world: World, rules: dict[str, Any], detail: str) -> None:
    """As the rules say, and by the PLC's date of the account, whatever its profile says."""
    world.rules = ruled(authors=rules)
    profile(world, "alice", createdAt="2019-01-01T00:00:00.000Z")
    world.clock.shift += timedelta(days=2)
    world.network.follow(did(world, "bob"), did(world, "alice"))
    status = Status.SKIPPED if "below_floor" in rules else Status.AWAITING_APPROVAL

    assert (status, Reason.BELOW_FLOOR, detail) == stands(world, asked(world))


def test_whoever_an_operator_vouches_for_is_below_no_floor(world: World) -> None:
    """Nor a bot, nor held for a label; but a label that skips, skips. How old the account is, is not asked."""
    world.rules = ruled(authors={"min_followers": 9, "min_age_days": 30}, ask={"same_hours": 0})
    before = len(world.network.calls_to(PLC))
    world.ledger.people.allow(OPERATOR, did(world, "alice"), "a friend")
    world.network.label(did(world, "alice"), "porn")
    first = asked(world)
    world.network.label(did(world, "alice"), "spam")

    assert Status.PENDING_BUILD == world.status(first)
    assert (Status.SKIPPED, Reason.LABELLED) == stands(world, asked(world))[:2]
    assert before == len(world.network.calls_to(PLC))
    world.ledger.people.lift(OPERATOR, did(world, "alice"))
    asked(world)
    assert before + 1 == len(world.network.calls_to(PLC))


def test_our_own_bio_says_nothing_of_those_who_answer_us(world: World) -> None:
    """What it asks of bots, it asks of others."""
    profile(world, "wright", description="I build small apps. #nobot")
    thread = world.network.post(did(world, "wright"), "what shall I build?")

    assert Status.PENDING_BUILD == world.status(asked(world, reply_to=thread))


def test_everything_that_was_known_is_kept(world: World) -> None:
    """So that other rules can be tried on it later."""
    world.network.label(did(world, "alice"), "likes-cats")
    document = world.document(asked(world))
    facts = document.facts

    assert facts is not None
    assert facts.look is not None
    assert facts.look.author is not None
    assert ["likes-cats"] == [label.val for label in facts.look.author.labels]
    assert (True, 0, 50_000) == (facts.first_time, facts.used.author_day if facts.used else None, facts.price_micros)
    assert {world.rules.version} == {verdict.rules for verdict in document.verdicts}
