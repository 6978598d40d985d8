"""The live stream as a second source of mentions: quicker than the notifications, believed less, missed by nobody."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from websockets.sync.server import ServerConnection

from bot.bluesky.errors import CallFailed, Failure
from bot.ledger.conditions import STREAM, STREAM_GAP
from bot.sandbox.stream import SandboxStream
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId, StrongRef
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from tests.scenarios.listening import POSTS, QUICK, counted, documents, is_found, listening, tuned_in
from tests.scenarios.stages import ASK, building, watch
from tests.scenarios.world import World
from tests.streams import closes, frame, played, tells
from tests.waiting import until

OPERATOR = Caller(Role.OPERATOR, DeviceId("olga"))


@pytest.fixture
def live(world: World) -> Iterator[SandboxStream]:
    with SandboxStream(world.network.happenings) as stream:
        yield stream


def asks(world: World, live: SandboxStream, **more: Any) -> StrongRef:
    """Alice asks while the stream is listened to, and is heard."""
    with tuned_in(world, live, **more):
        post = world.says("alice.test", ASK)
        until(is_found(world, post))
    return post


def test_a_mention_is_heard_at_once_and_judged(world: World, live: SandboxStream) -> None:
    """No notification was read."""
    post = asks(world, live, heard=world.bot.judge)

    assert Status.PENDING_BUILD is world.status(post)
    assert "alice.test" == world.document(post).author_handle


def test_a_mention_that_both_sources_tell_of_is_one_document(world: World, live: SandboxStream) -> None:
    """Whichever comes first."""
    heard = asks(world, live)
    world.bot.ingest()
    with tuned_in(world, live) as stream:
        read = world.says("alice.test", f"{ASK} for two")
        world.bot.ingest()
        until(lambda: counted(stream, "known") + counted(stream, "new"))

    assert sorted([heard.uri, read.uri]) == sorted(each.source_uri for each in documents(world))


def test_a_mention_that_the_notifications_drop_is_heard(world: World, live: SandboxStream) -> None:
    """The post is public all the same."""
    world.network.mute(world.network.account("wright.test").did, world.network.account("alice.test").did)
    post = asks(world, live)
    world.bot.ingest()
    world.bot.sweep()

    assert [post.uri] == [each.source_uri for each in documents(world)]


def test_what_is_not_for_us_is_not_even_asked_about(world: World, live: SandboxStream) -> None:
    """What is said under our posts names us; our own posts do, too."""
    ours = world.says("wright.test", "I build things")
    before = len(world.network.calls_to(POSTS))
    with tuned_in(world, live) as stream:
        world.says("alice.test", "nice", ours)
        world.says("wright.test", "@alice.test thanks", ours)
        world.says("bob.test", "good morning")
        until(lambda: counted(stream, "ignored") == 3)

    assert ([], before) == (documents(world), len(world.network.calls_to(POSTS)))


def test_a_mention_dated_back_is_heard_once(world: World, live: SandboxStream) -> None:
    """By the key of its record it is new; what it says of its time is shown and decides nothing."""
    did = world.network.account("alice.test").did
    ours = world.network.account("wright.test").did
    with tuned_in(world, live):
        post = world.network.post(did, ASK, mentions=[ours], created_at=datetime(2019, 1, 1, tzinfo=UTC))
        until(is_found(world, post))
    world.bot.ingest()

    [document] = documents(world)
    assert (post.uri, False, "2019-01-01T00:00:00.000Z") == (
        document.source_uri,
        document.mention.stale,
        document.mention.created_at,
    )


def test_a_post_that_the_appview_does_not_show_yet_is_asked_about_again(world: World, live: SandboxStream) -> None:
    """Its place in the stream is not passed: a process that dies meanwhile hears it again."""
    world.network.pause_indexing()
    with tuned_in(world, live) as stream:
        post = world.says("alice.test", ASK)
        world.says("bob.test", "good morning")
        until(lambda: counted(stream, "looked_at"))
    world.network.resume_indexing()
    died = documents(world)
    with listening(world, live.url):
        until(is_found(world, post))

    assert [] == died


def test_while_the_appview_is_away_nothing_is_given_up(world: World, live: SandboxStream) -> None:
    """Nor is the place in the stream passed."""
    world.fails("status", POSTS, times=1, status=502)
    with tuned_in(world, live) as stream:
        post = world.says("alice.test", ASK)
        until(lambda: not world.network.faults)
        gone_on = counted(stream, "unproven")
    with listening(world, live.url):
        until(is_found(world, post))

    assert 0 == gone_on


def test_a_deleted_mention_is_looked_at_at_once_and_withdrawn(world: World, live: SandboxStream) -> None:
    """By the same two looks as ever: the frame alone proves nothing."""
    post = building(world)
    world.bot.watch()
    with tuned_in(world, live) as stream:
        world.says("alice.test", "something else")
        until(lambda: counted(stream, "read"))
        world.network.delete_record(post.uri)
        until(lambda: counted(stream, "deletions"))
        until(lambda: world.document(post).looked_at is None)
    world.bot.watch()
    first = world.document(post)
    watch(world)

    assert first.absent_since is not None
    assert (Status.SKIPPED, Reason.DELETED) == (world.status(post), world.document(post).reason)


def test_an_edit_is_looked_at_at_once(world: World, live: SandboxStream) -> None:
    """The version that a lane has is not the last."""
    post = building(world)
    world.bot.watch()
    with tuned_in(world, live):
        world.network.edit(post.uri, text=f"{ASK} and a bell")
        until(lambda: world.document(post).looked_at is None)
    world.bot.watch()

    assert world.document(post).edited_cid is not None


def test_what_is_said_between_two_connections_is_heard_by_the_next(world: World, live: SandboxStream) -> None:
    """From a little before the place that was noted: what is known already changes nothing."""
    first = asks(world, live)
    place = world.ledger.sources.position(f"stream:{live.url}")
    second = world.says("bob.test", "@wright.test make me a tip splitter")
    with listening(world, live.url) as stream:
        until(is_found(world, second))
        until(lambda: counted(stream, "known") == 1)

    assert place is not None
    assert {first.uri, second.uri} == {each.source_uri for each in documents(world)}


def test_the_place_in_another_stream_is_not_used(world: World, live: SandboxStream) -> None:
    """Each counts for itself."""
    asks(world, live)
    world.clock.shift += timedelta(hours=1)
    with played(tells()) as other, listening(world, other.url):
        until(lambda: other.asked)

    place = world.ledger.sources.position(f"stream:{live.url}")
    assert int(other.asked[0].rpartition("=")[2]) > (place or 0) + 1_000_000 * 3500


def test_a_place_is_kept_without_what_is_secret_in_the_address(world: World, live: SandboxStream) -> None:
    """The ledger is copied and looked into."""
    secret = f"{live.url.replace('ws://', 'ws://me:canary@')}?key=canary"
    with listening(world, secret):
        until(lambda: world.ledger.sources.position(f"stream:{live.url}") is not None)

    assert world.ledger.sources.position(f"stream:{secret}") is None


def test_a_place_that_lies_in_the_future_is_noted_as_now(world: World) -> None:
    """Whatever the server says: else what is said until then would not be asked for."""
    late = frame(world.network.account("bob.test").did, "3kx", {"text": "hi"}, time_us=9_000_000_000_000_000)
    with played(tells(late)) as stream, listening(world, stream.url):
        place = until(lambda: world.ledger.sources.position(f"stream:{stream.url}"))

    assert place <= world.clock().timestamp() * 1_000_000


def test_what_the_stream_has_not_kept_is_told_of(world: World, live: SandboxStream) -> None:
    """The notifications fill it in: also what was said on the second of four days."""
    asks(world, live)
    world.clock.shift += timedelta(days=2)
    missed = world.says("bob.test", "@wright.test make me a tip splitter")
    world.clock.shift += timedelta(days=2)
    world.network.happenings.forget()
    with listening(world, live.url):
        until(lambda: live.listeners)
        world.says("carol.test", "good morning")
        until(lambda: world.ledger.conditions.stands(STREAM_GAP))
    world.bot.ingest()

    assert is_found(world, missed)()


def test_a_stream_that_goes_silent_is_left_and_called_anew(world: World, live: SandboxStream) -> None:
    """Three events and then none, on a connection that stays open: operators see it until events come again."""
    hello = frame(world.network.account("bob.test").did, "3kx", {"text": "hi"})
    plays = tells(hello, hello, hello), closes(), tells()
    with played(*plays) as stream, listening(world, stream.url, silence_seconds=0.1) as ear:
        until(lambda: len(stream.asked) > 3)
        until(lambda: world.ledger.conditions.stands(STREAM))
        state = ear.state()
    with tuned_in(world, live):
        world.says("bob.test", "good morning")
        until(lambda: not world.ledger.conditions.stands(STREAM))

    assert (3, False, True) == (state.counts["read"], state.brings, (state.silent_seconds or 0) > 0)


def test_a_stream_of_something_else_is_told_of(world: World) -> None:
    """Frames alone are no sign of life: they have to be a Jetstream's."""
    with played(tells("one", "two")) as stream, listening(world, stream.url):
        until(lambda: len(stream.asked) > 1)
        until(lambda: world.ledger.conditions.stands(STREAM))

    [condition] = world.ledger.conditions.standing()
    assert "it sends what no Jetstream sends" in condition.detail


def test_what_was_heard_and_cannot_be_judged_yet_does_not_end_the_listening(world: World, live: SandboxStream) -> None:
    """It is stored, and the jobs come to it."""

    def away() -> None:
        raise CallFailed(Failure.NOT_SENT, "away")

    with tuned_in(world, live, heard=away):
        for who in ("alice.test", "bob.test"):
            until(is_found(world, world.says(who, ASK)))
        listeners = live.listeners

    assert (1, []) == (listeners, world.ledger.conditions.standing())


def test_a_stream_that_is_away_is_asked_ever_less_often(world: World) -> None:
    """With some chance in it, so that not all come back at once."""
    with played(closes()) as stream, listening(world, stream.url) as ear:
        until(lambda: len(stream.asked) >= 3)
        waits = [ear._wait(failures) for failures in (1, 2, 3, 40)]

    assert waits == sorted(waits)
    assert all(QUICK.first_wait * 2**n / 2 <= wait <= QUICK.first_wait * 2**n for n, wait in enumerate(waits[:3]))
    assert waits[3] <= 60


def test_while_reading_is_paused_nothing_is_taken_and_nothing_lost(world: World, live: SandboxStream) -> None:
    """The place in the stream stays where it was."""
    first = asks(world, live)
    world.ledger.desk.throw(OPERATOR, Switch.PAUSE_INGEST, "a test")
    with listening(world, live.url):
        second = world.says("bob.test", "@wright.test make me a tip splitter")
        paused = [each.source_uri for each in documents(world)]
        world.ledger.desk.release(OPERATOR, Switch.PAUSE_INGEST)
        until(is_found(world, second))

    assert [first.uri] == paused


def test_a_pause_ends_the_connection(world: World, live: SandboxStream) -> None:
    """Also one that is quiet."""
    with tuned_in(world, live):
        world.ledger.desk.throw(OPERATOR, Switch.PAUSE_INGEST, "a test")
        until(lambda: not live.listeners)


def test_a_connection_that_ends_once_the_rounds_are_elsewhere_is_nothing_to_tell(world: World) -> None:
    """Another bot may listen well, and what it has found mended it would not look for again."""
    elsewhere = threading.Event()

    def loses_the_rounds(_connection: ServerConnection) -> None:
        elsewhere.set()

    with played(loses_the_rounds) as stream, listening(world, stream.url, resting=elsewhere.is_set) as ear:
        until(elsewhere.is_set)
        ear.stop()

    assert [] == world.ledger.conditions.standing()


def test_a_bot_that_stands_by_does_not_listen(world: World, live: SandboxStream) -> None:
    """Until the rounds are its own."""
    here: list[bool] = []
    with listening(world, live.url, resting=lambda: not here):
        before = live.listeners
        here.append(True)
        until(lambda: live.listeners)
        here.clear()
        until(lambda: not live.listeners)

    assert 0 == before


def test_of_somebody_who_is_forgotten_nothing_is_kept(world: World, live: SandboxStream) -> None:
    """Not in the ledger, and not beside it."""
    world.says("alice.test", "@wright.test forget me")
    world.bot.ingest()
    before = len(documents(world))
    with tuned_in(world, live) as stream:
        world.says("alice.test", ASK)
        until(lambda: counted(stream, "ignored"))

    assert (before, []) == (len(documents(world)), world.ledger.desk.parked(10))
