"""What a stream tells of posts: the sandbox's own, and what the real network's events become."""

from collections.abc import Iterator

import pytest

from bot.bluesky.cid import cid_of
from bot.bluesky.jetstream import (
    Connection,
    Event,
    Operation,
    Told,
    connected,
    is_worth_a_look,
    read_frame,
    wanted,
)
from bot.sandbox.stream import SandboxStream
from guardrails.documents import StrongRef, split_at_uri
from tests.contract.target import Person, SandboxTarget, Target
from tests.network.jetstream import jetstream_of
from tests.waiting import until


@pytest.fixture(scope="session")
def live(target: Target) -> Iterator[SandboxStream]:
    """One for all: each test looks at what its own people say."""
    opened = SandboxStream(target.happenings) if isinstance(target, SandboxTarget) else jetstream_of(target.pds_url)
    with opened as stream:
        yield stream


def next_of(connection: Connection, post: StrongRef) -> Event:
    """The next event about a post: others may come before, late as they are on a real network."""
    return read_frame(frame_with(connection, key_of(post)))


def frame_with(connection: Connection, needle: bytes) -> bytes:
    """The next frame that holds something."""
    while True:
        frame = connection.next(20)
        assert frame is not None, "no event in time"
        if wanted(frame, needle):
            return frame


def key_of(post: StrongRef) -> bytes:
    return split_at_uri(post.uri).rkey.encode()


def test_a_post_that_mentions_us_is_told_of_with_its_record(live: SandboxStream, target: Target, bot: Person) -> None:
    """As its author wrote it: the CID is that of the record."""
    alice = target.sign_up("alice")
    with connected(live.url, live.now()) as connection:
        post = target.post(alice.did, f"@{bot.handle} a timer", mentions=[bot.did])
        frame = frame_with(connection, key_of(post))
    told = read_frame(frame).told

    assert told is not None
    assert wanted(frame, bot.did.encode())
    assert (Operation.CREATE, post.uri, post.cid, post.cid) == (
        told.operation,
        told.uri,
        told.cid,
        cid_of(told.record),
    )


def test_an_edit_is_told_of_with_its_record(live: SandboxStream, target: Target, bot: Person) -> None:
    """Under the same address."""
    alice = target.sign_up("alice")
    with connected(live.url, live.now()) as connection:
        post = target.post(alice.did, f"@{bot.handle} a timer", mentions=[bot.did])
        next_of(connection, post)
        edited = target.edit(post.uri, text=f"@{bot.handle} an egg timer")
        told = next_of(connection, post).told

    assert told is not None
    assert (Operation.UPDATE, edited.cid, edited.cid) == (told.operation, told.cid, cid_of(told.record))


def test_a_deletion_is_told_of_by_its_address_alone(live: SandboxStream, target: Target, bot: Person) -> None:
    """It names us no more."""
    alice = target.sign_up("alice")
    with connected(live.url, live.now()) as connection:
        post = target.post(alice.did, f"@{bot.handle} a timer", mentions=[bot.did])
        next_of(connection, post)
        target.delete(post.uri)
        frame = frame_with(connection, key_of(post))

    assert Told(Operation.DELETE, post.uri) == read_frame(frame).told
    assert is_worth_a_look(frame, bot.did.encode(), {key_of(post)})
    assert not is_worth_a_look(frame, bot.did.encode(), set())


def test_other_collections_are_left_out_and_accounts_are_not(live: SandboxStream, target: Target, bot: Person) -> None:
    """Whom somebody follows is not told; that somebody leaves is told to everybody."""
    alice = target.sign_up("alice")
    with connected(live.url, live.now()) as connection:
        follow = target.follow(alice.did, bot.did)
        target.deactivate(alice.did)
        frames: list[bytes] = []
        while not frames or b'"active":false' not in frames[-1]:
            frames.append(frame_with(connection, alice.did.encode()))

    assert {None} == {read_frame(frame).told for frame in frames}
    assert not any(key_of(follow) in frame for frame in frames)


def test_who_comes_late_is_told_from_the_moment_on_that_is_asked_for(
    live: SandboxStream, target: Target, bot: Person
) -> None:
    """The event of that very moment included."""
    alice, before = target.sign_up("alice"), live.now()
    post = target.post(alice.did, f"@{bot.handle} one", mentions=[bot.did])
    with connected(live.url, before) as connection:
        event = next_of(connection, post)
    with connected(live.url, event.time_us) as again:
        first = again.next(20)

    assert first is not None
    assert event == read_frame(first)


def test_who_asks_for_what_is_to_come_is_told_from_now_on(live: SandboxStream, target: Target, bot: Person) -> None:
    """Nothing is held back until then."""
    alice, before = target.sign_up("alice"), live.now()
    first = target.post(alice.did, f"@{bot.handle} one", mentions=[bot.did])
    with connected(live.url, before) as connection:
        next_of(connection, first)
    until(lambda: not live.listeners)
    with connected(live.url, live.now() + 10**12) as late:
        until(lambda: live.listeners)
        second = target.post(alice.did, f"@{bot.handle} two", mentions=[bot.did])
        frame = frame_with(late, b'"rkey":"')

    told = read_frame(frame).told
    assert told is not None
    assert second.uri == told.uri
