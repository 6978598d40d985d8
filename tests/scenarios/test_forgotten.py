"""What was said while no ledger took note of it: a cancel or a deletion still takes our reply back, or keeps it in."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.bluesky.errors import CallFailed
from bot.clock import Clock
from bot.ledger.ledger import Ledger
from bot.sandbox.server import SandboxServer
from bot.speech import note
from bot.texts import Note
from guardrails.documents import StrongRef
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from tests.mentions import OPERATOR
from tests.scenarios.asides import texts
from tests.scenarios.stages import AN_APP, ASK, POSTS, built, replied, watch, we_say
from tests.scenarios.world import World, settings_for

LIST = "app.bsky.notification.listNotifications"
DELETE = "com.atproto.repo.deleteRecord"


@pytest.fixture
def lost(ledger: Ledger, clock: Clock, sandbox: SandboxServer) -> Iterator[World]:
    """A bot over an empty ledger; an earlier one has answered Alice's ask of a minute ago."""
    world = World(ledger, clock, sandbox, settings_for(sandbox))
    world.says("alice.test", ASK)
    says_as_the_bot(world, ask(world))
    world.clock.shift += timedelta(minutes=1)
    yield world
    world.bot.close()


def ask(world: World) -> StrongRef:
    (post,) = world.network.repo(world.network.account("alice.test").did, "app.bsky.feed.post")[-1:]
    return StrongRef(uri=post["uri"], cid=post["cid"])


def says_as_the_bot(world: World, under: StrongRef) -> StrongRef:
    return we_say(world, "it is ready", under, AN_APP)


def our_reply(world: World) -> StrongRef:
    (reply,) = world.network.repo(world.network.account("wright.test").did, "app.bsky.feed.post")
    return StrongRef(uri=reply["uri"], cid=reply["cid"])


def starts(world: World) -> None:
    """Every job's first round, and one more of those that follow."""
    world.bot.reply()
    world.bot.ingest()
    watch(world)


@pytest.mark.parametrize("since", [timedelta(), timedelta(hours=1)])
@pytest.mark.parametrize("word", ["cancel", "delete"])
@pytest.mark.parametrize("under", [ask, our_reply])
def test_a_command_from_before_a_lost_ledger(lost: World, word: str, since: timedelta, under: object) -> None:
    """The ledger knows of the reply only what stands in the repository."""
    assert callable(under)
    lost.says("alice.test", f"@wright.test {word}", under(lost))
    lost.clock.shift += timedelta(minutes=1)
    lost.restart(since=since)
    starts(lost)
    watch(lost)

    assert [] == lost.replies()
    assert [] == lost.ledger.queries.unsettled_sends()
    assert 1 == len(lost.network.calls_to(DELETE))


def test_a_command_after_a_lost_ledger(lost: World) -> None:
    """The mention was read again, and passed over as answered."""
    lost.restart(since=timedelta(hours=1))
    starts(lost)
    lost.says("alice.test", "@wright.test delete", our_reply(lost))
    lost.bot.ingest()
    watch(lost)

    assert [] == lost.replies()


def test_somebody_elses_command_after_a_lost_ledger(lost: World) -> None:
    """Whoever asked decides: the id says who that was."""
    for under in (ask(lost), our_reply(lost)):
        lost.says("bob.test", "@wright.test delete", under)
    lost.restart(since=timedelta(hours=1))
    starts(lost)

    assert 1 == len(lost.replies())


def test_a_mention_deleted_after_a_lost_ledger(lost: World) -> None:
    """By the second look, as ever; before or after the loss."""
    starts(lost)
    lost.network.delete_record(ask(lost).uri)
    lost.clock.shift += timedelta(minutes=11)
    watch(lost)
    once = len(lost.replies())
    watch(lost, 2)

    assert (1, []) == (once, lost.replies())


def test_absence_alone_takes_nothing_back_after_a_lost_ledger(lost: World) -> None:
    """An author who is away, a look that tells nothing, a post that comes back."""
    starts(lost)
    alice, post = lost.network.account("alice.test").did, ask(lost)
    lost.network.deactivate(alice)
    lost.clock.shift += timedelta(minutes=11)
    watch(lost, 12)
    lost.network.deactivate(alice, undo=True)
    lost.fails("status", POSTS, status=502, times=3)
    watch(lost, 12)
    lost.network.takedown(post.uri)
    lost.clock.shift += timedelta(minutes=11)
    watch(lost)
    lost.network.takedown(post.uri, undo=True)
    watch(lost, 12)

    assert 1 == len(lost.replies())


@pytest.mark.parametrize("job", ["reply", "speak"])
def test_a_cancel_is_heard_before_anything_is_said(world: World, job: str) -> None:
    """The ledger is a copy that holds the ask as built; the cancel came after it."""
    post = built(world)
    world.says("alice.test", "@wright.test cancel", post)
    world.restart()
    getattr(world.bot, job)()

    assert (Status.SKIPPED, Reason.CANCELLED) == (world.status(post), world.document(post).reason)
    world.bot.reply()
    assert {"reply": [], "speak": [note(Note.TAKEN_BACK).text]}[job] == texts(world)


def test_nothing_is_said_while_what_came_in_cannot_be_read(world: World) -> None:
    """The reply waits; a person who has paused the reading has decided otherwise."""
    post = built(world)
    world.restart()
    world.fails("status", LIST, status=502, times=2)
    for job in (world.bot.reply, world.bot.speak):
        with pytest.raises(CallFailed):
            job()
    waiting = len(world.replies())
    world.ledger.desk.throw(OPERATOR, Switch.PAUSE_INGEST, "a bad day")
    world.bot.reply()

    assert (0, Status.REPLIED) == (waiting, world.status(post))


def test_a_reply_is_deleted_once_whoever_asks(lost: World) -> None:
    """Two commands, and the post gone, too."""
    for _ in range(2):
        lost.says("alice.test", "@wright.test delete", our_reply(lost))
    starts(lost)
    lost.network.delete_record(ask(lost).uri)
    lost.clock.shift += timedelta(minutes=11)
    watch(lost, 3)

    assert [] == lost.replies()
    assert 1 == len(lost.network.calls_to(DELETE))


def test_the_app_of_a_found_reply_goes_as_well(world: World) -> None:
    """The copy holds the ask as built, its reply is out, and its author has said delete."""
    post = built(world)
    says_as_the_bot(world, post)
    world.says("alice.test", "@wright.test delete", post)
    world.restart()
    world.bot.reply()
    watch(world)
    document = world.document(post)
    app = world.ledger.hosting.app(str(document.slug))

    assert [] == world.replies()
    assert (Status.REPLIED, True) == (document.status, document.reply_deleted_at is not None)
    assert app is not None
    assert "cancelled" == app.gone_reason


def test_a_forgotten_reply_is_followed_for_a_week(lost: World) -> None:
    """As any other."""
    starts(lost)
    lost.clock.shift += timedelta(days=8)
    lost.network.delete_record(ask(lost).uri)
    watch(lost, 12)

    assert 1 == len(lost.replies())


def test_replied_documents_are_not_looked_at_twice(world: World) -> None:
    """What has a document is followed by its document."""
    replied(world)
    world.restart()
    world.bot.reply()
    watch(world)

    assert [] == world.ledger.known.to_look_at(9, timedelta(), timedelta(), 7)
