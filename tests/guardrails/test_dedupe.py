"""The same ask again: how alike two asks are, and which earlier ones still count."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.dedupe import is_it_the_same_ask, joined_id, same_ask, similarity
from guardrails.documents import DocId
from guardrails.facts import Earlier
from guardrails.said import PASS, Outcome, Said
from guardrails.transitions import Reason, Status
from tests.guardrails.known import RULES, known, ruled
from tests.mentions import NOON, mention, post

BOBS = "at://did:plc:bob/app.bsky.feed.post/3kbob"
CAROLS = "at://did:plc:carol/app.bsky.feed.post/3kcarol"
ASK = "make me a pomodoro timer with a 25/5 rhythm"
STANDING = (
    Status.RECEIVED,
    Status.AWAITING_APPROVAL,
    Status.PENDING_BUILD,
    Status.BUILDING,
    Status.BUILT,
    Status.REPLIED,
)


def earlier(name: str = "3kfirst", ask: str = ASK, **more: Any) -> Earlier:
    fields: dict[str, Any] = {"id": DocId(name), "ask": ask, "status": Status.BUILDING, "reason": Reason.CLAIMED}
    return Earlier(**(fields | {"at": NOON - timedelta(minutes=1)} | more))


def said_of(*earlier_asks: Earlier, ask: str = ASK, hours: float = 168) -> Said:
    facts = known(mention("3ksecond", ask=ask), earlier=earlier_asks)
    return is_it_the_same_ask(facts, ruled(ask={"same_hours": hours}), NOON)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (ASK, True),
        ("Make me a Pomodoro timer, with a 25/5 rhythm!", True),
        ("make me a pomodoro  timer with a 25/5 rhytm", True),
        ("make me a pom\u043edoro timer with a 25/5 rh\u00fdthm", True),
        ("make me a pomodoro timer with a 50/10 rhythm", False),
        ("make me a pomodoro timer with a 25/5/15 rhythm", False),
        ("make me a pomodoro timer with a 2.5/5 rhythm", False),
        ("make me a chess clock", False),
        ("make me a pomodoro timer", False),
        ("timer", False),
        ("", False),
    ],
)
def test_small_edits_make_no_other_ask(other: str, same: bool) -> None:
    """Case, signs, a letter more or less; other figures are another ask."""
    assert same == (similarity(ASK, other) >= RULES.ask.same_similarity)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("make me a timer", "make me a timer please", True),
        ("make me a timer", "please make me a timer!", True),
        ("make me a timer", "can you make a timer?", True),
        ("タイマーを作って", "タイマーを作ってください", True),
        ("タイマーを作って", "タイマー作って", True),
        ("convert miles to kilometers in a neat page", "convert kilometers to miles in a neat page", False),
        ("a converter from celsius to fahrenheit", "a converter from fahrenheit to celsius", False),
        ("two player tic tac toe with a big board", "three player tic tac toe with a big board", False),
        ("two player tic tac toe", "2 player tic tac toe", True),
        ("zwei Würfel", "2 Würfel bitte", True),
        ("a quiz about cats with ten questions", "a quiz about bats with ten questions", False),
        ("a to do list", "a todo list", True),
        ("a pomodoro timer", "a pomodorro timer", True),
        ("a calender app", "a calendar app", True),
        ("犬のクイズを作って", "猫のクイズを作って", False),
        ("東京から大阪", "大阪から東京", False),
        ("ポモドーロタイマー", "ポモドロータイマー", True),
        ("c++ quiz", "c# quiz", False),
        ("a 🐱 quiz", "a 🐶 quiz", False),
        ("mach mir einen Timer", "mach mir bitte einen Timer", True),
        ("mach mir einen Timer", "kannst du mir einen Timer machen", False),
        ("hazme un temporizador", "hazme un temporizador por favor", True),
        ("fais-moi un minuteur", "fais moi un minuteur s'il te plaît", True),
        ("faz um cronômetro", "faz um cronometro, por favor", True),
        ("a red ball game", "a blue ball game", False),
        ("a timer with sound", "a timer without sound", False),
        ("make me a tip splitter", "make me a tip-splitter", True),
        ("a stopwatch", "stop watch", True),
        ("please", "please", True),
        ("please", "pls", False),
        ("a planet quiz", "a planets quiz", True),
        ("a planet quiz", "a plaent quiz", True),
        ("a planet quiz", "a planer quiz with rings", False),
        ("a desert island map", "a desret island map", True),
        ("lift timer", "left timer", False),
        ("plan maker", "plane maker", False),
    ],
)
def test_another_word_makes_another_ask(one: str, other: str, same: bool) -> None:
    """Or another order of words; politeness, a misspelling and a number in letters do not."""
    assert same == (similarity(one, other) >= RULES.ask.same_similarity)
    assert similarity(one, other) == similarity(other, one)


def test_the_share_is_of_letters() -> None:
    """Each misspelling takes one off."""
    assert 1 - 1 / 13 == similarity("planet finder", "planett finder")
    assert 0 == similarity("planet finder", "finder planet")


@pytest.mark.parametrize(
    ("one", "other", "share"), [("", "", 1), ("\U0001f389", "", 0), ("\U0001f389", "\U0001f389", 1), ("a", "b", 0)]
)
def test_texts_without_pieces_are_alike_only_when_they_are_equal(one: str, other: str, share: float) -> None:
    """Two empty asks are one."""
    assert share == similarity(one, other)


@given(st.text(), st.text())
def test_likeness_is_a_share_and_the_same_from_either_side(one: str, other: str) -> None:
    """An ask is always like itself."""
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, other) == similarity(other, one)
    assert 1 == similarity(one, one)


@pytest.mark.parametrize("status", Status)
def test_an_ask_that_stands_or_was_answered_is_joined(status: Status) -> None:
    """Any other end leaves its author free to ask anew."""
    joins = Said(Outcome.SKIP, Reason.SAME_ASK, "3kfirst")

    assert (joins if status in STANDING else PASS) == said_of(earlier(status=status))


def test_the_oldest_is_the_one_that_is_joined() -> None:
    """So that all of a row join the same."""
    older = earlier("3kolder", at=NOON - timedelta(hours=2))

    assert "3kolder" == said_of(earlier(), older).detail
    assert "3kfirst" == said_of(earlier(), older.model_copy(update={"status": Status.SKIPPED})).detail
    assert DocId("3kolder") == joined_id(said_of(older).detail)


@pytest.mark.parametrize(("minutes", "same"), [(59, True), (60, True), (61, False)])
def test_after_a_while_the_same_ask_is_a_new_one(minutes: int, same: bool) -> None:
    """By the time set in the rules."""
    said = said_of(earlier(at=NOON - timedelta(minutes=minutes)), hours=1)

    assert same == (said.outcome is Outcome.SKIP)


@pytest.mark.parametrize(("about", "same"), [(BOBS, True), (CAROLS, False), (None, False)])
def test_the_same_words_about_another_post_are_another_ask(about: str | None, same: bool) -> None:
    """ "build this" says what it wants by what it points at."""
    pointing = mention("3ksecond", ask="build this", record=post("build this", reply={"parent": {"uri": BOBS}}))
    before = earlier(ask="build this", about=(about,) if about else ())

    assert same == (is_it_the_same_ask(known(pointing, earlier=(before,)), RULES, NOON).outcome is Outcome.SKIP)


def test_how_alike_is_for_the_rules_to_say() -> None:
    """At 1 only what is equal but for its looks is the same."""
    facts = known(mention(ask="make me a pomodoro timer with a 25/5 rhytm"), earlier=(earlier(),))

    assert same_ask(facts, RULES, NOON) is not None
    assert same_ask(facts, ruled(ask={"same_similarity": 1}), NOON) is None
    assert PASS == said_of()
