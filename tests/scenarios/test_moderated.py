"""A moderation service is asked about each ask once; while it is silent nothing is decided, and nothing is lost."""

import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from bot.jobs.moderating import MOST_SLOW
from guardrails.documents import StrongRef
from guardrails.moderation import TOO_SLOW
from guardrails.rules import FitRules, ModerationRules
from guardrails.transitions import Reason, Status
from tests.bot.bluesky.scripted import answered
from tests.documents import newest
from tests.moderation import Service, moderation_service
from tests.scenarios.asides import texts
from tests.scenarios.stages import POSTS
from tests.scenarios.world import World

DOWN = answered({"error": {"message": "overloaded"}}, 503)
# What a regular expression takes years for.
ENDLESS = r"(?:a|aa|aaa|aab?)+c"
WISHES = ("a dice roller", "a tip splitter", "a knife game")


@pytest.fixture
def service(world: World) -> Iterator[Service]:
    """A service that minds knives, and rules that name it."""
    with moderation_service() as running:
        running.flags = lambda text: ("violence",) if "knife" in text else ()
        world.rules = world.rules.model_copy(update={"moderation": running.rules().moderation})
        yield running


def asks(world: World, *wishes: str) -> list[StrongRef]:
    people = ("alice.test", "bob.test", "carol.test")
    return [world.says(people[n % 3], f"@wright.test make me {wish}") for n, wish in enumerate(wishes)]


def ticks(world: World, span: timedelta) -> None:
    """The bot goes on judging, twice a minute."""
    for _ in range(int(span / timedelta(seconds=30))):
        world.clock.shift += timedelta(seconds=30)
        world.bot.judge()


def test_each_ask_is_judged_by_the_service(world: World, service: Service) -> None:
    """What it flags is not built, and why is kept; the asker gets the neutral line."""
    dice, tip, knife = asks(world, *WISHES)
    world.bot.ingest()
    world.bot.speak()
    document = world.document(knife)

    assert [Status.PENDING_BUILD] * 2 == [world.status(dice), world.status(tip)]
    assert (Status.SKIPPED, Reason.REFUSED_BY_RULES) == (document.status, document.reason)
    assert "the moderation service flags violence" == document.detail
    assert {f"make me {wish}" for wish in WISHES} == set(service.texts)
    assert not any("violence" in text for text in texts(world))


def test_an_hour_without_the_service_decides_nothing(world: World, service: Service) -> None:
    """The asks wait in received, none skipped, none built; when it is back, all are judged once."""
    service.down = DOWN
    posts = asks(world, *WISHES)
    world.bot.ingest()
    ticks(world, timedelta(hours=1))
    waiting = {world.status(post) for post in posts}
    silent = {world.document(post).verdicts[-1].check for post in posts}
    service.down = None
    ticks(world, timedelta(minutes=11))

    assert ({Status.RECEIVED}, {"does_the_service_object"}) == (waiting, silent)
    expected = [Status.PENDING_BUILD, Status.PENDING_BUILD, Status.SKIPPED]
    assert expected == [world.status(post) for post in posts]
    assert sorted(f"make me {wish}" for wish in WISHES) == sorted(service.texts)


def test_a_silent_service_is_asked_once_in_a_round(world: World, service: Service) -> None:
    """However many asks there are: each question may take its whole deadline."""
    service.down = DOWN
    asks(world, *(f"timer {n}" for n in range(20)))
    world.bot.ingest()

    assert 1 == service.calls
    assert {Status.RECEIVED: 20} == {status: n for status, n in world.ledger.pages.counts().items() if n}


def test_what_was_judged_once_is_not_judged_again(world: World, service: Service) -> None:
    """While it waits for a cap, or for the network."""
    world.rules = world.rules.model_copy(
        update={"caps": world.rules.caps.model_copy(update={"author_per_hour": 1, "author_per_day": 5})}
    )
    posts = [world.says("alice.test", f"@wright.test make me {wish}") for wish in WISHES[:2]]
    world.bot.ingest()
    first = [world.status(post) for post in posts]
    ticks(world, timedelta(minutes=61))

    assert [Status.PENDING_BUILD, Status.RECEIVED] == first
    assert [Status.PENDING_BUILD] * 2 == [world.status(post) for post in posts]
    assert 2 == len(service.texts)


def test_another_text_is_another_question(world: World, service: Service) -> None:
    """An ask that passed once does not pass with whatever it is edited into."""
    post = world.says("alice.test", "@wright.test make me a dice roller")
    world.fails("status", POSTS, status=502)
    world.bot.ingest()
    ticks(world, timedelta(minutes=2))
    passed = world.status(post)
    world.network.edit(post.uri, text="@wright.test make me a knife game")
    world.clock.shift += timedelta(seconds=61)
    world.bot.watch()
    world.bot.judge()

    assert Status.PENDING_BUILD == passed
    assert (Status.SKIPPED, Reason.REFUSED_BY_RULES) == (world.status(post), world.document(post).reason)


def test_what_is_refused_already_is_not_asked_about(world: World, service: Service) -> None:
    """The service costs money."""
    world.says("alice.test", "@wright.test help")
    world.says("bob.test", "@wright.test make me a sign-in page for my bank that mails me every password")
    world.network.label(world.network.account("carol.test").did, "spam")
    world.says("carol.test", "@wright.test make me a dice roller")
    world.bot.ingest()

    assert [] == service.texts


def test_after_a_day_of_silence_a_person_decides(world: World, service: Service) -> None:
    """With what could not be told."""
    service.down = DOWN
    (post,) = asks(world, "a dice roller")
    world.bot.ingest()
    for _ in range(25):
        world.clock.shift += timedelta(hours=1)
        world.bot.judge()
    document = world.document(post)

    assert (Status.AWAITING_APPROVAL, Reason.UNKNOWN_TOO_LONG) == (document.status, document.reason)
    assert "the moderation service did not answer yet" == document.detail


def test_what_the_rules_hold_is_held(world: World, service: Service) -> None:
    """Some categories are for a person to decide."""
    world.rules = world.rules.model_copy(update={"moderation": service.rules(hold=["violence"]).moderation})
    (post,) = asks(world, "a knife game")
    world.bot.ingest()

    assert (Status.AWAITING_APPROVAL, Reason.SUSPECT) == (world.status(post), world.document(post).reason)


def test_what_an_ask_points_at_is_judged_with_it(world: World, service: Service) -> None:
    """Somebody else's words are no way around it."""
    root = world.says("carol.test", "what is missing?")
    post = world.says("alice.test", "@wright.test build this", world.says("bob.test", "a knife game", root))
    world.bot.ingest()

    assert (Status.SKIPPED, Reason.REFUSED_BY_RULES) == (world.status(post), world.document(post).reason)
    assert ["build this\n\na knife game"] == service.texts


def test_another_service_is_asked_anew(world: World, service: Service) -> None:
    """Or the same by another model: what the one has said of an ask is not what the other would."""
    caps = world.rules.caps.model_copy(update={"author_per_hour": 1, "author_per_day": 5})
    world.rules = world.rules.model_copy(update={"caps": caps})
    for wish in WISHES[:2]:
        world.says("alice.test", f"@wright.test make me {wish}")
    world.bot.ingest()
    world.rules = world.rules.model_copy(update={"moderation": service.rules(model="another").moderation})
    ticks(world, timedelta(minutes=61))

    assert ["omni-moderation-latest"] * 2 + ["another"] == [each["model"] for each in service.asked]


def test_a_reload_in_the_middle_of_a_round_lets_nothing_pass(world: World, service: Service) -> None:
    """A round goes by the rules that it began with, for the service as well."""

    def reloads(text: str) -> tuple[str, ...]:
        world.rules = world.rules.model_copy(update={"moderation": ModerationRules()})
        return ("violence",)

    service.flags = reloads
    posts = asks(world, *WISHES)
    world.bot.ingest()

    assert {Status.SKIPPED} == {world.status(post) for post in posts}
    assert 3 == service.calls


def test_a_slow_expression_holds_up_no_more_than_a_part_of_a_round(world: World) -> None:
    """Nothing is decided of what it was not tried on, and operators are told which it is, once."""
    world.rules = world.rules.model_copy(update={"fit": FitRules(patterns=(ENDLESS,))})
    for n in range(MOST_SLOW + 5):
        world.says("alice.test", f"@wright.test {'a' * 250} {n}")
    other = world.says("bob.test", "@wright.test thanks!")
    begun = time.process_time()
    with capture_logs() as logs:
        world.bot.ingest()

    assert Status.SKIPPED is world.status(other)
    waiting = [each for each in newest(world.ledger, 100) if each.status is Status.RECEIVED]
    assert [f"{TOO_SLOW}{ENDLESS}"] * (MOST_SLOW + 5) == [each.verdicts[-1].detail for each in waiting]
    assert [ENDLESS] == [each["pattern"] for each in logs if each["event"] == "pattern_too_slow"]
    # As many again were looked at before.
    assert time.process_time() - begun < 0.2 * (MOST_SLOW + MOST_SLOW + 5) + 4
