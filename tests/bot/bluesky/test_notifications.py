"""A page of notifications is read item by item, and one bad item spoils nothing."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.notifications import Notification, Page, Unreadable, later_cursor, list_page, update_seen
from tests.bot.bluesky.accounts import Scene, scene
from tests.bot.bluesky.scripted import answered

ALICE = "did:plc:ndh7limaf7c2saw23rincw3f"


def mention(**changes: Any) -> dict[str, Any]:
    return {
        "uri": f"at://{ALICE}/app.bsky.feed.post/3n3h52zhifc2a",
        "cid": "bafyreicrycyncw326k3gfyd7ory2gwlafsfqyus3dclknuezdrt425ps5u",
        "author": {"did": ALICE, "handle": "alice.test", "labels": []},
        "reason": "mention",
        "record": {"$type": "app.bsky.feed.post", "text": "@buildbot.test hi", "createdAt": "2026-11-29T11:40:18.926Z"},
        "isRead": False,
        "indexedAt": "2026-11-29T11:40:18.926Z",
        "labels": [],
        **changes,
    }


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in mention().items() if name != key}


def page_of(*items: object, **more: object) -> Page:
    with scene(lambda _: answered({"notifications": list(items), **more})) as made:
        return list_page(made.open())


def test_a_mention_is_read_whole() -> None:
    """Everything that the ledger keeps of it is there, the raw item too."""
    (item,) = page_of(mention()).items

    assert isinstance(item, Notification)
    assert ("alice.test", ALICE, "mention") == (item.author_handle, item.author_did, item.reason)
    assert datetime(2026, 11, 29, 11, 40, 18, 926000, tzinfo=UTC) == item.indexed_at
    assert "@buildbot.test hi" == item.record["text"]
    assert mention() == item.raw


UNREADABLE = {
    "no object": "text",
    "null": None,
    "no uri": without("uri"),
    "no cid": without("cid"),
    "no author": without("author"),
    "no record": without("record"),
    "no reason": without("reason"),
    "no time": without("indexedAt"),
    "a handle in the uri": mention(uri="at://alice.test/app.bsky.feed.post/3n3h52zhifc2a"),
    "no at-uri": mention(uri="https://example.com"),
    "an author without a DID": mention(author={"handle": "alice.test"}),
    "an author that is a text": mention(author="alice"),
    "a record that is a list": mention(record=[]),
    "a mention in an unknown record": mention(record={"$type": "com.example.thing"}),
    "a mention in a record without a type": mention(record={"text": "hi"}),
    "a time without a zone": mention(indexedAt="2026-11-29T11:40:18"),
    "no such day": mention(indexedAt="2026-02-30T11:40:18Z"),
    "a number for a time": mention(indexedAt=1764416418),
    "an empty cid": mention(cid=""),
    "a letter in the cid that is none of ASCII": mention(cid="bafy\ufffd"),
    "a NUL in the cid": mention(cid="bafy\0"),
    "a letter in the DID that is none of ASCII": mention(author={"did": "did:plc:al\ufffd", "handle": "alice.test"}),
    "a NUL in the DID": mention(author={"did": "did:plc:al\0", "handle": "alice.test"}),
    "a handle for a DID": mention(author={"did": "alice.test", "handle": "alice.test"}),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_an_unreadable_item_is_parked_and_the_rest_read(what: str) -> None:
    """The item stays as it came, with the problem named; its neighbours are notifications."""
    before, odd, after = page_of(mention(), UNREADABLE[what], mention()).items

    assert isinstance(before, Notification)
    assert isinstance(after, Notification)
    assert isinstance(odd, Unreadable)
    assert UNREADABLE[what] == odd.raw
    assert odd.problem


def test_half_a_surrogate_pair_is_read_as_the_sign_for_it() -> None:
    """No parser of the SDK takes it, nor the page that it is on."""
    odd = mention(record={"$type": "app.bsky.feed.post", "text": "\ud83d \U0001f6de \\ud83d"})
    (item,) = page_of(odd).items

    assert isinstance(item, Notification)
    assert "\ufffd \U0001f6de \\ud83d" == item.record["text"]


def test_an_unheard_of_reason_is_no_problem() -> None:
    """New kinds of notification come with records that we need not know."""
    (item,) = page_of(mention(reason="contact-match", record={"$type": "com.example.new"})).items

    assert isinstance(item, Notification)
    assert "contact-match" == item.reason


@pytest.mark.parametrize(
    ("text", "year"),
    [("0000-01-01T00:00:00.000Z", 1), ("-000001-12-31T00:00:00.000Z", 1), ("+010000-01-01T00:00:00Z", 9999)],
)
def test_a_year_that_python_cannot_hold_is_clamped(text: str, year: int) -> None:
    """Authors choose createdAt, and indexedAt is the earlier of the two."""
    (item,) = page_of(mention(indexedAt=text)).items

    assert isinstance(item, Notification)
    assert year == item.indexed_at.year


def test_times_are_utc() -> None:
    """An offset is understood and normalised."""
    (item,) = page_of(mention(indexedAt="2026-11-29T13:40:18+02:00")).items

    assert isinstance(item, Notification)
    assert (timedelta(0), 11) == (item.indexed_at.utcoffset(), item.indexed_at.hour)


def test_the_question_is_complete() -> None:
    """Pages of 100, from the cursor as given, and not only from accounts that the bot follows."""
    with scene(lambda _: answered({"notifications": []})) as made:
        list_page(made.open(), "2026-11-29T11:40:23.039Z")

    asked = made.pds.calls[-1].params
    assert {"limit": ["100"], "priority": ["false"], "cursor": ["2026-11-29T11:40:23.039Z"]} == asked


def test_an_empty_page_may_have_a_cursor() -> None:
    """The end is the missing cursor, not the missing items."""
    assert Page((), "2026") == page_of(cursor="2026")
    assert Page((), None) == page_of()


@pytest.mark.parametrize("answer", [{}, {"notifications": {}}, {"notifications": [], "cursor": 7}])
def test_a_page_that_cannot_be_read_is_a_failure(answer: object) -> None:
    """An answer without a list is not an empty list."""
    with scene(lambda _: answered(answer)) as made:
        account = made.open()
        with pytest.raises(CallFailed) as caught:
            list_page(account)

    assert Failure.NOT_SENT is caught.value.failure


@pytest.mark.parametrize(
    ("cursor", "later"),
    [
        ("2026-11-29T11:40:23.039Z", "2026-11-29T11:40:23.040Z"),
        ("2026-11-29T11:40:23Z", "2026-11-29T11:40:23.001Z"),
        ("2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z"),
        ("2026-11-29T13:40:23.039+02:00", "2026-11-29T11:40:23.040Z"),
        ("1000-01-01T00:00:00.000Z", "1000-01-01T00:00:00.001Z"),
        ("0999-12-31T23:59:59.990Z", "0999-12-31T23:59:59.991Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z"),
        ("1764416418000::bafyreia", "1764416418000::bafyreia"),
        ("", ""),
    ],
)
def test_the_later_cursor_is_a_millisecond_later(cursor: str, later: str) -> None:
    """Items that share the edge's millisecond are seen; a cursor that is no time is left alone."""
    assert later == later_cursor(cursor)


def test_update_seen_sends_a_time() -> None:
    """In UTC, to the millisecond, and an empty answer is fine."""
    with scene(lambda _: answered({})) as made:
        update_seen(made.open(), datetime(2026, 3, 2, 14, 0, tzinfo=UTC))

    assert {"seenAt": "2026-03-02T14:00:00.000Z"} == _body(made)


def _body(made: Scene) -> object:
    return made.pds.calls[-1].json
