"""What stands around a post: read from records that anybody may have written."""

import pytest

from guardrails.around import parent_of, people_around, quoted_by
from guardrails.documents import AtUri, StrongRef
from tests.mentions import ALICE, BOB, mention

POST = "at://did:plc:bob/app.bsky.feed.post/3kbob"
CAROLS = "at://did:plc:carol/app.bsky.feed.post/3kcarol"
ODD: list[object] = [
    None,
    [],
    "at://",
    {},
    {"parent": "x"},
    {"parent": {"uri": 7}},
    {"parent": {"uri": "at://bob.test/a/b"}},
]


def ref(uri: str) -> dict[str, str]:
    return {"uri": uri, "cid": "cid"}


def test_a_reply_names_its_parent() -> None:
    """Whatever its root is."""
    assert POST == parent_of({"reply": {"parent": ref(POST), "root": ref(CAROLS)}})


@pytest.mark.parametrize("reply", ODD)
def test_what_is_no_reply_has_no_parent(reply: object) -> None:
    """An address with a handle is none that could be looked up."""
    assert parent_of({"reply": reply}) is None
    assert parent_of({}) is None


@pytest.mark.parametrize(
    "embed",
    [
        {"$type": "app.bsky.embed.record", "record": ref(POST)},
        {"$type": "app.bsky.embed.recordWithMedia", "record": {"record": ref(POST)}, "media": {}},
    ],
)
def test_a_quote_names_its_post(embed: object) -> None:
    """Beside a picture or alone."""
    assert POST == quoted_by({"embed": embed})


@pytest.mark.parametrize("embed", [None, "x", {"images": []}, {"record": {"uri": "at://x"}}, {"record": {"record": 1}}])
def test_what_quotes_nothing_has_no_quoted_post(embed: object) -> None:
    """Pictures, links, or what is no address."""
    assert quoted_by({"embed": embed}) is None


def test_an_ask_is_about_whoever_stands_around_it() -> None:
    """Each once, and never the author."""
    record = {
        "reply": {"parent": ref(f"at://{ALICE}/app.bsky.feed.post/3kown")},
        "embed": {"record": ref(CAROLS)},
    }
    root = StrongRef(uri=AtUri(POST), cid="cid")

    assert (BOB, "did:plc:carol") == people_around(mention(root=root, record=record))
    assert () == people_around(mention())


@pytest.mark.parametrize("uri", ["", "at://bob.test/app.bsky.feed.post/3k", f"at://did:plc:{'b' * 1000}/a/b", "\x00"])
def test_a_root_that_is_none_is_the_post_itself(uri: str) -> None:
    """So that a thread always has a name that every database can hold."""
    odd = mention(root=StrongRef(uri=AtUri(uri), cid="cid"))

    assert odd.post.uri == odd.thread
    assert POST == mention(root=StrongRef(uri=AtUri(POST), cid="cid")).thread
