"""The record of a like."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.bluesky.likes import like_record
from guardrails.documents import AtUri, StrongRef

POST = StrongRef(uri=AtUri("at://did:plc:ndh7limaf7c2saw23rincw3f/app.bsky.feed.post/3n3h52zhifc2a"), cid="bafyaa")


def test_a_like_names_the_post_and_its_version() -> None:
    """In UTC, to the millisecond."""
    at = datetime(2026, 3, 2, 14, 0, 0, 123456, tzinfo=timezone(timedelta(hours=2)))

    assert {
        "$type": "app.bsky.feed.like",
        "subject": {"uri": POST.uri, "cid": "bafyaa"},
        "createdAt": "2026-03-02T12:00:00.123Z",
    } == like_record(POST, at)


def test_a_like_at_no_certain_time_is_a_mistake() -> None:
    """A naive time would be read as another one elsewhere."""
    with pytest.raises(ValueError, match="aware"):
        like_record(POST, datetime(2026, 3, 2, 12, 0, tzinfo=UTC).replace(tzinfo=None))
