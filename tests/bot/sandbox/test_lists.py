"""Lists of people: what the AppView says of one, and what it does not take."""

import pytest

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import MOD_LIST, SandboxAccount
from tests.bot.sandbox.api import Api

GET_LIST = "app.bsky.graph.getList"


@pytest.fixture
def friends(network: SandboxNetwork, alice: SandboxAccount) -> str:
    """A list of three."""
    uri = network.make_list(alice.did, "friends").uri
    for handle in ("ann.test", "bob.test", "cyd.test"):
        network.put_on_list(uri, network.create_account(handle).did)
    return uri


def names(answer: dict[str, list[dict[str, dict[str, str]]]]) -> list[str]:
    return [item["subject"]["handle"] for item in answer["items"]]


def test_pages_follow_each_other(as_bot: Api, friends: str) -> None:
    """The latest first, even within one moment, each once; only the last has no cursor."""
    first = as_bot.query(GET_LIST, list=friends, limit=2).json()
    second = as_bot.query(GET_LIST, list=friends, limit=2, cursor=first["cursor"]).json()

    assert (3, "friends") == (first["list"]["listItemCount"], first["list"]["name"])
    assert (2, 1) == (len(first["items"]), len(second["items"]))
    assert {"ann.test", "bob.test", "cyd.test"} == {*names(first), *names(second)}
    assert "cursor" not in second


@pytest.mark.parametrize("cursor", ["x", "1", "__x", "1__", "-1__x"])
def test_a_cursor_that_is_none_is_refused(as_bot: Api, friends: str, cursor: str) -> None:
    """As the real server does."""
    answer = as_bot.query(GET_LIST, list=friends, cursor=cursor)

    assert (400, "Malformed cursor") == (answer.status_code, answer.json()["message"])


@pytest.mark.parametrize("what", ["gone", "a post", "its author is away"])
def test_what_is_no_list_is_not_found(
    as_bot: Api, network: SandboxNetwork, alice: SandboxAccount, friends: str, what: str
) -> None:
    """Whatever it was."""
    uri = network.post(alice.did, "hello").uri if what == "a post" else friends
    if what == "gone":
        network.delete_record(friends)
    elif what == "its author is away":
        network.deactivate(alice.did)
    answer = as_bot.query(GET_LIST, list=uri)

    assert (400, "List not found") == (answer.status_code, answer.json()["message"])


def test_a_list_for_moderation_shows_whom_its_author_blocks(
    as_bot: Api, network: SandboxNetwork, alice: SandboxAccount
) -> None:
    """That is what it is for."""
    bob = network.create_account("bob.test")
    uri = network.make_list(alice.did, "pests", MOD_LIST).uri
    network.put_on_list(uri, bob.did)
    network.block(alice.did, bob.did)

    assert ["bob.test"] == names(as_bot.query(GET_LIST, list=uri).json())
