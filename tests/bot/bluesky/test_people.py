"""What is made of the AppView's answers about accounts, fitting or not."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.bluesky.people import BATCH, Profiles, asks_for_no_bots, read_profiles
from guardrails.documents import Did
from guardrails.facts import Profile
from tests.bot.bluesky.accounts import scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused
from tests.clock import NOON

ALICE = Did("did:plc:ndh7limaf7c2saw23rincw3f")
BOB = Did("did:plc:bobbobbobbobbobbobbobbob")
CROWD = [Did(f"did:plc:{n:a>24}") for n in range(2, 2 + 2 * BATCH)]


def view(did: str = ALICE, **more: Any) -> dict[str, Any]:
    return {"did": did, "handle": "alice.test", **more}


def listed(*views: object) -> Answer:
    return answered({"profiles": list(views)})


def read(answer: Callable[[Call], Answer], *dids: Did) -> tuple[Profiles, list[int]]:
    """What was found, and how many were asked about in each call."""
    with scene(answer) as made:
        found = read_profiles(made.open(), dids)
        return found, [len(call.params["actors"]) for call in made.pds.called("app.bsky.actor.getProfiles")]


def seen(**more: Any) -> Profile:
    return read(lambda _: listed(view(**more)), ALICE)[0].found[ALICE]


def test_nobody_is_asked_about_where_there_is_nobody() -> None:
    """Nor what is no DID at all: the server would refuse the whole question."""
    assert (Profiles({}), []) == read(lambda _: listed(), Did("alice.test"), Did("did:plc:"), Did(""))


def test_each_is_asked_about_once_in_batches() -> None:
    """By DID, whatever the order of the answer."""
    found, calls = read(
        lambda call: listed(*map(view, reversed(call.params["actors"]))), *CROWD, ALICE, ALICE, CROWD[0]
    )

    assert ([BATCH, BATCH, 1], {*CROWD, ALICE}) == (calls, set(found.found))


@pytest.mark.parametrize(
    ("viewer", "blocked"),
    [
        ({"blockedBy": True}, True),
        ({"blockedBy": False, "blocking": "at://x"}, True),
        ({"blockingByList": {"uri": "at://x"}}, True),
        ({"blockedBy": False, "muted": True, "following": "at://x"}, False),
        (None, False),
    ],
)
def test_a_block_is_one_whoever_set_it(viewer: object, blocked: bool) -> None:
    """A mute is none."""
    assert blocked is seen(viewer=viewer).blocked


@pytest.mark.parametrize(
    "bio",
    [
        "#nobot",
        "I bake. #NoBots!",
        "no ads\n#no-bot",
        "#NO_BOT #art",
        "\uff03\uff4e\uff4f\uff42\uff4f\uff54",
        "#nob\u200bot",
        "(#nobot)",
    ],
)
def test_a_bio_asks_for_no_bots(bio: str) -> None:
    """However it is written."""
    assert asks_for_no_bots(bio)
    assert seen(description=bio).nobot


@pytest.mark.parametrize(
    "bio", ["", "no bots here", "#bot", "#nobottles", "#nobot-fan", "x#nobot", "#notabot", "nobot", None, 7]
)
def test_a_bio_that_does_not_ask_for_it(bio: object) -> None:
    """A hashtag is one at its beginning, and whole."""
    assert not seen(description=bio).nobot


def test_the_date_of_a_profile_is_no_age() -> None:
    """Its owner writes it."""
    assert seen(createdAt="2026-02-03T04:05:06.789Z").created_at is None


@pytest.mark.parametrize(("said", "expected"), [(3, 3), (0, 0), ("3", None), (True, None), (None, None)])
def test_followers_are_known_where_they_are_said(said: object, expected: int | None) -> None:
    """As a number."""
    assert expected == seen(followersCount=said).followers


@pytest.mark.parametrize("answer", [answered({}), answered({"profiles": {}}), refused(502, "UpstreamFailure")])
def test_without_an_answer_it_is_unclear(answer: Answer) -> None:
    """Not knowing is not being away."""
    assert Profiles({}, frozenset({ALICE})) == read(lambda _: answer, ALICE)[0]


def test_one_that_cannot_be_read_leaves_a_doubt_about_the_others() -> None:
    """It may be any of those that are missing."""
    found, _ = read(lambda _: listed(view(ALICE), {"handle": "bob.test"}), ALICE, BOB)

    assert ([ALICE], [BOB]) == (list(found.found), list(found.unclear))


def test_one_whom_the_server_refuses_does_not_hide_the_others() -> None:
    """It is found by halves."""

    def answer(call: Call) -> Answer:
        asked = call.params["actors"]
        return refused(400, "InvalidRequest", "no") if BOB in asked else listed(*map(view, asked))

    found, calls = read(answer, *CROWD[:24], BOB)

    assert ({*CROWD[:24]}, {BOB}) == (set(found.found), set(found.unclear))
    assert len(calls) <= 11


@pytest.mark.parametrize(
    ("answer", "calls"),
    [(refused(429, "RateLimitExceeded"), 1), (refused(401, "AuthMissing"), 1), (refused(502, "UpstreamFailure"), 3)],
)
def test_a_server_that_does_not_answer_is_left_alone(answer: Answer, calls: int) -> None:
    """Everybody else's profile is unclear too."""
    people = [Did(f"did:plc:{n:a>24}") for n in range(2, 2 + 5 * BATCH)]
    found, asked = read(lambda _: answer, *people)

    assert (calls, {*people}) == (len(asked), set(found.unclear))


def test_a_server_may_say_when_to_ask_again() -> None:
    """Whoever waits for the answer waits no less."""
    found, _ = read(lambda _: refused(429, "RateLimitExceeded", retry_after="90"), ALICE)

    assert NOON + timedelta(seconds=90) == found.retry_at


def test_nobody_is_asked_about_once_the_time_is_over() -> None:
    """Whoever was not asked about is unclear."""
    times = iter([False, True, True])
    with scene(lambda call: listed(*map(view, call.params["actors"]))) as made:
        found = read_profiles(made.open(), CROWD, over=lambda: next(times))

    assert ({*CROWD[:BATCH]}, {*CROWD[BATCH:]}) == (set(found.found), set(found.unclear))
