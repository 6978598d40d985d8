"""The frames of a stream, and a connection to it: nothing of either is trusted."""

import json

import pytest
from websockets.sync.server import ServerConnection

from bot.bluesky.jetstream import (
    DELETION_BYTES,
    MOST_BYTES,
    Event,
    Operation,
    StreamFailed,
    Told,
    connected,
    is_worth_a_look,
    may_delete,
    read_frame,
    wanted,
)
from guardrails.documents import AtUri
from tests.mentions import ALICE, OUR_DID, post
from tests.streams import closes, frame, played, tells
from tests.waiting import until

NEEDLE = OUR_DID.encode()
URI = AtUri(f"at://{ALICE}/app.bsky.feed.post/3kpost")
TIME = 1_700_000_000_000_000
ASK = post("@wright.test make me a timer")


def test_a_frame_that_names_us_is_wanted_without_being_read() -> None:
    """Bytes that are no JSON at all do as well."""
    assert wanted(frame(ALICE, "3kpost", ASK).encode(), NEEDLE)
    assert wanted(b"\xff" + NEEDLE, NEEDLE)
    assert not wanted(frame(ALICE, "3kpost", post("hello")).encode(), NEEDLE)


def test_a_deletion_is_told_from_a_post_that_talks_of_one() -> None:
    """In a record the word stands within signs that are escaped."""
    assert may_delete(frame(ALICE, "3kpost", None).encode(), {b"3kpost"})
    assert not may_delete(frame(ALICE, "3kpost", {"text": 'say "delete"'}).encode(), {b"3kpost"})


def test_a_deletion_under_a_key_that_nobody_follows_is_not_read() -> None:
    """Of those there are a few every second; one that names no key as others do is read."""
    deletion = frame(ALICE, "3kpost", None).encode()

    assert not may_delete(deletion, {b"3kother"})
    assert may_delete(deletion.replace(b"3kpost", rb"3k\u0070ost"), {b"3kother"})


def test_a_deletion_is_short_and_anything_that_names_us_may_be_long() -> None:
    """Of a frame that is too long for a deletion only our DID matters."""
    long = {"text": "a" * DELETION_BYTES}
    ours = frame(ALICE, "3kpost", post("@wright.test make me a timer") | long).encode()

    assert is_worth_a_look(frame(ALICE, "3kpost", None).encode(), NEEDLE, {b"3kpost"})
    assert is_worth_a_look(ours, NEEDLE, set())
    assert not is_worth_a_look(frame(ALICE, "3kpost", long).encode(), NEEDLE, {b"3kpost"})


def test_the_frames_of_a_jetstream_are_read() -> None:
    """Of other kinds than commits, and of other collections than posts, only the time matters."""
    identity = json.dumps({"did": ALICE, "time_us": 5, "kind": "identity", "identity": {"did": ALICE}})
    like = frame(ALICE, "3klike", {}).replace("app.bsky.feed.post", "app.bsky.feed.like")

    assert Event(TIME, Told(Operation.CREATE, URI, "bafycid", ASK)) == read_frame(frame(ALICE, "3kpost", ASK).encode())
    assert Event(TIME, Told(Operation.DELETE, URI)) == read_frame(frame(ALICE, "3kpost", None).encode())
    assert Event(5, None) == read_frame(identity.encode())
    assert Event(TIME, None) == read_frame(like.encode())


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "null",
        "[" * 100_000,
        '{"kind":"commit"}',
        '{"time_us":"1","kind":"commit"}',
        '{"time_us":-1,"kind":"identity"}',
        f'{{"time_us":{10**30},"kind":"identity"}}',
        frame(ALICE, "3kpost", ASK).replace(str(TIME), str(2**63)),
        frame("alice.test", "3kpost", ASK),
        frame(ALICE, "3k/post", ASK),
        frame(f"{ALICE}/app.bsky.feed.post/x", "3kpost", ASK),
        frame(ALICE, "3kpost", None).replace("delete", "destroy"),
        frame(ALICE, "3kpost", ASK).replace('"record"', '"recorded"'),
        frame(ALICE, "3kpost", ASK).replace('"rkey"', '"key"'),
    ],
)
def test_what_no_jetstream_sends_is_refused(odd: str) -> None:
    """With one kind of error, whatever it is."""
    with pytest.raises(ValueError):  # noqa: PT011  # json's own is one, too
        read_frame(odd.encode())


def test_posts_are_asked_for_from_a_moment_on() -> None:
    """And nothing longer than a post can be."""
    with played(tells("one")) as stream, connected(stream.url, 17) as connection:
        assert b"one" == connection.next(10)
        assert connection.next(0) is None

    assert ["/subscribe?wantedCollections=app.bsky.feed.post&maxMessageSizeBytes=1000000&cursor=17"] == stream.asked


def test_an_address_may_have_parameters_of_its_own() -> None:
    """They stay."""
    with played(tells()) as stream, connected(f"{stream.url}?key=1", 1):
        pass

    assert [
        "/subscribe?key=1&wantedCollections=app.bsky.feed.post&maxMessageSizeBytes=1000000&cursor=1"
    ] == stream.asked


def test_a_connection_that_ends_says_so() -> None:
    """In our words: those of the server are anybody's."""
    ended = pytest.raises(StreamFailed, match=r"the connection was closed \(1000\)")
    with played(closes()) as stream, connected(stream.url, 1) as connection, ended:
        connection.next(10)


def test_a_frame_without_end_is_not_taken() -> None:
    """The memory that it would take is the server's to choose, else."""
    ended = pytest.raises(StreamFailed, match="1009")
    with played(tells("x" * (MOST_BYTES + 1))) as stream, connected(stream.url, 1) as connection, ended:
        connection.next(10)


def test_a_connection_that_is_cut_says_so() -> None:
    """Without a farewell."""

    def cuts(connection: ServerConnection) -> None:
        connection.socket.close()

    with played(cuts) as stream, connected(stream.url, 1) as connection, pytest.raises(StreamFailed):
        until(lambda: connection.next(1))


@pytest.mark.parametrize("url", ["ws://127.0.0.1:9/subscribe", "ws://127.0.0.1:99999/x", "http://127.0.0.1/"])
def test_a_stream_that_cannot_be_reached_says_so(url: str) -> None:
    """As one kind of failure."""
    with pytest.raises(StreamFailed, match="it cannot be reached"), connected(url, 1):
        pass
