"""Posts by address, threads, gates, profiles."""

import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST, SandboxAccount
from guardrails.documents import StrongRef
from tests.bot.sandbox.api import KEY, POSTS, PROFILE, PROFILES, THREAD, Api, error

DEFS = "app.bsky.feed.defs"


@pytest.fixture
def bob(network: SandboxNetwork) -> SandboxAccount:
    """A third person."""
    return network.create_account("bob.test")


@pytest.fixture
def root(network: SandboxNetwork, alice: SandboxAccount, bot: SandboxAccount) -> StrongRef:
    """Alice's mention."""
    return network.post(alice.did, "@buildbot.test make me a timer", mentions=[bot.did])


def test_a_thread_has_parents_above_and_replies_below(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, root: StrongRef
) -> None:
    """From the middle one sees both; depth 0 shows no replies, parentHeight 0 no parents."""
    reply = network.post(bot.did, "built", reply=root)
    network.post(alice.did, "thanks", reply=reply)

    thread = as_bot.query(THREAD, uri=reply.uri).json()["thread"]
    alone = as_bot.query(THREAD, uri=reply.uri, depth=0, parentHeight=0).json()["thread"]

    assert root.uri == thread["parent"]["post"]["uri"]
    assert ["thanks"] == [below["post"]["record"]["text"] for below in thread["replies"]]
    assert root.model_dump() == thread["post"]["record"]["reply"]["root"]
    assert 1 == thread["post"]["replyCount"]
    assert {"post", "threadContext", "$type"} == alone.keys()


def test_parents_are_shown_up_to_the_height(
    network: SandboxNetwork, as_bot: Api, alice: SandboxAccount, root: StrongRef
) -> None:
    """Two of three."""
    below = root
    for text in "abc":
        below = network.post(alice.did, text, reply=below)

    thread = as_bot.query(THREAD, uri=below.uri, parentHeight=2).json()["thread"]

    assert "a" == thread["parent"]["parent"]["post"]["record"]["text"]
    assert "parent" not in thread["parent"]["parent"]


@pytest.mark.parametrize("gone", ["deleted", "taken down", "author deactivated"])
def test_the_chain_of_parents_stops_at_a_gap(
    network: SandboxNetwork, as_bot: Api, alice: SandboxAccount, bob: SandboxAccount, root: StrongRef, gone: str
) -> None:
    """What is missing is a notFoundPost, and nothing above it is shown."""
    middle = network.post(bob.did, "middle", reply=root)
    last = network.post(alice.did, "last", reply=middle)
    {
        "deleted": lambda: network.delete_record(middle.uri),
        "taken down": lambda: network.takedown(middle.uri),
        "author deactivated": lambda: network.deactivate(bob.did),
    }[gone]()

    parent = as_bot.query(THREAD, uri=last.uri).json()["thread"]["parent"]

    assert {"uri": middle.uri, "notFound": True, "$type": f"{DEFS}#notFoundPost"} == parent


def test_a_blocked_post_tells_who_blocks(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, root: StrongRef
) -> None:
    """The bot blocks the author, then the author blocks the bot; as a parent it ends the chain."""
    below = network.post(bot.did, "built", reply=root)
    block = network.block(bot.did, alice.did)
    by_bot = as_bot.query(THREAD, uri=root.uri).json()["thread"]
    network.delete_record(block.uri)
    network.block(alice.did, bot.did)
    by_alice = as_bot.query(THREAD, uri=below.uri).json()["thread"]["parent"]

    kind = f"{DEFS}#blockedPost"
    assert (kind, {"blockedBy": False, "blocking": block.uri}) == (by_bot["$type"], by_bot["author"]["viewer"])
    assert (kind, {"blockedBy": True}) == (by_alice["$type"], by_alice["author"]["viewer"])


def test_a_post_that_is_gone_is_not_found(
    network: SandboxNetwork, as_bot: Api, alice: SandboxAccount, root: StrongRef
) -> None:
    """Unknown, deleted, taken down or its author closed: one answer."""
    refusal = (400, "NotFound", f"Post not found: {root.uri}")

    network.deactivate(alice.did)
    assert refusal == error(as_bot.query(THREAD, uri=root.uri))
    network.deactivate(alice.did, undo=True)
    network.delete_record(root.uri)
    assert refusal == error(as_bot.query(THREAD, uri=root.uri))
    assert 400 == as_bot.query(THREAD, uri=root.uri, parentHeight=1001).status_code
    assert 400 == as_bot.query(THREAD).status_code


def test_posts_that_cannot_be_shown_are_absent_without_a_word(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, bob: SandboxAccount
) -> None:
    """Each visible post once, a muted author's too; never by position."""
    kept, gone = network.post(alice.did, "kept"), network.post(alice.did, "gone")
    blocked, muted = network.post(bob.did, "blocked"), network.post(alice.did, "muted")
    network.delete_record(gone.uri)
    network.block(bob.did, bot.did)
    network.mute(bot.did, alice.did)
    uris = [gone.uri, blocked.uri, kept.uri, kept.uri, muted.uri, f"at://{bot.did}/{POST}/{KEY}"]

    posts = as_bot.query(POSTS, uris=uris).json()["posts"]

    assert [kept.uri, muted.uri] == [post["uri"] for post in posts]
    assert posts[0]["author"]["viewer"]["muted"]


def test_too_many_or_no_or_odd_addresses_are_refused(as_bot: Api, bot: SandboxAccount, root: StrongRef) -> None:
    """26 are one too many; an address with a handle is a 502."""
    too_many = "Invalid app.bsky.feed.getPosts params: array too big (maximum 25, got 26)"
    none = 'Invalid app.bsky.feed.getPosts params: Missing required key "uris"'

    assert (400, "InvalidRequest", too_many) == error(as_bot.query(POSTS, uris=[root.uri] * 26))
    assert (400, "InvalidRequest", none) == error(as_bot.query(POSTS))
    assert 502 == as_bot.query(POSTS, uris=f"at://{bot.handle}/{POST}/{KEY}").status_code


@pytest.mark.parametrize("wrong", ["root", "is not the thread's"])
def test_a_reply_with_the_wrong_root_is_told_but_not_shown(
    network: SandboxNetwork, as_alice: Api, bot: SandboxAccount, alice: SandboxAccount, root: StrongRef, wrong: str
) -> None:
    """Its parent's author is notified, yet the thread does not have it."""
    answer = network.post(alice.did, "more", reply=root)
    other = answer if wrong == "root" else network.post(bot.did, "elsewhere")
    network.post(bot.did, "built", reply={"root": other.model_dump(), "parent": answer.model_dump()})

    thread = as_alice.query(THREAD, uri=root.uri).json()["thread"]

    assert [] == thread["replies"][0]["replies"]
    assert ["reply"] == [item["reason"] for item in network.notifications(alice.did)]


def test_a_reply_with_another_cid_of_its_parent_still_threads(
    network: SandboxNetwork, as_alice: Api, bot: SandboxAccount, root: StrongRef
) -> None:
    """As after an edit: the cid is not compared."""
    network.post(bot.did, "built", reply=root)
    network.edit(root.uri, text="@buildbot.test edited")

    assert 1 == len(as_alice.query(THREAD, uri=root.uri).json()["thread"]["replies"])


def test_a_block_between_two_others_hides_the_answer(
    network: SandboxNetwork, as_bot: Api, alice: SandboxAccount, bob: SandboxAccount, root: StrongRef
) -> None:
    """Bob answers Alice, who blocks him: the bot does not see it there either."""
    network.post(bob.did, "me too", reply=root)
    network.block(alice.did, bob.did)

    assert [] == as_bot.query(THREAD, uri=root.uri).json()["thread"]["replies"]


def test_a_block_between_two_others_ends_the_chain(
    network: SandboxNetwork, as_bot: Api, alice: SandboxAccount, bob: SandboxAccount, root: StrongRef
) -> None:
    """Seen from Bob's answer, Alice's post is a blocked one, although nobody blocks the bot."""
    answer = network.post(bob.did, "me too", reply=root)
    network.block(alice.did, bob.did)

    parent = as_bot.query(THREAD, uri=answer.uri).json()["thread"]["parent"]

    assert (f"{DEFS}#blockedPost", {"blockedBy": False}) == (parent["$type"], parent["author"]["viewer"])


def test_an_answer_of_somebody_blocked_is_shown_as_blocked(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, bob: SandboxAccount, root: StrongRef
) -> None:
    """In a thread of somebody else's."""
    network.post(bob.did, "me too", reply=root)
    network.block(bot.did, bob.did)

    replies = as_bot.query(THREAD, uri=root.uri).json()["thread"]["replies"]

    assert [f"{DEFS}#blockedPost"] == [reply["$type"] for reply in replies]


def test_a_parent_of_another_thread_is_not_shown(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, root: StrongRef
) -> None:
    """The wrong root makes an answer an orphan, seen from above and from below."""
    other = network.post(alice.did, "elsewhere")
    orphan = network.post(bot.did, "built", reply={"root": other.model_dump(), "parent": root.model_dump()})

    assert "parent" not in as_bot.query(THREAD, uri=orphan.uri).json()["thread"]


def test_a_gate_that_closes_later_keeps_who_is_inside(
    network: SandboxNetwork, as_alice: Api, bot: SandboxAccount, root: StrongRef
) -> None:
    """The reply of before stays, the one of after is shown to nobody and has no thread."""
    network.post(bot.did, "before", reply=root)
    network.gate(root.uri)
    late = network.post(bot.did, "after", reply=root)

    replies = as_alice.query(THREAD, uri=root.uri).json()["thread"]["replies"]

    assert ["before"] == [reply["post"]["record"]["text"] for reply in replies]
    assert {"post", "threadContext", "$type"} == as_alice.query(THREAD, uri=late.uri).json()["thread"].keys()


@pytest.mark.parametrize(
    ("allow", "may"), [([], False), (["mention"], True), (["following"], False), (["follower"], False)]
)
def test_a_gate_disables_replies_for_those_it_leaves_out(
    network: SandboxNetwork, as_bot: Api, root: StrongRef, allow: list[str], may: bool
) -> None:
    """The root mentions the bot, nobody follows anybody."""
    network.gate(root.uri, allow)

    post = as_bot.query(POSTS, uris=root.uri).json()["posts"][0]

    assert may is not post["viewer"].get("replyDisabled", False)
    assert len(allow) == len(post["threadgate"]["record"]["allow"])


def test_following_opens_the_gates_that_ask_for_it(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, root: StrongRef
) -> None:
    """ "following" is whom the owner follows, "follower" who follows the owner."""

    def disabled() -> bool:
        return bool(as_bot.query(POSTS, uris=root.uri).json()["posts"][0]["viewer"]["replyDisabled"])

    network.gate(root.uri, ["following"])
    network.follow(alice.did, bot.did)
    assert not disabled()

    network.gate(root.uri, ["follower"])
    assert disabled()
    network.follow(bot.did, alice.did)
    assert not disabled()


def test_a_reply_through_a_closed_gate_is_accepted_and_shown_to_nobody(
    network: SandboxNetwork, as_alice: Api, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, root: StrongRef
) -> None:
    """The PDS says 200; the thread and the notifications do not have it, getPosts does. A mention in it is told."""
    bob = network.create_account("bobby.test")
    network.gate(root.uri)
    reply = network.post(bot.did, "built", reply=root)
    network.post(bob.did, "@buildbot.test me too", mentions=[bot.did], reply=root)

    assert [] == as_alice.query(THREAD, uri=root.uri).json()["thread"]["replies"]
    assert [] == network.notifications(alice.did)
    assert [reply.uri] == [post["uri"] for post in as_bot.query(POSTS, uris=reply.uri).json()["posts"]]
    assert ["mention", "mention"] == [item["reason"] for item in network.notifications(bot.did)]


def test_a_profile_says_who_somebody_is(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, root: StrongRef
) -> None:
    """By DID or handle, with counts and what stands between the two."""
    follow = network.follow(alice.did, bot.did)
    profile = as_bot.query(PROFILE, actor="alice.test").json()

    assert (alice.did, "Alice", 1, 1, 0) == (
        profile["did"],
        profile["displayName"],
        profile["postsCount"],
        profile["followsCount"],
        profile["followersCount"],
    )
    assert follow.uri == profile["viewer"]["followedBy"]
    assert 1 == as_bot.query(PROFILE, actor=bot.did).json()["followersCount"]


def test_closed_accounts_have_no_profile(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, alice: SandboxAccount, bob: SandboxAccount
) -> None:
    """Each with its own words; getProfiles leaves them out."""
    network.takedown(alice.did)
    network.deactivate(bob.did)

    assert (400, "AccountTakedown", "Account has been suspended") == error(as_bot.query(PROFILE, actor=alice.did))
    assert (400, "AccountDeactivated", "Account is deactivated") == error(as_bot.query(PROFILE, actor=bob.did))
    assert (400, "InvalidRequest", "Profile not found") == error(as_bot.query(PROFILE, actor="nobody.test"))
    found = as_bot.query(PROFILES, actors=[alice.did, bob.did, bot.did, "nobody.test"]).json()["profiles"]
    assert [bot.did] == [profile["did"] for profile in found]
