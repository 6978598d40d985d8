"""What people write by hand from the bot's account is theirs: it answers nothing, and nobody takes it back."""

from datetime import timedelta

import pytest

from bot.jobs.look import trace_of
from bot.ledger.known import Trace
from guardrails.documents import StrongRef
from guardrails.transitions import Status
from tests.scenarios.stages import AN_APP, ASK, linked, watch, we_say
from tests.scenarios.world import World

APPS = "http://localhost:8100"
FOREIGN = "https://example.com/an-article"


def starts_again(world: World) -> None:
    world.restart()
    world.bot.reply()


def texts(world: World) -> list[str]:
    return [str(record["text"]) for record in world.replies()]


def a_question(world: World) -> StrongRef:
    return world.network.post(world.network.account("alice.test").did, "who runs this bot?")


@pytest.mark.parametrize("link", [None, FOREIGN])
def test_an_answer_by_hand_stays_when_its_question_goes(world: World, link: str | None) -> None:
    """An operator has said hello; the question is deleted."""
    question = a_question(world)
    we_say(world, "I do", question, link)
    starts_again(world)
    world.network.delete_record(question.uri)
    watch(world, 3)

    assert ["I do"] == texts(world)


@pytest.mark.parametrize("link", [None, FOREIGN])
def test_an_answer_by_hand_stays_when_its_asker_is_forgotten(world: World, link: str | None) -> None:
    """Only what the bot said to somebody is taken back."""
    we_say(world, "I do", a_question(world), link)
    starts_again(world)
    world.says("alice.test", "@wright.test forget me")
    world.bot.ingest()
    watch(world)

    assert ["I do"] == texts(world)


def test_a_command_under_an_answer_by_hand_takes_nothing_back(world: World) -> None:
    """Nothing of the bot's stands there."""
    hand = we_say(world, "read this", a_question(world), FOREIGN)
    starts_again(world)
    world.says("alice.test", "@wright.test delete", hand)
    world.bot.ingest()
    watch(world)

    assert "read this" in texts(world)


def test_a_thread_of_our_own_is_left_alone(world: World) -> None:
    """Though it shows an app: its first part is deleted, the second stays."""
    first = we_say(world, "news 1/2")
    we_say(world, "news 2/2", first, AN_APP)
    starts_again(world)
    world.network.delete_record(first.uri)
    watch(world, 3)

    assert ["news 2/2"] == texts(world)
    assert [] == world.ledger.known.to_look_at(9, timedelta(), timedelta(), 7)


def test_a_link_by_hand_under_an_ask_keeps_the_bot_silent_and_stays(world: World) -> None:
    """It may have been the answer: nothing is said beside it, and it is not deleted with the ask."""
    post = world.says("alice.test", ASK)
    world.bot.ingest()
    we_say(world, "look here", post, FOREIGN)
    starts_again(world)
    world.lane_builds()
    world.bot.reply()
    status = world.status(post)
    world.network.delete_record(post.uri)
    world.clock.shift += timedelta(minutes=11)
    watch(world, 3)

    assert (Status.REPLIED, ["look here"]) == (status, texts(world))


def test_words_by_hand_under_an_ask_are_no_answer(world: World) -> None:
    """The app that was asked for comes all the same."""
    post = world.says("alice.test", ASK)
    world.bot.ingest()
    we_say(world, "a moment please", post)
    starts_again(world)
    world.lane_builds()
    world.bot.reply()

    assert (Status.REPLIED, 2) == (world.status(post), len(world.replies()))


def test_a_reply_of_the_bots_is_followed_from_its_own_day_on(world: World) -> None:
    """A lost ledger finds it when it is six days old: it is followed for one more."""
    post = a_question(world)
    we_say(world, "it is ready", post, AN_APP)
    world.clock.shift += timedelta(days=6)
    starts_again(world)
    found = len(world.ledger.known.to_look_at(9, timedelta(), timedelta(), 7))
    world.clock.shift += timedelta(days=1, hours=1)

    assert (1, []) == (found, world.ledger.known.to_look_at(9, timedelta(), timedelta(), 7))


@pytest.mark.parametrize(
    ("record", "trace"),
    [
        ({}, Trace.WORDS),
        ({"facets": [linked("x", AN_APP)]}, Trace.REPLY),
        ({"embed": {"external": {"uri": AN_APP}}}, Trace.REPLY),
        ({"facets": [linked("x", f"{APPS}.example.com/a")]}, Trace.LINK),
        ({"embed": {"external": {"uri": FOREIGN}}}, Trace.LINK),
        ({"facets": [{"features": [{"$type": "app.bsky.richtext.facet#mention", "did": "did:plc:a"}]}]}, Trace.WORDS),
        ({"facets": 7, "embed": 7}, Trace.WORDS),
        ({"facets": [7, {"features": 7}, {"features": [7, {"uri": 7}]}], "embed": {"external": 7}}, Trace.WORDS),
    ],
)
def test_what_a_post_of_ours_is(record: dict[str, object], trace: Trace) -> None:
    """By its card and its link facets, whatever shape they have."""
    assert trace is trace_of(record, APPS)
