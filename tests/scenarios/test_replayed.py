"""Replaying with the very rules in force changes nothing, whatever has become of what was asked."""

from datetime import timedelta

import pytest

from bot.jobs.commands import OBEY
from bot.terminal.replay import Replayed, replay
from guardrails.documents import AtUri, Did, StrongRef
from guardrails.wire import BuildOutcome
from tests.documents import newest
from tests.mentions import OPERATOR
from tests.scenarios.asides import asked, not_judged
from tests.scenarios.world import World, ruled


def replayed(world: World) -> Replayed:
    return replay(world.ledger, world.rules, world.ledger.db.time() - timedelta(days=7))


def obeyed(world: World) -> int:
    """How many commands were."""
    return sum(document.verdicts[-1].check == OBEY for document in newest(world.ledger, 100))


def answer_of_ours(world: World) -> StrongRef:
    newest = world.network.repo(world.network.account("wright.test").did)[0]
    return StrongRef(uri=AtUri(newest["uri"]), cid=newest["cid"])


def under(world: World, answer: StrongRef, text: str, by: str = "alice.test") -> None:
    world.says(by, f"@wright.test {text}", answer)
    world.bot.ingest()
    world.clock.shift += timedelta(minutes=2)
    world.bot.judge()
    world.bot.speak()


def test_what_the_checks_decided_is_decided_again(world: World) -> None:
    """Asks, and what is none; those that wait, joined another, or were decided by a person later on."""
    world.rules = ruled(authors={"skip_labels": ["spam"]}, fit={"hold_words": ["kale"], "words": ["broccoli"]})
    asked(world)
    world.lane_builds()
    world.bot.reply()
    answer = answer_of_ours(world)
    asked(world)
    for text in ("make it blue", "thanks!"):
        under(world, answer, text)
    asked(world, "@wright.test", by="bob.test")
    asked(world, "My timer, built with @wright.test", by="bob.test")
    asked(world, "@wright.test a broccoli quiz", by="bob.test")
    held = [asked(world, f"@wright.test a kale quiz{end}", by="bob.test") for end in ("", " for cats", " about Rome")]
    world.ledger.documents.approve(OPERATOR, world.document(held[0]))
    world.ledger.documents.stop(OPERATOR, world.document(held[1]))
    for n in range(2):
        asked(world, f"@wright.test a timer for {('tea', 'my evening run')[n]}", by="carol.test")
    not_judged(world, "@wright.test a map", by="carol.test")
    world.network.label(world.network.account("carol.test").did, "spam")
    asked(world, "@wright.test a wheel of fortune", by="carol.test")
    world.ledger.people.deny(OPERATOR, Did(world.network.account("bob.test").did), "enough")
    asked(world, "@wright.test a chess clock", by="bob.test")

    told = replayed(world)

    assert {} == dict(told.changes)
    assert told.asks >= 14
    assert not told.not_known


@pytest.mark.parametrize("command", ["help", "status", "retry", "cancel", "delete"])
def test_a_command_that_was_obeyed_is_the_same_command(world: World, command: str) -> None:
    """What came of it is no decision, even where it was a full cap."""
    world.rules = ruled(caps={"author_per_hour": 1})
    asked(world)
    world.lane_builds(outcome=BuildOutcome.REFUSED, reason="it needs a server")
    world.bot.speak()
    answer = answer_of_ours(world)
    asked(world, "@wright.test a chess clock")
    for _ in range(2):
        under(world, answer, command)

    assert 2 == obeyed(world)
    assert {} == dict(replayed(world).changes)
