"""What a post says to somebody who was told to look at it."""

from typing import Any

import pytest

from bot.bluesky.context import ALT_GRAPHEMES, CARD_GRAPHEMES, MOST_ALTS, context_from
from bot.bluesky.sight import Seen, Sight
from guardrails.documents import AtUri, Context, Did, StrongRef
from guardrails.text import graphemes

URI = AtUri("at://did:plc:bob/app.bsky.feed.post/3kbbb")


def said(text: object = "a recipe", *, quoted: bool = False, **more: Any) -> Context:
    sight = Sight(Seen.VISIBLE, "bafybb", record={"text": text, **more}, author_handle="bob.test")
    context = context_from(URI, sight, quoted=quoted)
    assert context is not None
    return context


def image(alt: object) -> dict[str, Any]:
    return {"image": {}, "alt": alt}


def images(*alts: object) -> dict[str, Any]:
    return {"$type": "app.bsky.embed.images", "images": [image(alt) for alt in alts]}


def external(**more: Any) -> dict[str, Any]:
    return {"$type": "app.bsky.embed.external", "external": more}


def test_a_post_says_its_text() -> None:
    """With its address, its version and its author."""
    ref = StrongRef(uri=URI, cid="bafybb")
    expected = Context(post=ref, author_did=Did("did:plc:bob"), author_handle="bob.test", quoted=True, text="a recipe")

    assert expected == said(quoted=True)


@pytest.mark.parametrize("kind", [kind for kind in Seen if kind is not Seen.VISIBLE])
def test_a_post_that_is_not_visible_says_nothing(kind: Seen) -> None:
    """Whatever was known of it."""
    assert context_from(URI, Sight(kind, "bafybb", record={"text": "a recipe"}), quoted=False) is None


def test_pictures_say_what_they_show() -> None:
    """In their order, as far as somebody wrote it down."""
    assert ("a cat", "a mat") == said(embed=images("a cat", "", " a  mat ", None)).alts


def test_a_video_says_what_it_shows() -> None:
    """As a picture does."""
    assert ("a cat jumps",) == said(embed={"$type": "app.bsky.embed.video", "alt": "a cat jumps"}).alts


def test_a_card_says_what_it_links_to() -> None:
    """Title, description and address, whichever is there."""
    assert (
        "Bread – https://bread.example"
        == said(embed=external(title="Bread", description="", uri="https://bread.example")).card
    )
    assert (
        "Bread – A book – https://b.example"
        == said(embed=external(title="Bread", description="A book", uri="https://b.example")).card
    )


def test_what_stands_beside_a_quoted_post_counts() -> None:
    """The quoted post itself is another one."""
    embed = {"$type": "app.bsky.embed.recordWithMedia", "record": {"record": {}}, "media": images("a cat")}

    assert ("a cat",) == said(embed=embed).alts


@pytest.mark.parametrize(
    "embed",
    [
        None,
        7,
        [],
        {},
        {"images": "x"},
        {"images": [7, {}]},
        {"external": "x"},
        {"external": {"title": 7}},
        {"media": 7},
        {"record": {"uri": "at://x"}},
        {"alt": 7},
    ],
)
def test_what_cannot_be_read_says_nothing(embed: object) -> None:
    """The text is kept."""
    context = said(embed=embed)

    assert ("a recipe", (), "") == (context.text, context.alts, context.card)


@pytest.mark.parametrize("text", [None, 7, ["x"]])
def test_a_text_that_is_none_is_empty(text: object) -> None:
    """Records are what people put there."""
    assert "" == said(text).text


def test_hidden_signs_are_taken_out() -> None:
    """From text, pictures and card."""
    context = said("a\u202eb\x00", embed={"media": images("c\u200bd")})

    assert ("ab", ("cd",)) == (context.text, context.alts)
    assert "ef – https://e.example" == said(embed=external(title="e\u200bf", uri="https://e.example")).card


def test_what_is_endless_is_cut() -> None:
    """A card may be as long as somebody likes, and so may what a picture shows."""
    context = said("x" * 100_000, embed=images(*["a" * 10_000] * 6))
    card = said(embed=external(title="t" * 300_000)).card

    assert 3000 == graphemes(context.text)
    assert [ALT_GRAPHEMES] * MOST_ALTS == [graphemes(alt) for alt in context.alts]
    assert CARD_GRAPHEMES == graphemes(card)
