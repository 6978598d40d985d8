"""From a mention to one reply."""

from datetime import timedelta

from bot.speech import shown_link
from guardrails.switches import Switch
from guardrails.text import graphemes, utf8_len
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.mentions import OPERATOR
from tests.scenarios.world import World


def test_a_mention_is_built_and_answered_in_its_thread(world: World) -> None:
    """Alice asks, the lane builds, and one reply hangs below her post with a link that is a facet."""
    post = world.says("alice.test", "@wright.test ✅ make me a pomodoro timer")
    world.bot.ingest()
    built = world.lane_builds("Pomodoro ✅ timer")
    world.bot.reply()

    (reply,) = world.replies()
    address = f"http://localhost:8100/{built.slug}"
    index = reply["facets"][0]["index"]

    assert Status.REPLIED == world.status(post)
    assert {"root": post.model_dump(), "parent": post.model_dump()} == reply["reply"]
    assert shown_link(address) == reply["text"].encode()[index["byteStart"] : index["byteEnd"]].decode()
    assert address == reply["facets"][0]["features"][0]["uri"] == reply["embed"]["external"]["uri"]


def test_everything_again_changes_nothing(world: World) -> None:
    """Reading, judging and replying once more, and after a restart, says nothing twice."""
    world.says("alice.test", "@wright.test make me a pomodoro timer")
    world.bot.ingest()
    world.lane_builds()
    world.bot.reply()
    world.restart()
    for job in (world.bot.ingest, world.bot.sweep, world.bot.judge, world.bot.reply):
        job()

    assert 1 == len(world.replies())


def test_deep_in_a_thread_the_root_is_the_threads(world: World) -> None:
    """A mention that is itself a reply is answered below it, under the root that it names."""
    root = world.says("bob.test", "a long thread")
    middle = world.says("carol.test", "indeed", root)
    post = world.says("alice.test", "@wright.test make me a to-do list", middle)
    world.bot.ingest()
    world.lane_builds()
    world.bot.reply()

    (reply,) = world.replies()

    assert root.uri == reply["reply"]["root"]["uri"]
    assert post.model_dump() == reply["reply"]["parent"]


def test_a_long_title_is_cut_and_the_link_is_not(world: World) -> None:
    """The reply stays within 300 graphemes and 3000 bytes, whatever the app is called."""
    post = world.says("alice.test", "@wright.test make me a to-do list")
    world.bot.ingest()
    built = world.lane_builds("👩🏽‍🚀" * 50)
    world.bot.reply()

    (reply,) = world.replies()

    assert Status.REPLIED == world.status(post)
    assert 300 >= graphemes(reply["text"])
    assert 3000 >= utf8_len(reply["text"])
    assert reply["text"].endswith(shown_link(f"http://localhost:8100/{built.slug}"))


def test_a_build_that_fails_is_a_status_with_its_reason(world: World) -> None:
    """What cannot be built says nothing in public in this first cut, and everything in the ledger."""
    post = world.says("alice.test", "@wright.test make me a rocket")
    world.bot.ingest()
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="I can build timers")
    world.bot.reply()

    document = world.document(post)

    assert (Status.BUILD_FAILED, Reason.BUILD_REFUSED, "I can build timers") == (
        document.status,
        document.reason,
        document.detail,
    )
    assert [] == world.replies()


def test_nobody_comes_to_build(world: World) -> None:
    """Without a lane the ask expires after its window, with the reason."""
    post = world.says("alice.test", "@wright.test make me a to-do list")
    world.bot.ingest()
    world.clock.shift += timedelta(hours=25)
    rescue = next(job for job in world.bot.jobs() if job.name == "rescue")
    rescue.run()

    assert (Status.SKIPPED, Reason.NO_LANE) == (world.status(post), world.document(post).reason)


def test_pauses_lose_nothing(world: World) -> None:
    """With every switch on nothing happens; with all off again everything does."""
    for switch in Switch:
        world.ledger.desk.throw(OPERATOR, switch, "a quiet hour")
    post = world.says("alice.test", "@wright.test make me a to-do list")

    assert world.bot.ingest().paused
    assert world.bot.reply().paused

    for switch in Switch:
        world.ledger.desk.release(OPERATOR, switch)
    world.bot.ingest()
    world.lane_builds()
    world.bot.reply()

    assert Status.REPLIED == world.status(post)
