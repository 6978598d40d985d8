"""What a rate limit of the server's costs: time, and nothing else."""

from datetime import timedelta

from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.scenarios.world import World

LIMIT = 600.0


def built(world: World, text: str) -> StrongRef:
    """A mention of alice's that is built and not yet answered."""
    post = world.says("alice.test", f"@wright.test make me {text}")
    world.bot.ingest()
    world.lane_builds()
    return post


def points(world: World) -> int:
    """The write points that are spent so far."""
    with world.ledger.db.read() as connection:
        query = "SELECT max(n) FROM usage WHERE scope = 'points'"
        return int(connection.exec_driver_sql(query).scalar_one())


def test_while_a_limit_stands_nothing_counts_as_tried(world: World) -> None:
    """No try is begun, so the back-off does not double, and no write points go; afterwards all are answered."""
    first = built(world, "a to-do list")
    world.fails("drop_request")
    world.bot.reply()
    (before,) = world.ledger.queries.sends(world.document(first).id)
    second = built(world, "a timer")
    world.fails("rate_limit", seconds=LIMIT)
    world.bot.reply()
    spent = points(world)
    third = built(world, "a decision wheel")
    world.clock.shift += timedelta(seconds=30)
    world.bot.reply()
    (after,) = world.ledger.queries.sends(world.document(first).id)

    assert (before.tries, spent) == (after.tries, points(world))
    assert [] == world.ledger.queries.sends(world.document(third).id)
    assert after.next_try_at is not None
    assert timedelta(seconds=LIMIT - 60) < after.next_try_at - world.ledger.db.time() <= timedelta(seconds=LIMIT)

    world.until_settled()
    assert {Status.REPLIED} == {world.status(post) for post in (first, second, third)}
    assert 3 == len(world.replies())
