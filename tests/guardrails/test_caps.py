"""How much: every cap at its edge, money, and conversations that go round."""

from typing import Any

import pytest

from guardrails.caps import Cap, capped, counted, does_it_go_round, how_much, is_spent_at_claim, places
from guardrails.documents import AtUri, StrongRef
from guardrails.facts import Conversation
from guardrails.said import PASS, Outcome, Said
from guardrails.transitions import Reason
from tests.guardrails.known import DAY_ENDS, HOUR_ENDS, RULES, known, ruled, used
from tests.mentions import ALICE, NOON, mention

THREAD = AtUri("at://did:plc:bob/app.bsky.feed.post/3kroot")
CAPS = ruled(
    caps={"author_per_hour": 2, "author_per_day": 3, "starts_per_day": 6, "thread_per_day": 4, "all_per_day": 5},
    money={"author_day_usd": 1},
)
SKIPPING = ruled(caps={"author_per_hour": 2, "when_full": "skip"})


def said_of(price: int = 0, **taken: Any) -> Said:
    return how_much(known(used=used(**taken), price_micros=price), CAPS, NOON)


@pytest.mark.parametrize(
    ("field", "limit", "cap"),
    [
        ("author_hour", 2, Cap.AUTHOR_HOUR),
        ("author_day", 3, Cap.AUTHOR_DAY),
        ("author_starts", 6, Cap.AUTHOR_STARTS),
        ("thread_day", 4, Cap.THREAD_DAY),
        ("all_day", 5, Cap.ALL_DAY),
    ],
)
def test_the_last_place_may_be_taken_and_no_other(field: str, limit: int, cap: Cap) -> None:
    """Then it waits until the hour, or the day, begins anew."""
    until = HOUR_ENDS if cap is Cap.AUTHOR_HOUR else DAY_ENDS

    assert PASS == said_of(**{field: limit - 1})
    assert Said(Outcome.WAIT, Reason.CAPPED, cap.value, until) == said_of(**{field: limit})
    assert Said(Outcome.WAIT, Reason.CAPPED, cap.value, until) == said_of(**{field: limit + 1})


@pytest.mark.parametrize(
    ("price", "spent", "passes"),
    [(0, 1_000_000, True), (1, 1_000_000, False), (400_000, 600_000, True), (400_001, 600_000, False), (0, 0, True)],
)
def test_an_author_spends_so_much_a_day(price: int, spent: int, passes: bool) -> None:
    """What the ask is taken to cost is counted in; what fits exactly passes."""
    waits = Said(Outcome.WAIT, Reason.CAPPED, Cap.AUTHOR_MONEY.value, DAY_ENDS)

    assert (PASS if passes else waits) == said_of(price, author_day_micros=spent)


@pytest.mark.parametrize(
    ("price", "taken", "cap"),
    [
        (2_000_000, {"author_day": 3, "thread_day": 4, "all_day": 5}, Cap.AUTHOR_DAY),
        (0, {"author_hour": 2, "author_day": 3}, Cap.AUTHOR_DAY),
        (0, {"author_hour": 2, "thread_day": 4}, Cap.THREAD_DAY),
        (2_000_000, {"author_hour": 2}, Cap.AUTHOR_MONEY),
    ],
)
def test_of_several_full_caps_the_one_that_ends_last_is_told(price: int, taken: dict[str, int], cap: Cap) -> None:
    """The first of them in the order in which places are taken: until then the ask waits in any case."""
    assert Said(Outcome.WAIT, Reason.CAPPED, cap.value, DAY_ENDS) == said_of(price, **taken)


def test_by_setting_an_ask_over_a_cap_is_skipped() -> None:
    """With the cap as the detail, and when it begins anew."""
    skipped = Said(Outcome.SKIP, Reason.CAPPED, "author_hour", HOUR_ENDS)

    assert skipped == how_much(known(used=used(author_hour=2)), SKIPPING, NOON)
    assert Said(Outcome.SKIP, Reason.CAPPED, "all_day", DAY_ENDS) == capped(Cap.ALL_DAY, DAY_ENDS, SKIPPING)
    assert Said(Outcome.WAIT, Reason.CAPPED, "all_day", DAY_ENDS) == capped(Cap.ALL_DAY, DAY_ENDS, RULES)


def test_what_was_not_counted_is_unknown() -> None:
    """Not free."""
    assert Outcome.UNKNOWN is how_much(known(used=None), CAPS, NOON).outcome


def test_an_ask_takes_a_place_of_its_author_its_thread_and_everybody() -> None:
    """Always in this order, so that two who take them at once never wait for each other."""
    taken = places(ALICE, THREAD, CAPS)

    assert [cap for cap in Cap if cap is not Cap.AUTHOR_MONEY] == [place.cap for place in taken]
    assert [2, 3, 6, 4, 5] == [place.limit for place in taken]
    assert [True, *[False] * 4] == [place.hourly for place in taken]
    assert [False, False, True, False, False] == [is_spent_at_claim(place.scope) for place in taken]
    scopes = [f"author:{ALICE}"] * 2 + [f"starts:{ALICE}", f"thread:{THREAD}", "asks"]
    assert scopes == [place.scope for place in taken]


def test_what_a_person_decides_is_counted_without_a_limit() -> None:
    """In the same places."""
    free = counted(ALICE, THREAD)

    assert [None] * 5 == [place.limit for place in free]
    assert [(place.cap, place.scope) for place in places(ALICE, THREAD, CAPS)] == [(p.cap, p.scope) for p in free]


def test_a_thread_is_capped_wherever_in_it_the_ask_stands() -> None:
    """By its root."""
    body = mention(root=StrongRef(uri=THREAD, cid="cid-root"))

    assert THREAD == known(body).thread
    assert mention().post.uri == known().thread


@pytest.mark.parametrize(("exchanges", "ends"), [(0, False), (4, False), (5, True), (50, True)])
def test_a_conversation_that_goes_round_is_left_alone(exchanges: int, ends: bool) -> None:
    """Silence, after so many asks without a new person."""
    said = does_it_go_round(known(conversation=Conversation(exchanges=exchanges)), RULES, NOON)

    assert ((Outcome.SKIP, Reason.LOOP) if ends else (Outcome.PASS, None)) == (said.outcome, said.reason)
