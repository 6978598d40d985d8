"""A failed build is tried again for its author: judged by all that a fresh ask is judged by, and not for ever."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot.jobs.rescue import rescue_once
from bot.ledger.views import Document
from bot.speech import capped, note
from bot.texts import Note
from guardrails.caps import Cap
from guardrails.documents import StrongRef
from guardrails.rules import Rules
from guardrails.switches import Switch
from guardrails.transitions import Reason, Status
from guardrails.wire import BuildOutcome
from tests.mentions import BOT
from tests.scenarios.asides import build_refused, texts
from tests.scenarios.stages import POSTS
from tests.scenarios.test_loops import alerts, newest_of_ours
from tests.scenarios.test_pace import on_the_hour
from tests.scenarios.world import World, ruled

NOBOT = {"$type": "app.bsky.actor.profile", "description": "#nobot"}


def failed(world: World) -> Document:
    """Alice's ask, which a lane could not build, as she was told."""
    document = build_refused(world)
    world.bot.speak()
    return document


def retries(world: World, under: StrongRef | None = None) -> StrongRef:
    """Alice wants it tried again."""
    post = world.says("alice.test", "@wright.test retry", under or newest_of_ours(world))
    world.bot.ingest()
    world.bot.speak()
    return post


def now_of(world: World, document: Document) -> Document:
    return world.ledger.queries.document(document.id)


def labelled(world: World) -> None:
    world.network.label(world.network.account("alice.test").did, "spam")


def opted_out(world: World) -> None:
    world.network.put_record(world.network.account("alice.test").did, "app.bsky.actor.profile", "self", NOBOT)


def a_bot(world: World) -> None:
    labels = {"$type": "com.atproto.label.defs#selfLabels", "values": [{"val": "bot"}]}
    profile = {"$type": "app.bsky.actor.profile", "labels": labels}
    world.network.put_record(world.network.account("alice.test").did, "app.bsky.actor.profile", "self", profile)


def looked_at(world: World) -> None:
    world.rules = ruled(approval={"policy": "all"})


def blocking_us(world: World) -> None:
    world.network.block(world.network.account("alice.test").did, world.network.account("wright.test").did)


def unfit(world: World) -> None:
    world.rules = ruled(fit={"words": ["to-do"]})


@pytest.mark.parametrize("since", [labelled, opted_out, looked_at, unfit])
def test_what_would_not_pass_today_is_not_tried_again(world: World, since: Callable[[World], None]) -> None:
    """Whatever has changed since; its author hears no more than that."""
    document = failed(world)
    since(world)
    retries(world)

    assert (Status.BUILD_FAILED, 1) == (now_of(world, document).status, world.claims)
    assert [note(Note.NOT_TRIED_AGAIN).text] == texts(world)[:-1]


@pytest.mark.parametrize("since", [a_bot, blocking_us])
def test_who_may_not_ask_any_more_is_not_answered_either(world: World, since: Callable[[World], None]) -> None:
    """Nor is it tried again."""
    document = failed(world)
    since(world)
    retries(world)

    assert (Status.BUILD_FAILED, 1, 1) == (now_of(world, document).status, world.claims, len(texts(world)))


def test_what_cannot_be_told_now_is_tried_again_later(world: World) -> None:
    """The command waits, and nothing is answered before it is known."""
    document = failed(world)
    world.fails("status", POSTS, status=502)
    post = world.says("alice.test", "@wright.test retry", newest_of_ours(world))
    world.bot.ingest()
    waits, before = world.document(post), now_of(world, document)
    world.clock.shift += timedelta(seconds=10)
    world.bot.judge()
    world.bot.speak()

    assert (Status.RECEIVED, Status.BUILD_FAILED) == (waits.status, before.status)
    assert (Status.SKIPPED, Status.PENDING_BUILD) == (world.status(post), now_of(world, document).status)
    assert [note(Note.TRIED_AGAIN).text] == texts(world)[:-1]


def test_what_cannot_be_told_for_too_long_is_not_tried_again(world: World) -> None:
    """Nobody is asked to decide about a command."""
    world.rules = ruled(moderation={"unknown_hours": 1})
    document = failed(world)
    world.fails("status", POSTS, status=502, times=1000)
    post = retries(world)
    for _ in range(9):
        world.clock.shift += timedelta(minutes=11)
        world.bot.judge()

    assert (Status.SKIPPED, Reason.COMMAND) == (world.document(post).status, world.document(post).reason)
    assert Status.BUILD_FAILED is now_of(world, document).status


def test_a_retry_waits_for_a_full_cap(world: World) -> None:
    """Its author hears which one and until when, and that it goes on by itself."""
    world.rules = ruled(caps={"author_per_hour": 1})
    on_the_hour(world)
    document = failed(world)
    world.says("alice.test", "@wright.test make me a dice roller")
    world.bot.ingest()
    retries(world, document.mention.post)
    until = world.ledger.db.time().replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    before = now_of(world, document).status
    on_the_hour(world)
    world.bot.judge()

    assert [capped(Cap.AUTHOR_HOUR, until, goes_on=True).text] == texts(world)[:-1]
    assert (Status.BUILD_FAILED, Status.PENDING_BUILD) == (before, now_of(world, document).status)


def test_a_retry_over_a_cap_is_skipped_where_the_rules_say_so(world: World) -> None:
    """Its author hears when to ask again."""
    world.rules = ruled(caps={"author_per_hour": 1, "when_full": "skip"})
    document = failed(world)
    world.says("alice.test", "@wright.test make me a dice roller")
    world.bot.ingest()
    post = retries(world, document.mention.post)
    until = world.ledger.db.time().replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)

    assert [capped(Cap.AUTHOR_HOUR, until, goes_on=False).text] == texts(world)[:-1]
    assert (Status.SKIPPED, Status.BUILD_FAILED) == (world.status(post), now_of(world, document).status)


def test_it_is_built_by_what_the_post_says_now(world: World) -> None:
    """Judged and built alike, as an ask that is edited before it is judged."""
    document = failed(world)
    world.network.edit(document.source_uri, text="@wright.test make me a dice roller")
    retries(world)
    again = now_of(world, document)

    assert (Status.PENDING_BUILD, "make me a dice roller") == (again.status, again.mention.ask)


def test_one_failed_build_is_tried_again_twice(world: World) -> None:
    """Somebody who answers every line of ours with it gets the lines of a day, and then silence."""
    world.rules = Rules()
    document = failed(world)
    for _ in range(15):
        world.says("alice.test", "retry", newest_of_ours(world))
        world.bot.ingest()
        while world.ledger.pages.counts()[Status.PENDING_BUILD]:
            world.lane_builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")
        world.bot.speak()
        rescue_once(world.ledger, BOT)
        world.clock.shift += timedelta(seconds=61)

    assert (3, Status.BUILD_FAILED) == (world.claims, now_of(world, document).status)
    not_built = note(Note.NOT_BUILT, reason="it needs a server").text
    assert [note(Note.TRIED_AGAIN).text, not_built, not_built] == texts(world)


def test_a_retry_is_an_exchange(world: World) -> None:
    """A thread that goes round is left alone, also where every build fails; operators hear of it once."""
    world.rules = ruled(loops={"exchanges": 1}, commands={"retries": 9})
    with capture_logs() as logs:
        document = failed(world)
        for _ in range(4):
            retries(world, document.mention.post)
            while world.ledger.pages.counts()[Status.PENDING_BUILD]:
                world.lane_builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")

    assert 2 == world.claims
    assert 1 == len(alerts(logs))


def test_retries_are_among_the_builds_of_a_minute(world: World) -> None:
    """More than the rules allow pause the builds, though no new ask came."""
    world.rules = ruled(loops={"per_minute": 1})
    document = failed(world)
    world.clock.shift += timedelta(seconds=30)
    retries(world, document.mention.post)

    assert [Switch.PAUSE_BUILDS] == [switch for switch, *_ in world.ledger.desk.switches_on()]
