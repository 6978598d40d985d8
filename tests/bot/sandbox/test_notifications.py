"""What reaches an account's notifications, in which order, and what makes it go away."""

from typing import Any

import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import SandboxAccount
from guardrails.documents import StrongRef
from tests.bot.sandbox.api import mention_of

ASK = "@buildbot.test make me a timer"
SEEN = "app.bsky.notification.updateSeen"


@pytest.fixture
def own(network: SandboxNetwork, bot: SandboxAccount) -> StrongRef:
    """A post of the bot's."""
    return network.post(bot.did, "I build small apps.")


def reasons(network: SandboxNetwork, bot: SandboxAccount) -> list[tuple[str, str | None]]:
    """Reason and subject of each notification, newest first."""
    return [(item["reason"], item.get("reasonSubject")) for item in network.notifications(bot.did)]


def quote_of(ref: StrongRef) -> dict[str, Any]:
    """A record that quotes a post."""
    return {"embed": {"$type": "app.bsky.embed.record", "record": ref.model_dump()}}


def test_a_mention_is_a_facet_and_not_a_handle(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """The facet's DID decides: over any text, once per post, and never by the text alone."""
    network.post(alice.did, "please click here", facets=[mention_of(bot.did, 7, 12)])
    network.post(alice.did, "twice", facets=[mention_of(bot.did), mention_of(bot.did)])
    network.post(alice.did, ASK)
    network.post(alice.did, ASK, facets=[mention_of(alice.did, 0, 14)])
    network.post(bot.did, "me, @buildbot.test", mentions=[bot.did])

    assert [("mention", None)] * 2 == reasons(network, bot)


def test_one_post_gives_one_notification_by_precedence(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """Mention before quote before reply."""
    network.post(alice.did, "reply", reply=own)
    network.post(alice.did, "reply and quote", reply=own, extra=quote_of(own))
    network.post(alice.did, ASK, mentions=[bot.did], reply=own, extra=quote_of(own))

    assert [("mention", None), ("quote", own.uri), ("reply", own.uri)] == reasons(network, bot)


def test_a_quote_beside_media_is_a_quote(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """recordWithMedia counts as the plain quote does."""
    external = {"uri": "https://example.com", "title": "t", "description": "d"}
    media = {"$type": "app.bsky.embed.external", "external": external}
    embed = {"$type": "app.bsky.embed.recordWithMedia", "media": media, "record": {"record": own.model_dump()}}
    network.post(alice.did, "look", extra={"embed": embed})

    assert [("quote", own.uri)] == reasons(network, bot)


def test_replies_are_told_four_levels_down_about_the_nearest_own_post(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """A chain of answers below the bot's post: levels 1 to 4 are told, the fifth is not."""
    below = own
    for level in range(1, 6):
        below = network.post(alice.did, f"level {level}", reply=below)
    second = network.post(bot.did, "again", reply=below)
    network.post(alice.did, "and again", reply=second)

    assert [("reply", second.uri)] + [("reply", own.uri)] * 4 == reasons(network, bot)


def test_likes_reposts_and_follows_are_told_until_undone(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """Each is one notification without a text, and vanishes with its record."""
    done = [network.like(alice.did, own), network.repost(alice.did, own), network.follow(alice.did, bot.did)]

    assert {("like", own.uri), ("repost", own.uri), ("follow", None)} == set(reasons(network, bot))

    for ref in done:
        network.delete_record(ref.uri)
    assert [] == reasons(network, bot)


def test_what_is_about_a_deleted_post_of_ours_vanishes(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """Likes, replies and quotes lose their subject; a mention has none."""
    network.like(alice.did, own)
    network.post(alice.did, "reply", reply=own)
    network.post(alice.did, ASK, mentions=[bot.did])
    network.delete_record(own.uri)

    assert [("mention", None)] == reasons(network, bot)


def test_an_answer_to_a_post_that_is_gone_is_not_told(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """The parent was deleted first, and created anew later: its key alone makes no notification."""
    network.delete_record(own.uri)
    network.post(alice.did, "too late", reply=own)
    network.post(bot.did, "anew", rkey=own.uri.rsplit("/", 1)[1])

    assert [] == reasons(network, bot)


def test_an_edited_post_keeps_its_uri_and_takes_a_new_cid(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """A mention may come and go by editing; the list shows the present text."""
    post = network.post(alice.did, ASK, mentions=[bot.did])
    before = network.notifications(bot.did)[0]
    network.edit(post.uri, text="@buildbot.test make me two")
    after = network.notifications(bot.did)[0]

    assert (before["uri"], before["indexedAt"]) == (after["uri"], after["indexedAt"])
    assert before["cid"] != after["cid"]
    assert "@buildbot.test make me two" == after["record"]["text"]

    network.edit(post.uri, facets=None)
    assert [] == network.notifications(bot.did)

    network.edit(post.uri, facets=[mention_of(bot.did)])
    assert [post.uri] == [item["uri"] for item in network.notifications(bot.did)]


def test_a_post_created_anew_under_its_key_is_one_notification(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """Deleted and written again."""
    post = network.post(alice.did, ASK, mentions=[bot.did])
    network.delete_record(post.uri)
    assert [] == network.notifications(bot.did)

    network.post(alice.did, ASK, mentions=[bot.did], rkey=post.uri.rsplit("/", 1)[1])
    assert [post.uri] == [item["uri"] for item in network.notifications(bot.did)]


def test_a_reply_whose_parent_has_the_handle_for_an_address_is_never_indexed(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """Accepted by the PDS, unknown to the AppView."""
    by_handle = {"uri": own.uri.replace(bot.did, bot.handle), "cid": own.cid}
    network.post(alice.did, "hello", reply={"root": by_handle, "parent": by_handle}, facets=[mention_of(bot.did)])

    assert [] == network.notifications(bot.did)


def test_a_muted_thread_keeps_its_mentions(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount, own: StrongRef
) -> None:
    """The plain reply is silent, the mention in the same thread is not."""
    network.mute_thread(bot.did, own.uri)
    network.post(alice.did, "reply", reply=own)
    network.post(alice.did, ASK, mentions=[bot.did], reply=own)

    assert [("mention", None)] == reasons(network, bot)
