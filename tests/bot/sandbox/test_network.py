"""The network as plain data, without a server."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST, SandboxAccount
from guardrails.documents import split_at_uri
from guardrails.tid import parse_tid
from tests.clock import Clock


def test_accounts_have_dids_handles_and_passwords(network: SandboxNetwork) -> None:
    """The same handle gives the same DID on every network, so that a test can name it."""
    account = network.create_account("Carol.test")
    again = SandboxNetwork(Clock()).create_account("carol.test", password="secret")

    assert ("carol.test", "Carol.test-pw") == (account.handle, account.password)
    assert (account.did, "secret") == (again.did, again.password)
    assert account is network.account("CAROL.test") is network.account(account.did)
    assert len("did:plc:") + 24 == len(account.did)
    with pytest.raises(ValueError, match="taken"):
        network.create_account("carol.test")
    with pytest.raises(KeyError):
        network.account("nobody.test")


def test_an_account_has_a_profile_only_when_it_says_something(network: SandboxNetwork, bot: SandboxAccount) -> None:
    """A display name, or labels that it gives itself."""
    plain, labelled = network.create_account("plain.test"), network.create_account("label.test", self_labels=["bot"])

    def profiles(account: SandboxAccount) -> int:
        return len(network.repo(account.did, "app.bsky.actor.profile"))

    assert (1, 0, 1) == (profiles(bot), profiles(plain), profiles(labelled))


def test_record_keys_come_from_the_networks_clock(network: SandboxNetwork, alice: SandboxAccount, clock: Clock) -> None:
    """They are TIDs of the present, and rise although the clock stands still or steps back."""
    uris = [network.post(alice.did, f"{number}").uri for number in range(3)]
    clock.advance(timedelta(hours=-1))
    uris.append(network.post(alice.did, "earlier").uri)
    keys = [split_at_uri(uri).rkey for uri in uris]

    assert sorted(set(keys)) == keys
    assert parse_tid(keys[0]).at - (clock() + timedelta(hours=1)) < timedelta(seconds=1)


def test_a_reply_finds_its_root_by_its_parent(
    network: SandboxNetwork, bot: SandboxAccount, alice: SandboxAccount
) -> None:
    """The parent's own root, or the parent itself; both may also be given."""
    root = network.post(alice.did, "root")
    first = network.post(bot.did, "first", reply=root)
    network.post(alice.did, "second", reply=first)
    given = {"root": root.model_dump(), "parent": root.model_dump()}
    network.post(bot.did, "given", reply=given)

    second, given_back = network.repo(alice.did)[0]["value"]["reply"], network.repo(bot.did)[0]["value"]["reply"]
    assert (root.model_dump(), first.model_dump()) == (second["root"], second["parent"])
    assert given == given_back


def test_facets_and_extras_go_into_the_record_as_they_are(network: SandboxNetwork, alice: SandboxAccount) -> None:
    """Given facets replace those from mentions; a text without a handle gets none."""
    facets = [{"index": {"byteStart": 90, "byteEnd": 2}, "features": []}]
    network.post(alice.did, "@alice.test", mentions=[alice.did], facets=facets, extra={"langs": ["de"]})
    network.post(alice.did, "nobody named", mentions=[alice.did], created_at="1999-01-01T00:00:00Z")

    plain, odd = (record["value"] for record in network.repo(alice.did))
    assert (facets, ["de"]) == (odd["facets"], odd["langs"])
    assert ("1999-01-01T00:00:00Z", False) == (plain["createdAt"], "facets" in plain)


def test_many_people_post_at_once(network: SandboxNetwork, bot: SandboxAccount) -> None:
    """Threads do not lose or double anything."""
    people = [network.create_account(f"p{number}.test") for number in range(4)]

    def chatter(account: SandboxAccount) -> None:
        for number in range(25):
            network.post(account.did, f"@buildbot.test {number}", mentions=[bot.did])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(chatter, people))

    assert [25] * 4 == [len(network.repo(account.did)) for account in people]
    assert 100 == len({item["uri"] for item in network.notifications(bot.did)})


def test_taking_down_what_is_not_there_is_a_mistake(network: SandboxNetwork, alice: SandboxAccount) -> None:
    """A test that names the wrong post hears of it."""
    with pytest.raises(KeyError):
        network.takedown(f"at://{alice.did}/{POST}/2222222222222")


def test_a_handle_that_was_given_up_is_somebody_elses(network: SandboxNetwork, alice: SandboxAccount) -> None:
    """The newcomer is another account, and the old one keeps its posts."""
    network.post(alice.did, "hello")
    network.rename(alice.did, "alicia.test")
    newcomer = network.create_account("alice.test")

    assert alice.did != newcomer.did
    assert (1, 0) == (len(network.repo(alice.did)), len(network.repo(newcomer.did)))
