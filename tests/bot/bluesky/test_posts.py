"""A post as it is now, and the links that name one."""

from typing import Any

import pytest

from bot.bluesky.errors import CallFailed, Failure, NotAPost
from bot.bluesky.posts import get_post, resolve_link
from guardrails.documents import AtUri
from tests.bot.bluesky.accounts import scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused

ALICE = "did:plc:ndh7limaf7c2saw23rincw3f"
URI = AtUri(f"at://{ALICE}/app.bsky.feed.post/3n3h52zhifc2a")
WEB = "https://bsky.app/profile"


def view(uri: str = URI, **more: Any) -> dict[str, Any]:
    author = {"did": ALICE, "handle": "alice.test"}
    return {"uri": uri, "cid": "bafyaa", "author": author, "record": {"text": "hi"}, **more}


def test_a_post_is_found_by_its_uri() -> None:
    """Never by its place in the answer."""
    with scene(lambda _: answered({"posts": [view(f"{URI}x"), view()]})) as made:
        post = get_post(made.open(), URI)

    assert post is not None
    assert (URI, "alice.test", False) == (post.uri, post.author_handle, post.reply_disabled)


@pytest.mark.parametrize(("viewer", "disabled"), [({"replyDisabled": True}, True), ({}, False), (None, False)])
def test_a_gate_is_seen(viewer: object, disabled: bool) -> None:
    """What the viewer may not do is said."""
    with scene(lambda _: answered({"posts": [view(viewer=viewer)]})) as made:
        post = get_post(made.open(), URI)

    assert post is not None
    assert disabled is post.reply_disabled


def test_a_post_that_is_not_shown_is_none() -> None:
    """Deleted, blocked or not yet indexed: silently absent."""
    with scene(lambda _: answered({"posts": []})) as made:
        assert None is get_post(made.open(), URI)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"posts": [{"uri": URI}]},
        {"posts": [1]},
        {"posts": [view(cid="bafy\0")]},
        {"posts": [view(author={"did": "did:plc:al\0", "handle": "alice.test"})]},
    ],
)
def test_an_answer_that_cannot_be_read_is_a_failure(answer: object) -> None:
    """It is not the absence of the post."""
    with scene(lambda _: answered(answer)) as made:
        account = made.open()
        with pytest.raises(CallFailed) as caught:
            get_post(account, URI)

    assert Failure.NOT_SENT is caught.value.failure


@pytest.mark.parametrize("uri", ["at://alice.test/app.bsky.feed.post/3k", "", "https://bsky.app"])
def test_only_a_uri_with_a_did_is_asked_for(uri: str) -> None:
    """A handle in the uri would be a 502 that looks like trouble in passing."""
    with scene(lambda _: answered({"posts": []})) as made:
        account = made.open()
        with pytest.raises(NotAPost):
            get_post(account, AtUri(uri))


def resolving(call: Call) -> Answer:
    known = call.params == {"handle": ["alice.test"]}
    return answered({"did": ALICE}) if known else refused(400, "InvalidRequest", "Unable to resolve handle")


@pytest.mark.parametrize(
    "link",
    [
        URI,
        f"  {URI}\n",
        "at://alice.test/app.bsky.feed.post/3n3h52zhifc2a",
        f"{WEB}/alice.test/post/3n3h52zhifc2a",
        f"{WEB}/Alice.Test/post/3n3h52zhifc2a/",
        f"{WEB}/@alice.test/post/3n3h52zhifc2a",
        f"{WEB}/{ALICE}/post/3n3h52zhifc2a?ref=x#y",
        f"{WEB}/did%3Aplc%3Andh7limaf7c2saw23rincw3f/post/3n3h52zhifc2a",
        "http://127.0.0.1:8080/profile/alice.test/post/3n3h52zhifc2a",
    ],
)
def test_a_link_names_a_post(link: str) -> None:
    """Whatever a person copies from the address bar or a log."""
    with scene(resolving) as made:
        assert URI == resolve_link(made.open(), link)


@pytest.mark.parametrize(
    "link",
    [
        "",
        "hello",
        "@alice.test",
        WEB,
        f"{WEB}/alice.test",
        f"{WEB}/alice.test/feed/3k",
        f"{WEB}/alice.test/post/",
        f"{WEB}/alice.test/post/3k/liked-by",
        f"{WEB}/alice/post/3k",
        f"{WEB}/nobody.test/post/3k",
        f"{WEB}/a%2F..%2Fb/post/3k",
        "ftp://bsky.app/profile/alice.test/post/3k",
        "https:///profile/alice.test/post/3k",
        "http://[bad/profile/alice.test/post/3k",
        f"at://{ALICE}/app.bsky.feed.like/3k",
        f"at://{ALICE}/app.bsky.feed.post",
        f"at://{ALICE}/app.bsky.feed.post/3k/extra",
        "at://did:x/app.bsky.feed.post/3k",
        "javascript:alert(1)//profile/alice.test/post/3k",
    ],
)
def test_anything_else_is_not_a_post(link: str) -> None:
    """A clear error, which is a ValueError."""
    with scene(resolving) as made:
        account = made.open()
        with pytest.raises(NotAPost):
            resolve_link(account, link)


@pytest.mark.parametrize("answer", [refused(502, "UpstreamFailure"), answered({}), answered({"did": "x"})])
def test_a_handle_that_cannot_be_looked_up_now_is_a_failure(answer: Answer) -> None:
    """The link may be right: ask again later."""
    with scene(lambda _: answer) as made:
        account = made.open()
        with pytest.raises(CallFailed) as caught:
            resolve_link(account, f"{WEB}/alice.test/post/3k")

    assert Failure.NOT_SENT is caught.value.failure
