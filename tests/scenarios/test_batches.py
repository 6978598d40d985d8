"""Asks are judged together: no question per ask that could be one for all, and one that is broken stops no other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, text
from structlog.testing import capture_logs

from bot.jobs.ingest import Reach, ingest_once
from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status
from tests.documents import newest
from tests.mentions import BOT
from tests.scenarios.stages import POSTS
from tests.scenarios.world import World


@contextmanager
def reads(world: World) -> Iterator[list[str]]:
    """The questions that are put to the ledger meanwhile."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip().upper().startswith("SELECT"):
            asked.append(statement)

    event.listen(world.ledger.db.engine, "before_cursor_execute", note)
    yield asked
    event.remove(world.ledger.db.engine, "before_cursor_execute", note)


def thanked(world: World, n: int) -> None:
    """So many mentions that are nothing to build, nobody's the first."""
    for _ in range(n):
        world.says("alice.test", "@wright.test thank you!")


def labelled(world: World, n: int) -> None:
    """So many asks, each in a thread of somebody's, whose author is labelled."""
    world.network.label(world.network.account("alice.test").did, "spam")
    for number in range(n):
        world.says("alice.test", f"@wright.test make clock number {number}", world.says("bob.test", f"time {number}?"))


def heard(world: World) -> None:
    """Read, and not judged."""
    ingest_once(world.ledger, world.bot.presence.account(), BOT, Reach(None, 3, world.clock() - timedelta(days=1)))


def once_judged(world: World) -> None:
    """Read, and judged while the network did not answer."""
    world.fails("status", POSTS, status=502)
    world.bot.ingest()
    world.clock.shift += timedelta(seconds=61)


@pytest.mark.parametrize(("say", "reason"), [(thanked, Reason.THANKS), (labelled, Reason.LABELLED)])
def test_more_asks_take_no_more_questions(world: World, say: Callable[[World, int], None], reason: Reason) -> None:
    """Neither to the ledger nor, but for the size of its batches, to the network."""
    counts = []
    for n in (3, 25):
        say(world, n)
        heard(world)
        before = len(world.network.calls)
        with reads(world) as asked:
            done = world.bot.judge()
        counts.append((len(asked), len(world.network.calls) - before))
        assert n == done.refused

    assert counts[0] == counts[1]
    assert 28 == sum(document.reason is reason for document in newest(world.ledger, 100))


@pytest.mark.parametrize("in_threads", [False, True])
def test_more_asks_that_pass_take_no_more_questions(world: World, in_threads: bool) -> None:
    """But one each where it stands in somebody's thread: who was taken on there meanwhile."""
    asked_of = {}
    for n in (9, 90):
        for number in range(n):
            under = world.says("bob.test", f"time {n} {number}?") if in_threads else None
            world.says("alice.test", f"@wright.test make clock number {n} {number}", under)
        heard(world)
        with reads(world) as asked:
            done = world.bot.judge()
        asked_of[n] = len(asked)
        assert n == done.accepted

    assert asked_of[90] - asked_of[9] == (81 if in_threads else 0)


def test_one_that_cannot_be_read_stops_no_other(world: World) -> None:
    """It is put off, and told of."""
    posts = [world.says(name, "@wright.test make a dice roller") for name in ("alice.test", "bob.test")]
    heard(world)
    spoil(world, posts[0])
    with capture_logs() as logs:
        done = world.bot.judge()
        world.bot.judge()

    assert (1, 1) == (done.accepted, done.broken)
    assert [Status.RECEIVED, Status.PENDING_BUILD] == [world.status(post) for post in posts]
    assert ["judge_failed"] == [entry["event"] for entry in logs if entry["event"].endswith("_failed")]


def spoil(world: World, post: StrongRef) -> None:
    """As no program of ours would leave it."""
    with world.ledger.db.write() as connection:
        connection.execute(text("UPDATE documents SET body = '{}' WHERE source_uri = :uri"), {"uri": post.uri})


def test_what_was_known_and_cannot_be_read_any_more_is_asked_anew(world: World) -> None:
    """An older or a newer program may have kept other facts."""
    post = world.says("alice.test", "@wright.test make a dice roller")
    once_judged(world)
    with world.ledger.db.write() as connection:
        connection.execute(text("""UPDATE documents SET facts = '{"look": 7}'"""))
    with capture_logs() as logs:
        world.bot.judge()

    assert Status.PENDING_BUILD == world.status(post)
    assert [{"document": world.document(post).id, "event": "facts_unreadable", "log_level": "warning"}] == named(
        logs, "facts_unreadable"
    )


def named(logs: list[Any], name: str) -> list[Any]:
    return [entry for entry in logs if entry["event"] == name]
