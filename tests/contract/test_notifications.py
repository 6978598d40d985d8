"""What a bot is told of, in which order, and what becomes of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.notifications import Notification, Unreadable, later_cursor, list_page, update_seen
from bot.bluesky.session import Account
from tests.contract.target import Person, Target


@pytest.fixture
def mention(target: Target, alice: Person, bot: Person) -> Any:
    def say(text: str = "a timer", **more: Any) -> str:
        post = target.post(alice.did, f"@{bot.handle} {text}", mentions=[bot.did], **more)
        return str(post.uri)

    return say


def listed(account: Account, target: Target) -> tuple[Notification, ...]:
    target.process()
    items = list_page(account).items
    assert not [item for item in items if isinstance(item, Unreadable)]
    return tuple(item for item in items if isinstance(item, Notification))


def uris(account: Account, target: Target) -> list[str]:
    return [item.uri for item in listed(account, target)]


def minutes_ago(minutes: float) -> str:
    moment = datetime.now(UTC) - timedelta(minutes=minutes)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_a_mention_is_read_whole(account: Account, target: Target, alice: Person, bot: Person, mention: Any) -> None:
    """Post, author, reason, time and the record with its facet."""
    uri = mention("a timer, please")
    (item,) = listed(account, target)

    assert (uri, "mention", alice.did, alice.handle) == (item.uri, item.reason, item.author_did, item.author_handle)
    assert f"@{bot.handle} a timer, please" == item.record["text"]
    assert bot.did == item.record["facets"][0]["features"][0]["did"]
    assert item.record["createdAt"] == item.raw["indexedAt"]


def test_a_handle_without_a_facet_is_no_mention(account: Account, target: Target, alice: Person, bot: Person) -> None:
    """The text alone does nothing."""
    target.post(alice.did, f"@{bot.handle} hello", facets=[])

    assert [] == uris(account, target)


def test_a_facet_over_any_text_is_a_mention(account: Account, target: Target, alice: Person, bot: Person) -> None:
    """The DID counts, not the words that it is on."""
    feature = {"$type": "app.bsky.richtext.facet#mention", "did": bot.did}
    facet = {"index": {"byteStart": 0, "byteEnd": 5}, "features": [feature]}
    post = target.post(alice.did, "click here", facets=[facet])

    assert [post.uri] == uris(account, target)


def test_odd_facets_are_passed_on(account: Account, target: Target, alice: Person, bot: Person) -> None:
    """A range outside of the text is stored as it is, and reading the page survives it."""
    feature = {"$type": "app.bsky.richtext.facet#mention", "did": bot.did}
    facets = [{"index": {"byteStart": 90, "byteEnd": 3}, "features": [feature, {"$type": "com.example.new"}]}]
    post = target.post(alice.did, "hello", facets=facets)

    assert [post.uri] == uris(account, target)


@pytest.mark.parametrize("extra", [{"embed": {"$type": "com.example.embed"}}, {"com.example.field": {"a": [1]}}])
def test_unknown_parts_of_a_post_do_no_harm(account: Account, target: Target, mention: Any, extra: Any) -> None:
    """Records of newer clients are read."""
    mention("before")
    mention("odd", extra=extra)
    mention("after")

    assert 3 == len(uris(account, target))


def test_a_reply_to_us_with_a_mention_comes_once(account: Account, target: Target, alice: Person, bot: Person) -> None:
    """One post is one notification, and the mention wins."""
    ours = target.post(bot.did, "hello").model_dump()
    reply = {"root": ours, "parent": ours}
    target.post(alice.did, f"@{bot.handle} again", mentions=[bot.did], reply=reply)
    plain = target.post(alice.did, "thanks", reply=reply)

    assert [(plain.uri, "reply"), "mention"] == [
        (item.uri, item.reason) if item.uri == plain.uri else item.reason for item in listed(account, target)
    ]


def test_other_reasons_are_read_too(account: Account, target: Target, alice: Person, bot: Person) -> None:
    """Likes, reposts and follows are notifications like any other."""
    ours = target.post(bot.did, "hello")
    target.like(alice.did, ours)
    target.repost(alice.did, ours)
    target.follow(alice.did, bot.did)

    assert {"like", "repost", "follow"} == {item.reason for item in listed(account, target)}


def test_our_own_mention_is_none(account: Account, target: Target, bot: Person) -> None:
    """Nobody is told of himself."""
    target.post(bot.did, f"@{bot.handle} hello", mentions=[bot.did])

    assert [] == uris(account, target)


def test_the_order_is_newest_first(account: Account, target: Target, mention: Any) -> None:
    """By the time that is shown."""
    made = [mention(str(n), created_at=minutes_ago(9 - n)) for n in range(3)]

    assert made[::-1] == uris(account, target)


def test_a_backdated_mention_lands_in_its_past(account: Account, target: Target, mention: Any) -> None:
    """Below everything newer, and already read."""
    newer = mention("newer")
    older = mention("older", created_at="2020-01-01T00:00:00.000Z")
    items = listed(account, target)

    assert [newer, older] == [item.uri for item in items]
    assert datetime(2020, 1, 1, tzinfo=UTC) == items[-1].indexed_at


def test_a_mention_from_the_future_is_of_now(account: Account, target: Target, mention: Any) -> None:
    """createdAt is no way to stay on top."""
    mention(created_at="2099-01-01T00:00:00.000Z")
    (item,) = listed(account, target)

    assert abs(item.indexed_at - datetime.now(UTC)) < timedelta(minutes=1)


def test_the_cursor_is_exclusive(account: Account, target: Target, mention: Any) -> None:
    """Items that share the edge's millisecond are lost with the cursor as given."""
    at = minutes_ago(1)
    for n in range(5):
        mention(str(n), created_at=at)
    target.process()
    first = list_page(account, limit=1)
    assert first.cursor is not None
    rest = list_page(account, first.cursor)

    assert at == first.cursor
    assert () == rest.items


def test_five_mentions_in_one_millisecond_are_all_seen(account: Account, target: Target, mention: Any) -> None:
    """With the cursor a millisecond later, at the price of seeing some twice."""
    at = minutes_ago(1)
    made = {mention(str(n), created_at=at) for n in range(5)} | {mention("a"), mention("b"), mention("c")}
    target.process()
    first = list_page(account, limit=5)
    assert first.cursor is not None
    second = list_page(account, later_cursor(first.cursor), limit=5)
    seen = [item.uri for item in (*first.items, *second.items) if isinstance(item, Notification)]

    assert made == set(seen)
    assert 10 == len(seen)


def test_the_pages_end_without_a_cursor(account: Account, target: Target, mention: Any) -> None:
    """Going on until there is none sees everything."""
    made = [mention(str(n), created_at=minutes_ago(n + 1)) for n in range(5)]
    target.process()
    seen: list[str] = []
    cursor, pages = None, 0
    while pages == 0 or cursor:
        page = list_page(account, cursor, limit=2)
        seen += [item.uri for item in page.items if isinstance(item, Notification)]
        cursor, pages = page.cursor, pages + 1

    assert made == seen
    assert pages <= 4


def test_a_page_of_101_is_refused(account: Account) -> None:
    """100 is the most."""
    with pytest.raises(CallFailed) as caught:
        list_page(account, limit=101)

    assert (Failure.REFUSED, "InvalidRequest") == (caught.value.failure, caught.value.error)


def test_a_cursor_that_is_no_time_looks_like_trouble_in_passing(account: Account) -> None:
    """The server stumbles over it, so our own cursors have to be right."""
    with pytest.raises(CallFailed) as caught:
        list_page(account, "garbage")

    assert (Failure.NOT_SENT, 502) == (caught.value.failure, caught.value.status)


def test_an_edit_keeps_the_uri_and_changes_the_cid(account: Account, target: Target, mention: Any, bot: Person) -> None:
    """The text that we read may not be the text that is there."""
    uri = mention("a timer")
    (before,) = listed(account, target)
    edited = target.edit(uri, text=f"@{bot.handle} a clock")
    (after,) = listed(account, target)

    assert (uri, edited.cid) == (after.uri, after.cid)
    assert before.cid != after.cid
    assert after.record["text"].endswith("a clock")


def test_a_mention_added_by_an_edit_is_notified(account: Account, target: Target, alice: Person, bot: Person) -> None:
    """And one removed by an edit is not."""
    text = f"@{bot.handle} hello"
    added, removed = target.post(alice.did, text, facets=[]), target.post(alice.did, text, mentions=[bot.did])
    feature = {"$type": "app.bsky.richtext.facet#mention", "did": bot.did}
    index = {"byteStart": 0, "byteEnd": len(f"@{bot.handle}")}
    target.process()
    target.edit(added.uri, facets=[{"index": index, "features": [feature]}])
    target.edit(removed.uri, facets=[])

    assert [added.uri] == uris(account, target)


def test_a_deleted_mention_is_gone(account: Account, target: Target, mention: Any) -> None:
    """Without a trace."""
    kept, deleted = mention("kept"), mention("deleted")
    target.process()
    target.delete(deleted)

    assert [kept] == uris(account, target)


@pytest.mark.parametrize("who", ["author", "bot"])
def test_a_block_hides_a_mention_until_it_is_lifted(
    account: Account, target: Target, mention: Any, alice: Person, bot: Person, who: str
) -> None:
    """In either direction."""
    uri = mention()
    target.process()
    blocker, blocked = (alice, bot) if who == "author" else (bot, alice)
    block = target.block(blocker.did, blocked.did)

    assert [] == uris(account, target)

    target.delete(block.uri)

    assert [uri] == uris(account, target)


def test_a_muted_author_is_not_notified(
    account: Account, target: Target, mention: Any, alice: Person, bot: Person
) -> None:
    """The bot's own mute."""
    mention()
    target.process()
    target.mute(bot.did, alice.did)

    assert [] == uris(account, target)


@pytest.mark.parametrize("how", ["taken down", "deactivated"])
def test_an_author_who_is_gone_takes_the_mention_along(
    account: Account, target: Target, mallory: Person, bot: Person, how: str
) -> None:
    """And brings it back."""
    change = target.take_down if how == "taken down" else target.deactivate
    uri = target.post(mallory.did, f"@{bot.handle} hello", mentions=[bot.did]).uri
    target.process()
    change(mallory.did)

    assert [] == uris(account, target)

    change(mallory.did, undo=True)

    assert [uri] == uris(account, target)


def test_seen_changes_nothing_that_is_listed(account: Account, target: Target, mention: Any) -> None:
    """Whoever reads along in the app cannot make us miss anything."""
    uri = mention()
    target.process()
    update_seen(account, datetime.now(UTC) + timedelta(seconds=1))
    (item,) = listed(account, target)

    assert (uri, True) == (item.uri, item.raw["isRead"])
