"""What is known of a list, by what could be read of it and when."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from bot.bluesky.lists import OFF_FOR, ON_FOR, STALE_FOR, AllowList, read_list
from bot.bluesky.session import Account
from guardrails.documents import AtUri, Did
from guardrails.facts import Membership
from tests.bot.bluesky.accounts import scene
from tests.bot.bluesky.scripted import Answer, Call, answered, refused
from tests.clock import Clock

URI = AtUri("at://did:plc:alice/app.bsky.graph.list/3kaaa")
ALICE, BOB, CAROL = Did("did:plc:alice"), Did("did:plc:bob"), Did("did:plc:carol")
DOWN = refused(502, "UpstreamFailure")


def page(*dids: str, cursor: str | None = None) -> Answer:
    items = [{"uri": "at://x", "subject": {"did": did, "handle": "x.test"}} for did in dids]
    return answered({"list": {}, "items": items} | ({"cursor": cursor} if cursor else {}))


@dataclass
class Scripted:
    """A list whose pages a test writes; the last one is given for good."""

    pages: list[Answer]
    asked: int = 0

    def answer(self, call: Call) -> Answer:
        self.asked += 1
        return self.pages.pop(0) if len(self.pages) > 1 else self.pages[0]


@dataclass
class Door:
    """An allow list, and whoever stands before it."""

    pages: Scripted
    account: Account
    clock: Clock
    known: AllowList

    def places(self, *dids: Did, uri: str = URI) -> list[Membership]:
        found = self.known.membership(self.account, uri, dids)
        return [found[did] for did in dids]


@contextmanager
def door(*pages: Answer) -> Iterator[Door]:
    script = Scripted(list(pages))
    with scene(script.answer) as made:
        yield Door(script, made.open(), made.clock, AllowList(made.clock))


ON, OFF, UNSURE = Membership.ON, Membership.OFF, Membership.UNSURE


def test_pages_are_read_to_the_end() -> None:
    """An empty one may still have a cursor."""
    with door(page(ALICE, cursor="1"), page(cursor="2"), page(BOB)) as made:
        found = read_list(made.account, URI)

    assert ({ALICE, BOB}, True, 3) == (set(found.members), found.complete, made.pages.asked)


@pytest.mark.parametrize(
    "second",
    [DOWN, refused(400, "InvalidRequest", "List not found"), answered({}), answered({"items": [], "cursor": 7})],
)
def test_a_page_that_is_missing_leaves_the_list_incomplete(second: Answer) -> None:
    """What was read before it counts."""
    with door(page(ALICE, cursor="1"), second) as made:
        found = read_list(made.account, URI)

    assert ({ALICE}, False) == (set(found.members), found.complete)


@pytest.mark.parametrize("item", [7, {}, {"subject": {"handle": "bob.test"}}, {"subject": None}])
def test_a_member_who_cannot_be_read_leaves_the_list_incomplete(item: Any) -> None:
    """It may be whoever asks."""
    items = [{"subject": {"did": ALICE}}, item]
    with door(answered({"items": items})) as made:
        found = read_list(made.account, URI)

    assert ({ALICE}, False) == (set(found.members), found.complete)


def test_a_list_without_end_is_not_complete() -> None:
    """It is given up after so many pages."""
    with door(page(ALICE, cursor="same")) as made:
        found = read_list(made.account, URI, pages=4)

    assert (False, 4) == (found.complete, made.pages.asked)


def test_a_list_is_left_once_the_time_is_over() -> None:
    """What was read before counts."""
    times = iter([False, True])
    with door(page(ALICE, cursor="1")) as made:
        found = read_list(made.account, URI, over=lambda: next(times))

    assert ([ALICE], False, 1) == (list(found.members), found.complete, made.pages.asked)


def test_without_a_list_everybody_is_on_it() -> None:
    """And nothing is asked."""
    with door(page()) as made:
        assert [ON, ON] == made.places(ALICE, BOB, uri="")
        assert [] == made.places()
        assert 0 == made.pages.asked


def test_a_complete_list_says_who_is_on_it_and_who_is_not() -> None:
    """One reading serves everybody for a while."""
    with door(page(ALICE)) as made:
        assert [ON, OFF] == made.places(ALICE, BOB)
        made.clock.advance(OFF_FOR / 2)
        assert [OFF, ON] == made.places(BOB, ALICE)
        assert 1 == made.pages.asked


def test_whoever_was_just_put_on_the_list_may_ask() -> None:
    """That somebody is not on it is believed for a minute only; that somebody is, for longer."""
    with door(page(ALICE), page(ALICE, BOB)) as made:
        made.places(ALICE)
        made.clock.advance(OFF_FOR)
        assert [ON] == made.places(ALICE)
        assert 1 == made.pages.asked
        assert [ON] == made.places(BOB)
        assert 2 == made.pages.asked


def test_whoever_was_taken_off_the_list_may_not_ask() -> None:
    """Once the reading that names them is old."""
    with door(page(ALICE), page()) as made:
        made.places(ALICE)
        made.clock.advance(ON_FOR)
        assert [OFF] == made.places(ALICE)


def test_a_stale_list_still_names_those_who_were_on_it() -> None:
    """It says nothing of the others, and for a day at most."""
    with door(page(ALICE), DOWN) as made:
        made.places(ALICE)
        made.clock.advance(ON_FOR)
        assert [ON, UNSURE] == made.places(ALICE, BOB)
        made.clock.advance(STALE_FOR)
        assert [UNSURE, UNSURE] == made.places(ALICE, BOB)


def test_a_list_that_fails_is_asked_for_once_a_minute() -> None:
    """However many ask."""
    with door(DOWN, page(ALICE)) as made:
        assert [[UNSURE], [UNSURE]] == [made.places(ALICE), made.places(BOB)]
        assert 1 == made.pages.asked
        made.clock.advance(timedelta(minutes=1))
        assert [ON, OFF] == made.places(ALICE, BOB)


def test_a_part_of_a_list_names_those_who_were_found() -> None:
    """Nobody is said not to be on it."""
    with door(page(ALICE, cursor="1"), DOWN) as made:
        assert [ON, UNSURE] == made.places(ALICE, BOB)


def test_another_list_is_another_list() -> None:
    """What the one said counts for nothing once the rules name another."""
    with door(page(ALICE), page(BOB)) as made:
        made.places(ALICE)
        assert [OFF, ON] == made.places(ALICE, BOB, uri=f"{URI}b")
