"""What can be told of a post that somebody wrote, and of the thread around it, before and after an answer."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bot.bluesky.patience import Patience
from bot.bluesky.records import delete_record, put_once
from bot.bluesky.session import Account
from bot.bluesky.sight import BATCH, Closed, Seen, Sight, look_at, look_at_threads, out_of_place, which_are_visible
from guardrails.documents import AtUri, RecordKey, StrongRef
from tests.contract.target import POST, Person, Target
from tests.contract.wire import Wire

FATES = {
    "kept": Seen.VISIBLE,
    "deleted": Seen.GONE,
    "taken down": Seen.GONE,
    "its author blocks us": Seen.BLOCKED_BY_AUTHOR,
    "blocked by us": Seen.BLOCKED_BY_US,
    "blocks both ways": Seen.BLOCKED_BY_AUTHOR,
    "deleted behind a block": Seen.BLOCKED_BY_AUTHOR,
    "its author taken down": Seen.AUTHOR_AWAY,
    "its author deactivated": Seen.AUTHOR_AWAY,
    "its author deleted": Seen.AUTHOR_AWAY,
}


def befall(target: Target, post: StrongRef, author: Person, bot: str, fate: str) -> None:
    """Let it happen to the post."""
    match fate:
        case "taken down":
            target.take_down(post.uri, post.cid)
        case "its author taken down":
            target.take_down(author.did)
        case "its author deactivated":
            target.deactivate(author.did)
        case "its author deleted":
            target.delete_account(author.did)
    if fate in {"its author blocks us", "blocks both ways", "deleted behind a block"}:
        target.block(author.did, bot)
    if fate in {"blocked by us", "blocks both ways"}:
        target.block(bot, author.did)
    if fate in {"deleted", "deleted behind a block"}:
        target.delete(post.uri)
    target.process()


def under(parent: StrongRef, root: StrongRef | None = None) -> dict[str, Any]:
    return {"parent": parent.model_dump(), "root": (root or parent).model_dump()}


def built(parent: StrongRef) -> str:
    at = "2026-03-02T12:00:00.000Z"
    return json.dumps({"$type": POST, "text": "built", "createdAt": at, "reply": under(parent)})


def shown_under(wire: Wire, reader: Person, uri: str) -> list[str]:
    """The posts that somebody finds below this one."""
    token = wire.log_in(reader)["accessJwt"]
    thread = wire.get("app.bsky.feed.getPostThread", {"uri": uri}, token).json()["thread"]
    return [below["post"]["uri"] for below in thread.get("replies", [])]


@pytest.mark.parametrize("fate", FATES)
def test_what_became_of_a_post_is_told(writer: Account, target: Target, mallory: Person, fate: str) -> None:
    """As far as one look can tell it."""
    post = target.post(mallory.did, "hello")
    target.process()
    befall(target, post, mallory, writer.did, fate)

    assert FATES[fate] == look_at(writer, [post.uri])[post.uri].kind


def test_a_visible_post_is_shown_as_it_is_now(writer: Account, target: Target, alice: Person) -> None:
    """With the version that an edit made, and its author's name."""
    post = target.post(alice.did, "hello")
    edited = target.edit(post.uri, text="good morning")
    target.process()
    sight = look_at(writer, [post.uri])[post.uri]

    assert (edited.cid, alice.handle, False) == (sight.cid, sight.author_handle, sight.reply_disabled)
    assert sight.record is not None
    assert "good morning" == sight.record["text"]


def test_an_author_who_comes_back_brings_the_post_back(writer: Account, target: Target, mallory: Person) -> None:
    """So being away is not being gone."""
    post = target.post(mallory.did, "hello")
    target.deactivate(mallory.did)
    target.deactivate(mallory.did, undo=True)
    target.process()

    assert Seen.VISIBLE is look_at(writer, [post.uri])[post.uri].kind


def test_any_number_of_posts_is_looked_at(writer: Account, target: Target, alice: Person) -> None:
    """More than one question may hold, some gone, some never there, and one that is no post at all."""
    posts = [target.post(alice.did, f"post {n}").uri for n in range(BATCH + 2)]
    target.delete(posts[3])
    target.process()
    never, nonsense = AtUri(f"at://{alice.did}/{POST}/3kaaaaaaaaaa2"), AtUri("at://alice.test/x/y")
    sights = look_at(writer, [*posts, never, nonsense, posts[0]])

    assert [*posts, never, nonsense] == list(sights)
    odd = {posts[3]: Seen.GONE, never: Seen.GONE, nonsense: Seen.UNCLEAR}
    assert odd == {uri: sight.kind for uri, sight in sights.items() if sight.kind is not Seen.VISIBLE}


def test_a_root_is_its_own_thread(writer: Account, target: Target, alice: Person) -> None:
    """Open to all."""
    post = target.post(alice.did, "hello")
    target.process()
    seen = look_at_threads(writer, [post.uri])[post.uri]

    assert (Seen.VISIBLE, None, None, True) == (seen.post.kind, seen.root, seen.closed, seen.clear)


ROOTS = {
    "kept": None,
    "deleted": Closed.ROOT_GONE,
    "taken down": Closed.ROOT_GONE,
    "its author blocks us": Closed.ROOT_AUTHOR_BLOCKS_US,
    "blocked by us": Closed.ROOT_AUTHOR_BLOCKED,
    "its author deactivated": Closed.ROOT_AUTHOR_AWAY,
}


@pytest.mark.parametrize("fate", ROOTS)
def test_what_became_of_the_root_is_told(
    writer: Account, target: Target, alice: Person, mallory: Person, fate: str
) -> None:
    """The mention itself stays visible."""
    root = target.post(mallory.did, "root")
    middle = target.post(alice.did, "middle", reply=under(root))
    mention = target.post(alice.did, "mention", reply=under(middle, root))
    target.process()
    befall(target, root, mallory, writer.did, fate)
    seen = look_at_threads(writer, [mention.uri])[mention.uri]

    assert (Seen.VISIBLE, ROOTS[fate], True) == (seen.post.kind, seen.closed, seen.clear)


@pytest.mark.parametrize("when", ["before the mention", "after the mention"])
def test_a_gate_closes_the_thread(writer: Account, target: Target, alice: Person, mallory: Person, when: str) -> None:
    """Whether it came first or later."""
    root = target.post(mallory.did, "root")
    if when == "before the mention":
        target.gate(root)
    target.process()
    mention = target.post(alice.did, "mention", reply=under(root))
    if when == "after the mention":
        target.gate(root)
    target.process()

    assert Closed.GATED is look_at_threads(writer, [mention.uri])[mention.uri].closed


def test_what_a_gate_kept_out_cannot_be_answered(
    writer: Account, target: Target, wire: Wire, alice: Person, mallory: Person, key: RecordKey
) -> None:
    """Though the gate lets us in: our reply would hang under a post that the thread does not show."""
    root = target.post(mallory.did, "root")
    target.follow(mallory.did, writer.did)
    target.process()
    target.gate(root, ["following"])
    target.process()
    mention = target.post(alice.did, "mention", reply=under(root))
    target.process()
    seen = look_at_threads(writer, [mention.uri, root.uri])

    assert (Closed.GATED, None) == (seen[mention.uri].closed, seen[root.uri].closed)
    body = json.loads(built(mention)) | {"reply": under(mention, root)}
    put_once(writer, POST, key, json.dumps(body))
    target.process()
    assert [] == shown_under(wire, alice, mention.uri)


def test_a_reply_is_shown_though_its_root_is_gone(
    writer: Account, target: Target, wire: Wire, alice: Person, mallory: Person, key: RecordKey
) -> None:
    """Why a root that is gone is a rule of ours and not of the network."""
    root = target.post(mallory.did, "root")
    mention = target.post(alice.did, "mention", reply=under(root))
    target.delete(root.uri)
    target.process()
    body = json.loads(built(mention)) | {"reply": under(mention, root)}
    ours = put_once(writer, POST, key, json.dumps(body))
    target.process()

    assert [ours.uri] == shown_under(wire, alice, mention.uri)


@pytest.fixture
def mention(target: Target, alice: Person) -> StrongRef:
    made = target.post(alice.did, "make me a timer")
    target.process()
    return made


@pytest.fixture
def lag(target: Target) -> Iterator[None]:
    target.pause()
    yield
    target.resume()


def test_our_reply_is_visible(writer: Account, target: Target, mention: StrongRef, key: RecordKey) -> None:
    """Once the AppView knows it."""
    ours = put_once(writer, POST, key, built(mention))
    target.process()

    assert {ours.uri} == which_are_visible(writer, [ours.uri])


@pytest.mark.parametrize("same", [True, False])
def test_a_thread_leads_to_our_reply_where_the_post_names_its_root(
    writer: Account, target: Target, alice: Person, key: RecordKey, same: bool
) -> None:
    """The root that the post above it names, too; else it is found by whoever opens the post alone."""
    roots = [target.post(alice.did, f"thread {n}") for n in range(2)]
    above = target.post(alice.did, "well", reply=under(roots[0]))
    post = target.post(alice.did, "make me a timer", reply=under(above, roots[not same]))
    target.process()
    ours = put_once(writer, POST, key, json.dumps(json.loads(built(post)) | {"reply": under(post, roots[not same])}))
    target.process()
    told = "" if same else "the post names another root than the post above it does"

    assert told == out_of_place(writer, post.uri, ours.uri, Patience(lambda: False))


@pytest.mark.usefixtures("lag")
def test_our_reply_is_not_visible_before_the_appview_knows_it(
    writer: Account, target: Target, alice: Person, key: RecordKey
) -> None:
    """Though our own PDS has it, and patches it into the thread that it shows us; it comes up later."""
    ours = put_once(writer, POST, key, built(target.post(alice.did, "make me a timer")))

    assert set() == which_are_visible(writer, [ours.uri])
    target.resume()
    target.process()
    assert {ours.uri} == which_are_visible(writer, [ours.uri])


def test_a_deleted_reply_is_gone_from_the_thread(
    writer: Account, target: Target, wire: Wire, alice: Person, mention: StrongRef, key: RecordKey
) -> None:
    """However often it is deleted."""
    ours = put_once(writer, POST, key, built(mention))
    target.process()
    assert [ours.uri] == shown_under(wire, alice, mention.uri)

    delete_record(writer, POST, key)
    delete_record(writer, POST, key)
    target.process()

    assert [] == shown_under(wire, alice, mention.uri)
    assert set() == which_are_visible(writer, [ours.uri])
    assert Sight(Seen.GONE, author_handle=writer.handle, detail="not found") == look_at(writer, [ours.uri])[ours.uri]
