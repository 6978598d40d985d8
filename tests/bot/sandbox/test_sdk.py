"""The public Python SDK understands the sandbox."""

from collections.abc import Iterator

import pytest
from atproto import Client, SessionEvent
from atproto.exceptions import BadRequestError

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from tests.clock import Clock


@pytest.fixture
def client(server: SandboxServer, bot: SandboxAccount) -> Iterator[Client]:
    """A client of the SDK, logged in by DID."""
    client = Client(server.url)
    client.login(bot.did, bot.password)
    yield client
    client.request.close()


def test_it_logs_in_and_reads_notifications(
    network: SandboxNetwork, client: Client, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """Every reason parses into the SDK's models."""
    own = network.post(bot.did, "hello")
    network.post(alice.did, "@buildbot.test hi", mentions=[bot.did])
    network.post(alice.did, "nice", reply=own)
    network.like(alice.did, own)
    network.repost(alice.did, own)
    network.follow(alice.did, bot.did)

    found = client.app.bsky.notification.list_notifications().notifications

    assert bot.handle == client.me.handle
    assert {"mention", "reply", "like", "repost", "follow"} == {item.reason for item in found}
    assert {"Alice"} == {item.author.display_name for item in found}


def test_it_reads_threads_posts_and_profiles(
    network: SandboxNetwork, client: Client, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """Views with labels, gates, cards and gaps parse too."""
    ask = network.post(alice.did, "@buildbot.test hi", mentions=[bot.did])
    external = {"uri": "https://x.example", "title": "t", "description": "d"}
    embed = {"$type": "app.bsky.embed.external", "external": external}
    reply = network.post(bot.did, "built", reply=ask, extra={"embed": embed})
    network.gate(ask.uri, ["mention"])
    network.label(ask.uri, "porn")
    network.delete_record(network.post(alice.did, "gone").uri)

    thread = client.get_post_thread(reply.uri).thread

    assert ask.uri == thread.parent.post.uri
    assert "t" == thread.post.embed.external.title
    assert ["porn"] == [label.val for label in client.get_posts([ask.uri]).posts[0].labels]
    assert "Alice" == client.get_profile(alice.did).display_name


def test_it_posts_likes_and_deletes(network: SandboxNetwork, client: Client, bot: SandboxAccount) -> None:
    """The SDK's own way of writing."""
    post = client.send_post("hello")
    client.like(post.uri, post.cid)

    assert [post.uri] == [record["uri"] for record in network.repo(bot.did)]
    assert 1 == client.get_posts([post.uri]).posts[0].like_count
    assert client.delete_post(post.uri)
    assert [] == network.repo(bot.did)


def test_it_refreshes_an_old_session_and_gives_up_on_a_dead_one(
    server: SandboxServer, client: Client, clock: Clock
) -> None:
    """An expired access token is renewed in silence; when both have expired it is an error."""
    kept = client.export_session_string()
    events: list[SessionEvent] = []
    again = Client(server.url)
    again.on_session_change(lambda event, session: events.append(event))

    clock.advance(7201)
    again.login(session_string=kept)
    assert SessionEvent.REFRESH in events

    clock.advance(91 * 86400)
    with pytest.raises(BadRequestError):
        again.app.bsky.notification.list_notifications()
    again.request.close()
