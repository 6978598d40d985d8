"""The like on a mention: put like a reply, told to its author once, and nowhere refused."""

import json
from datetime import UTC, datetime

import pytest

from bot.bluesky.errors import CallFailed
from bot.bluesky.likes import LIKE_COLLECTION, like_record
from bot.bluesky.records import INVALID_SWAP, Absent, delete_record, list_own, put_once, read_back
from bot.bluesky.session import Account
from guardrails.documents import RecordKey, StrongRef
from guardrails.tid import TidClock
from tests.contract.target import Person, Target
from tests.contract.wire import Wire

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def post(target: Target, mallory: Person) -> StrongRef:
    made = target.post(mallory.did, "make me a timer")
    target.process()
    return made


def like(account: Account, key: RecordKey, post: StrongRef) -> StrongRef:
    return put_once(account, LIKE_COLLECTION, key, json.dumps(like_record(post, NOON)))


def told(target: Target, wire: Wire, person: Person) -> list[tuple[str, str]]:
    """Who did what, as the person hears of it."""
    target.process()
    token = wire.log_in(person)["accessJwt"]
    listed = wire.get("app.bsky.notification.listNotifications", {}, token).json()["notifications"]
    return [(item["reason"], item["author"]["did"]) for item in listed]


def test_a_like_is_put_once_and_told_once(
    account: Account, target: Target, wire: Wire, mallory: Person, post: StrongRef, key: RecordKey
) -> None:
    """However often the same is sent."""
    first = like(account, key, post)

    assert first == like(account, key, post)
    assert [("like", account.did)] == told(target, wire, mallory)
    assert [first.uri] == [found.uri for found in list_own(account, LIKE_COLLECTION).records]


def test_another_like_under_the_key_is_a_conflict(writer: Account, post: StrongRef, key: RecordKey) -> None:
    """As for every record that is put once."""
    like(writer, key, post)
    with pytest.raises(CallFailed) as caught:
        put_once(writer, LIKE_COLLECTION, key, json.dumps(like_record(post, NOON.replace(hour=13))))

    assert INVALID_SWAP == caught.value.error


def test_a_second_like_of_the_post_counts_for_nothing(
    account: Account, target: Target, wire: Wire, mallory: Person, post: StrongRef, keys: TidClock
) -> None:
    """It is kept under its own key, and neither told nor counted."""
    first, second = like(account, keys.mint(), post), like(account, keys.mint(), post)

    assert [("like", account.did)] == told(target, wire, mallory)
    assert [second.uri, first.uri] == [found.uri for found in list_own(account, LIKE_COLLECTION).records]
    token = wire.log_in(mallory)["accessJwt"]
    (shown,) = wire.get("app.bsky.feed.getPosts", {"uris": post.uri}, token).json()["posts"]
    assert 1 == shown["likeCount"]


@pytest.mark.parametrize("fate", ["deleted", "its author blocks us", "its author deactivated", "edited"])
def test_a_like_is_never_refused(
    writer: Account, target: Target, mallory: Person, post: StrongRef, key: RecordKey, fate: str
) -> None:
    """The PDS does not look at the post."""
    match fate:
        case "deleted":
            target.delete(post.uri)
        case "edited":
            target.edit(post.uri, text="make me a clock")
        case "its author deactivated":
            target.deactivate(mallory.did)
        case _:
            target.block(mallory.did, writer.did)
    target.process()

    assert f"at://{writer.did}/{LIKE_COLLECTION}/{key}" == like(writer, key, post).uri


def test_a_like_of_whoever_blocks_us_is_not_told(
    writer: Account, target: Target, wire: Wire, mallory: Person, post: StrongRef, key: RecordKey
) -> None:
    """The block holds."""
    target.block(mallory.did, writer.did)
    target.process()
    like(writer, key, post)

    assert [] == told(target, wire, mallory)


def test_a_like_is_taken_back(
    writer: Account, target: Target, wire: Wire, mallory: Person, post: StrongRef, key: RecordKey
) -> None:
    """And is not told any more."""
    like(writer, key, post)
    target.process()
    delete_record(writer, LIKE_COLLECTION, key)

    assert [] == told(target, wire, mallory)
    assert Absent() == read_back(writer, LIKE_COLLECTION, key)
