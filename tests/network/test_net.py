"""The real network does what the tests on it take for granted."""

import pytest

from tests.network.net import Account, Network, Refused


@pytest.fixture
def alice(network: Network) -> Account:
    return network.create_account(network.fresh_handle("alice"), display_name="Alice")


@pytest.fixture
def wright(network: Network) -> Account:
    return network.create_account(network.fresh_handle("wright"), self_labels=["bot"])


def test_a_mention_is_notified(network: Network, alice: Account, wright: Account) -> None:
    """alice mentions the bot, and the bot is told."""
    mention = network.post(alice.did, f"🌱 @{wright.handle} a timer, please", mentions=[wright.did])
    network.process()

    (notification,) = network.notifications(wright.did)

    assert (notification["uri"], notification["reason"]) == (mention.uri, "mention")
    assert notification["author"]["displayName"] == "Alice"


def test_an_accounts_own_labels_are_shown(network: Network, alice: Account, wright: Account) -> None:
    """The bot says of itself that it is one."""
    network.reply(wright.did, network.post(alice.did, "hello"), "hello, alice")
    network.process()

    (notification,) = network.notifications(alice.did)

    assert [label["val"] for label in notification["author"]["labels"]] == ["bot"]


def test_a_reply_is_in_the_thread_until_it_is_deleted(network: Network, alice: Account, wright: Account) -> None:
    """What anybody reads follows what was written, edits included."""
    post = network.post(alice.did, "hello")
    reply = network.reply(wright.did, post, "hello, alice")
    network.process()
    before = network.get_post_thread(post.uri)
    network.delete(reply.uri)
    network.edit(post.uri, text="good morning")
    network.process()

    after = network.get_post_thread(post.uri)

    assert [found["post"]["uri"] for found in before["replies"]] == [reply.uri]
    assert (after["replies"], after["post"]["record"]["text"]) == ([], "good morning")
    assert network.list_records(wright.did) == []


def test_a_taken_down_account_is_gone_until_it_is_put_back(network: Network, alice: Account, wright: Account) -> None:
    """Moderation hides what its subject wrote from everybody."""
    network.post(alice.did, f"@{wright.handle} hello", mentions=[wright.did])
    network.process()

    network.takedown(alice.did)
    during = network.notifications(wright.did)
    network.takedown(alice.did, reverse=True)

    assert during == []
    assert len(network.notifications(wright.did)) == 1


def test_a_taken_down_post_is_gone(network: Network, alice: Account) -> None:
    """A record is taken down alone; its author stays."""
    gone, stays = network.post(alice.did, "gone"), network.post(alice.did, "stays")
    network.process()

    network.takedown(gone.uri, gone.cid)

    assert network.get_post_thread(stays.uri)["post"]["uri"] == stays.uri
    with pytest.raises(Refused, match="NotFound"):
        network.get_post_thread(gone.uri)


def test_a_deactivated_account_is_gone_until_it_is_back(network: Network, alice: Account) -> None:
    """People leave, and come back."""
    post = network.post(alice.did, "hello")
    network.process()

    network.deactivate(alice.did)
    with pytest.raises(Refused, match="NotFound"):
        network.get_post_thread(post.uri)
    network.deactivate(alice.did, reverse=True)

    assert network.get_post_thread(post.uri)["post"]["uri"] == post.uri


def test_a_paused_appview_lags_and_catches_up(network: Network, alice: Account, wright: Account) -> None:
    """What is written meanwhile is in the repository, and notified later."""
    with network.appview_paused():
        network.post(alice.did, f"@{wright.handle} hello", mentions=[wright.did])
        during = network.notifications(wright.did)
        written = network.list_records(alice.did)

    assert (len(written), during) == (1, [])
    assert len(network.notifications(wright.did)) == 1


def test_a_block_and_a_gate_are_seen_by_the_one_they_keep_out(
    network: Network, alice: Account, wright: Account
) -> None:
    """The bot can tell that it may not reply, and why."""
    gated, open_to_all = network.post(alice.did, "gated"), network.post(alice.did, "open")
    network.gate(gated)
    network.process()
    shut_out = network.get_post_thread(gated.uri, wright.did)["post"]["viewer"].get("replyDisabled")
    block = network.block(alice.did, wright.did)
    network.process()
    blocked = network.get_post_thread(open_to_all.uri, wright.did)
    network.delete(block.uri)
    network.process()

    unblocked = network.get_post_thread(open_to_all.uri, wright.did)

    assert shut_out is True
    assert (blocked["$type"], unblocked["$type"]) == (
        "app.bsky.feed.defs#blockedPost",
        "app.bsky.feed.defs#threadViewPost",
    )


def test_a_labels_source_is_its_labeler(network: Network, alice: Account, wright: Account) -> None:
    """A label from the network's own labeler comes with the mention, and goes when it is negated."""
    network.post(alice.did, f"@{wright.handle} hello", mentions=[wright.did])
    network.process()
    network.label(alice.did, "spam")
    (labelled,) = network.notifications(wright.did)
    network.label(alice.did, "spam", neg=True)

    (cleared,) = network.notifications(wright.did)

    assert [(label["src"], label["val"]) for label in labelled["author"]["labels"]] == [
        (network.endpoints.ozone_did, "spam")
    ]
    assert cleared["author"]["labels"] == []


def test_ozone_serves_the_labels_that_it_gave(network: Network, alice: Account) -> None:
    """A label in Ozone is not one in the AppView."""
    network.ozone_label(alice.did, create=["rude"])

    url = f"{network.endpoints.ozone}/xrpc/com.atproto.label.queryLabels"
    labels = network.http.get(url, params={"uriPatterns": alice.did}).json()["labels"]

    assert [label["val"] for label in labels] == ["rude"]


def test_the_directory_knows_where_an_account_is(network: Network, alice: Account) -> None:
    """A client that starts from a DID finds the PDS through the PLC directory."""
    document = network.http.get(f"{network.endpoints.plc}/{alice.did}").json()

    assert [service["serviceEndpoint"] for service in document["service"]] == [network.endpoints.pds]
    assert document["alsoKnownAs"] == [f"at://{alice.handle}"]
