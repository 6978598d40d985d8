"""An author who says cancel or delete takes the ask back, as if its post had gone."""

import pytest

from guardrails.documents import StrongRef
from guardrails.transitions import Reason, Status
from tests.scenarios.stages import building, built, held, pending, received, watch
from tests.scenarios.world import World

OPEN = {
    Status.RECEIVED: received,
    Status.AWAITING_APPROVAL: held,
    Status.PENDING_BUILD: pending,
    Status.BUILDING: building,
    Status.BUILT: built,
}


def replied(world: World) -> StrongRef:
    post = built(world)
    world.bot.reply()
    return post


def answer_to(world: World, post: StrongRef) -> StrongRef:
    """The bot's reply."""
    (entry,) = world.network.repo(world.network.account("wright.test").did)
    assert entry["uri"] == world.document(post).reply_uri
    return StrongRef(uri=entry["uri"], cid=entry["cid"])


@pytest.mark.parametrize("word", ["cancel", "Delete!", "stop"])
@pytest.mark.parametrize("status", OPEN)
def test_a_command_before_the_answer_takes_the_ask_back(world: World, status: Status, word: str) -> None:
    """At once: nobody else could have said it."""
    post = OPEN[status](world)
    command = world.says("alice.test", f"@wright.test {word}", post)
    world.bot.ingest()
    world.bot.reply()
    document = world.document(post)

    assert (Status.SKIPPED, Reason.CANCELLED) == (document.status, document.reason)
    assert (Status.SKIPPED, Reason.COMMAND) == (world.status(command), world.document(command).reason)
    assert [] == world.replies()


@pytest.mark.parametrize("word", ["cancel", "delete"])
def test_a_command_under_the_answer_takes_it_back(world: World, word: str) -> None:
    """Our reply is deleted, and the app is gone from its address."""
    post = replied(world)
    world.says("alice.test", f"@wright.test {word}", answer_to(world, post))
    world.bot.ingest()
    watch(world)
    document = world.document(post)

    assert [] == world.replies()
    assert (Status.REPLIED, True) == (document.status, document.withdrawn_at is not None)
    assert document.reply_deleted_at is not None
    assert document.slug is not None
    app = world.ledger.hosting.app(document.slug)
    assert app is not None
    assert "cancelled" == app.gone_reason


def test_somebody_elses_command_takes_nothing_back(world: World) -> None:
    """Whoever asked decides."""
    post = replied(world)
    world.says("bob.test", "@wright.test delete", answer_to(world, post))
    world.says("bob.test", "@wright.test delete", post)
    world.bot.ingest()
    watch(world)

    assert (Status.REPLIED, None, 1) == (world.status(post), world.document(post).withdrawn_at, len(world.replies()))


@pytest.mark.parametrize("word", ["help", "status", "retry"])
def test_other_commands_take_nothing_back(world: World, word: str) -> None:
    """Not even from the asker."""
    post = pending(world)
    world.says("alice.test", f"@wright.test {word}", post)
    world.bot.ingest()

    assert Status.PENDING_BUILD is world.status(post)


def test_a_command_is_about_the_ask_that_it_answers(world: World) -> None:
    """Not about another one in the same thread; one that answers neither is about the ask that began the thread."""
    first = pending(world)
    second = world.says("alice.test", "@wright.test make me a to-do list", first)
    world.bot.ingest()
    world.says("alice.test", "@wright.test cancel", second)
    world.bot.ingest()
    between = (world.status(first), world.status(second))
    aside = world.says("bob.test", "nice", first)
    world.says("alice.test", "@wright.test cancel", aside)
    world.bot.ingest()

    assert (Status.PENDING_BUILD, Status.SKIPPED) == between
    assert Reason.CANCELLED is world.document(first).reason
