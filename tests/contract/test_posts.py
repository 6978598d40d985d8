"""Looking at a post again, and finding the post that a link names."""

import pytest

from bot.bluesky.errors import NotAPost
from bot.bluesky.posts import get_post, resolve_link
from bot.bluesky.session import Account
from guardrails.documents import AtUri, StrongRef, split_at_uri
from tests.contract.target import POST, Person, Target


@pytest.fixture
def hello(target: Target, alice: Person) -> StrongRef:
    made = target.post(alice.did, "hello")
    target.process()
    return made


def test_a_post_is_shown(writer: Account, hello: StrongRef, alice: Person) -> None:
    """As it is now."""
    post = get_post(writer, hello.uri)

    assert post is not None
    assert (hello.uri, hello.cid, alice.handle) == (post.uri, post.cid, post.author_handle)
    assert ("hello", False) == (post.record["text"], post.reply_disabled)


def test_an_edited_post_is_shown_with_its_new_cid(writer: Account, target: Target, hello: StrongRef) -> None:
    """So that an old mention is noticed."""
    edited = target.edit(hello.uri, text="good morning")
    target.process()
    post = get_post(writer, hello.uri)

    assert post is not None
    assert (edited.cid, "good morning") == (post.cid, post.record["text"])


GONE = ["deleted", "taken down", "its author taken down", "its author deactivated", "blocked", "blocking"]


@pytest.mark.parametrize("how", GONE)
def test_a_post_that_is_gone_is_not_shown(writer: Account, target: Target, mallory: Person, how: str) -> None:
    """All look alike: silently absent."""
    post = target.post(mallory.did, "hello")
    target.process()
    match how:
        case "deleted":
            target.delete(post.uri)
        case "taken down":
            target.take_down(post.uri, post.cid)
        case "its author taken down":
            target.take_down(mallory.did)
        case "its author deactivated":
            target.deactivate(mallory.did)
        case "blocked":
            target.block(mallory.did, writer.did)
        case _:
            target.block(writer.did, mallory.did)
    target.process()

    assert None is get_post(writer, post.uri)


def test_a_post_that_never_was_is_not_shown(writer: Account, alice: Person) -> None:
    """As if it were deleted."""
    assert None is get_post(writer, AtUri(f"at://{alice.did}/{POST}/3kaaaaaaaaaa2"))


def test_a_muted_author_is_shown(writer: Account, target: Target, mallory: Person) -> None:
    """A mute hides notifications only."""
    post = target.post(mallory.did, "hello")
    target.mute(writer.did, mallory.did)
    target.process()

    assert get_post(writer, post.uri) is not None


def test_a_gate_is_seen(writer: Account, target: Target, hello: StrongRef) -> None:
    """Where our reply would be accepted and never shown."""
    target.gate(hello)
    target.process()
    post = get_post(writer, hello.uri)

    assert post is not None
    assert post.reply_disabled


def test_a_link_by_handle_or_did_names_the_post(writer: Account, hello: StrongRef, alice: Person) -> None:
    """Resolved by our own PDS."""
    rkey = split_at_uri(hello.uri).rkey
    links = [
        f"https://bsky.app/profile/{alice.handle}/post/{rkey}",
        f"https://bsky.app/profile/{alice.did}/post/{rkey}",
        f"at://{alice.handle}/{POST}/{rkey}",
        hello.uri,
    ]

    assert [hello.uri] * 4 == [resolve_link(writer, link) for link in links]


def test_a_link_of_nobody_is_not_a_post(writer: Account) -> None:
    """The handle does not resolve."""
    with pytest.raises(NotAPost):
        resolve_link(writer, "https://bsky.app/profile/nobody-at-all.test/post/3kaaaaaaaaaa2")
