"""Notes that an older ledger knows nothing of: they answer nothing, and nobody gets a second one."""

from datetime import timedelta

import pytest

from guardrails.documents import StrongRef
from guardrails.rules import Rules
from guardrails.transitions import Status
from tests.crash.shelf import Shelf
from tests.scenarios.world import World, ruled

pytestmark = pytest.mark.slow
AN_HOUR_EACH = ruled(
    caps={
        "author_per_hour": 1,
        "author_per_day": 1000,
        "starts_per_day": 1000,
        "thread_per_day": 1000,
        "all_per_day": 10_000,
        "at_once": 1000,
    },
    ask={"same_hours": 0},
)


def judged(world: World, rules: Rules) -> None:
    world.rules = rules
    world.bot.ingest()
    world.bot.judge()


@pytest.mark.parametrize("known", [False, True])
def test_an_ask_that_was_told_to_wait_is_built(shelf: Shelf, known: bool) -> None:
    """The copy is from before the note, and may be from before the ask: its app comes, and the note not again."""
    world = shelf.world
    first = world.says("alice.test", "@wright.test make me a timer")
    judged(world, AN_HOUR_EACH)
    copy = shelf.copy()
    second = world.says("alice.test", "@wright.test make me a clock")
    judged(world, AN_HOUR_EACH)
    copy = shelf.copy() if known else copy
    world.bot.speak()
    (note,) = world.replies()
    world = shelf.put_back(copy)
    world.rules = AN_HOUR_EACH
    shelf.go_on()
    world.rules = AN_HOUR_EACH
    shelf.clock.shift += timedelta(minutes=70)
    shelf.go_on()

    assert "I carry on with your ask" in str(note["text"])
    assert [Status.REPLIED, Status.REPLIED] == [world.status(post) for post in (first, second)]
    assert sorted([first.uri, second.uri, second.uri]) == shelf.answers()


def test_the_words_under_an_ask_are_found_once(shelf: Shelf) -> None:
    """Every start finds them, and they are no news to the second."""
    post: StrongRef = shelf.world.says("alice.test", "@wright.test make me a timer")
    shelf.bot_says("not now", post)
    for _ in range(2):
        shelf.world.restart()
        shelf.world.bot.reply()

    assert ["note:found"] == [send.key[:10] for send in shelf.world.ledger.queries.newest_sends(9)]
