"""A ledger that was lost forgets nobody's wish to be forgotten, though our confirmation stands under it."""

from datetime import timedelta

import pytest

from bot.speech import note
from bot.texts import Note
from guardrails.documents import Did
from guardrails.facts import Standing
from tests.scenarios.asides import texts
from tests.scenarios.stages import we_say
from tests.scenarios.world import World


@pytest.mark.parametrize("since", [timedelta(), timedelta(hours=1)])
def test_a_wish_that_was_confirmed_before_the_ledger_was_lost_holds(world: World, since: timedelta) -> None:
    """Also one from before the first start of this ledger; it is not confirmed again, and the confirmation stays."""
    post = world.says("alice.test", "@wright.test forget me")
    we_say(world, note(Note.FORGOTTEN, "en").text, post)
    world.clock.shift += timedelta(minutes=1)
    world.restart(since=since)
    for job in (world.bot.reply, world.bot.ingest, world.bot.judge, world.bot.speak, world.bot.watch):
        job()
    did = Did(world.network.account("alice.test").did)
    world.says("alice.test", "@wright.test make me a clock")
    world.bot.ingest()

    assert {Standing.FORGOTTEN} == world.ledger.people.standing_of([did])[did]
    assert 1 == len(texts(world))
    assert 1 == sum(world.ledger.pages.counts().values())
