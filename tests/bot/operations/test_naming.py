"""Reading what people type where a document is meant."""

import pytest

from bot.errors import NoSuchDocument
from bot.ledger.ledger import Ledger
from bot.operations.naming import PostName, find_document, read_name
from tests.bot.ledger.steps import received

APPS = "https://apps.example"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3kfirst", "3kfirst"),
        (" mention:did:plc:a:3k ", "mention:did:plc:a:3k"),
        ("https://apps.example/tip-abc", "tip-abc"),
        ("https://apps.example/tip-abc/source?v=1", "tip-abc"),
        ("HTTPS://Apps.Example/TIP-ABC", "tip-abc"),
        ("https://tip-abc.apps.example/", "tip-abc"),
        ("https://tip-abc.apps.example:8443/index.html", "tip-abc"),
        ("http://tip-abc.localhost:8100/", "tip-abc"),
        ("at://did:plc:a/app.bsky.feed.post/3k", PostName("did:plc:a", "3k")),
        ("at://alice.test/app.bsky.feed.post/3k", PostName("alice.test", "3k")),
        ("http://127.0.0.1:5/profile/alice.test/post/3k/", PostName("alice.test", "3k")),
        ("https://bsky.app/profile/did%3Aplc%3Aa/post/3k", PostName("did:plc:a", "3k")),
    ],
)
def test_what_is_meant(text: str, expected: PostName | str) -> None:
    """A post, or what the ledger looks for."""
    assert expected == read_name(text, APPS)


@pytest.mark.parametrize(
    "text",
    [
        "at://did:plc:a/app.bsky.feed.like/3k",
        "at://did:plc:a",
        "https://bsky.app/profile/alice.test",
        "https://apps.example/",
        "https://apps.example.evil.test/tip-abc",
        "https://evilapps.example/tip-abc",
        "https://a.b.apps.example/",
        "https://[::1/x",
        "https://bsky.app/profile/did:plc:a/post/3k%00",
    ],
)
def test_what_names_nothing(text: str) -> None:
    """An address of something else is told from a name that is only unknown."""
    with pytest.raises(NoSuchDocument):
        read_name(text, APPS)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_a_handle_that_the_author_took_later(ledger: Ledger) -> None:
    """The ledger knows the old one; the network knows whose the new one is."""
    document = received(ledger)
    link = "https://bsky.app/profile/alice.example/post/3kfirst"

    found = find_document(ledger.queries, link, APPS, {"alice.example": "did:plc:alice"}.get)

    assert document.id == found.id
    with pytest.raises(NoSuchDocument, match="with the DID"):
        find_document(ledger.queries, link, APPS, lambda _: None)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_the_author_is_part_of_the_name(ledger: Ledger) -> None:
    """Another's post under the same record key is another post."""
    received(ledger)

    with pytest.raises(NoSuchDocument):
        find_document(ledger.queries, "https://bsky.app/profile/bob.test/post/3kfirst", APPS, lambda _: None)
