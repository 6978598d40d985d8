"""How long a round lasts where every call takes as long as it may."""

from datetime import timedelta
from itertools import count

from bot.main import CALLS_PER_ROUND, Bot
from guardrails.transitions import Status
from tests.scenarios.world import World


def test_on_a_slow_network_a_round_leaves_the_rest_to_the_next(world: World) -> None:
    """Each reply takes a whole call's time: the round ends well before its process would be taken for hung."""
    number = CALLS_PER_ROUND + 3
    for each in range(number):
        world.says("alice.test", f"@wright.test make me a timer, number {each}")
    world.bot.ingest()
    for _ in range(number):
        world.lane_builds()
    moments = count(step=world.settings.call_deadline_seconds)
    slow = Bot(world.settings, world.ledger, world.clock, timedelta(), steady=lambda: next(moments))
    slow.reply()
    first = len(world.replies())
    slow.reply()
    slow.close()

    assert CALLS_PER_ROUND == first
    assert (number, number) == (len(world.replies()), world.ledger.queries.counts()[Status.REPLIED])
