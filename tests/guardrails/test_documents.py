"""Document shapes: how a document is named, and that nothing else than a record's at-uri names one."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from guardrails.documents import Built, Did, Kind, Mention, RecordKey, doc_id, doc_id_of, post_of, split_at_uri
from tests.mentions import mention

URI = "at://did:plc:abc/app.bsky.feed.post/3kxyz"


def test_an_id_is_made_of_kind_author_and_key() -> None:
    """Two authors may choose the same key."""
    assert "mention:did:plc:abc:3kxyz" == doc_id_of(Kind.MENTION, URI)
    assert URI == post_of(doc_id_of(Kind.MENTION, URI))
    assert "mention:did:web:abc.example:3kxyz" == doc_id(Kind.MENTION, Did("did:web:abc.example"), RecordKey("3kxyz"))


@pytest.mark.parametrize(
    "uri", [URI, "at://did:web:example.com%3A8080/app.bsky.feed.post/a.b_c~d:e-f", f"at://did:plc:a/a.b.c/{'k' * 512}"]
)
def test_a_records_at_uri_is_taken_apart(uri: str) -> None:
    """And can be put together again."""
    assert uri == "at://" + "/".join(split_at_uri(uri))


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "at://alice.test/app.bsky.feed.post/3k",
        "at://did:plc:abc",
        "at://did:plc:abc/app.bsky.feed.post",
        "at://did:plc:abc/app.bsky.feed.post/",
        "at://did:plc:abc//3k",
        f"{URI}/more",
        f"{URI}#fragment",
        f"{URI}?query",
        f"{URI}\n",
        f"{URI}\x00",
        f"{URI}\u202e",
        f"{URI} ",
        "at://did:plc:abc/app.bsky.feed.post/.",
        "at://did:plc:abc/app.bsky.feed.post/..",
        f"at://did:plc:abc/app.bsky.feed.post/{'k' * 513}",
        "at://did:/app.bsky.feed.post/3k",
        "at://did:plc:a b/app.bsky.feed.post/3k",
        "at://did:plc:abc/app bsky/3k",
        "https://bsky.app/profile/alice.test/post/3k",
    ],
)
def test_anything_else_is_refused(uri: str) -> None:
    """A handle as authority, odd keys, signs that a terminal or a database would trip over."""
    with pytest.raises(ValueError, match="not an at-uri"):
        split_at_uri(uri)


@given(st.text())
def test_no_text_breaks_the_reading(text: str) -> None:
    """It is an at-uri or a ValueError, with parts that hold no slash and no blank."""
    try:
        parts = split_at_uri("at://did:plc:a/app.bsky.feed.post/" + text)
    except ValueError:
        return
    assert text == parts.rkey
    assert text.isascii()


def test_a_body_comes_back_from_json_as_it_went() -> None:
    """The ledger keeps it as JSON."""
    body = mention()

    assert body == Mention.model_validate(body.model_dump(mode="json"), strict=False)


@pytest.mark.parametrize(
    "more",
    [
        {"indexed_at": datetime(2026, 3, 2, 12, 0)},  # noqa: DTZ001
        {"surprise": 1},
        {"langs": "en"},
        {"text": 7},
        {"by_operator": "yes"},
    ],
    ids=repr,
)
def test_a_body_that_is_not_quite_right_is_refused(more: dict[str, Any]) -> None:
    """A naive time, an unknown field, a lax type."""
    with pytest.raises(ValidationError):
        mention(**more)


def test_another_zone_is_the_same_moment() -> None:
    """Aware is enough."""
    there = datetime(2026, 3, 2, 14, 0, tzinfo=timezone(timedelta(hours=2)))

    assert datetime(2026, 3, 2, 12, 0, tzinfo=UTC) == mention(indexed_at=there).indexed_at


def test_a_result_is_frozen() -> None:
    """What was built was built."""
    built = Built(title="Timer", description="", address="https://apps.example/x", sha256="a" * 64)

    with pytest.raises(ValidationError, match="frozen"):
        built.title = "Other"  # type: ignore[misc]
