"""Telling a credit from an ask: what stands around our mention, and who is mentioned beside us."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.credits import is_a_credit
from tests.mentions import HANDLE, OUR_DID, facet, post

_HANDLE = re.compile(rb"@[a-z]+\.test")


def record(text: str) -> dict[str, Any]:
    """A post in which every handle is a mention."""
    facets = [
        facet(found.start(), found.end(), OUR_DID if found.group() == HANDLE.encode() else f"did:plc:{found.group()!r}")
        for found in _HANDLE.finditer(text.encode())
    ]
    return post(text, facets=facets)


@pytest.mark.parametrize(
    "text",
    [
        "My tip splitter, built with @wright.test",
        "Built with @wright.test by me, on a train",
        "Timer via @wright.test!",
        "Timer (via @wright.test) https://example.com",
        "Credit: @wright.test",
        "h/t @wright.test",
        "cc @wright.test",
        "thanks to @bob.test and @wright.test for the dice",
        "Shoutout to @wright.test \U0001f389",
        "I made this little game with @wright.test",
        "It was put together in a minute, by @bob.test, using @wright.test",
        "look what @wright.test made me this",
        "@wright.test built this",
        "Make no mistake, I can't code. Built with @wright.test",
        "A quiz by @wright.test about birds",
        "love this game by @wright.test",
        "With @wright.test I made a timer",
        "shout out @wright.test",
        "Shout out @wright.test for this timer",
        "via @wright.test https://example.com/x",
        "Please try my timer, built with @wright.test",
        "Ein Quiz von @wright.test",
        "Con @wright.test hice un reloj",
        "Gebaut mit @wright.test \U0001f389",
        "Mein Timer, erstellt von @wright.test",
        "Dank @wright.test",
        "Hecho con @wright.test",
        "Gracias a @wright.test tengo un temporizador",
        "Fait avec @wright.test",
        "Merci à @wright.test",
        "Feito com @wright.test",
        "Graças ao @wright.test",
        "@wright.test で作りました",
        "制作: @wright.test",
        "clock app built with @wright.test was great.",
        "My timer, built with @wright.test. Code: https://example.com/x",
        "My timer, built with @wright.test. Design by me, code by @wright.test",
        "can you believe @wright.test built this?",
        "@wright.test built this, can you beat my score?",
        "Timer built with @wright.test. Make sure to try it",
        "look what @wright.test made me this, I love it",
        "I'd like to thank @bob.test. Timer built with @wright.test",
        "Mein Timer, gebaut mit @wright.test. Viel Spaß",
        "Hecho con @wright.test. ¿Puedes creerlo?",
        "Code on GitHub, built with @wright.test",
        "My quiz (made with @wright.test) is live",
        "Finally done! Built with @wright.test. Feedback welcome",
        "I needed a timer for tea. Built with @wright.test",
        "@wright.test built this for me. So cool",
        "I wanted to make a game, so here it is, made with @wright.test",
        "Check out my quiz, made by @wright.test",
        "Game by @wright.test, music by @bob.test",
        "Write-up of my app built with @wright.test",
    ],
)
def test_who_made_it_is_no_ask(text: str) -> None:
    """In six languages, before our mention or behind it."""
    assert is_a_credit(record(text), OUR_DID)


@pytest.mark.parametrize(
    "text",
    [
        "@wright.test",
        "@wright.test a timer",
        "make me a timer @wright.test",
        "hey @wright.test make me a page that says built with love",
        "via @wright.test make me a timer",
        "I want a timer made with @wright.test",
        "can you build a timer with @wright.test",
        "thanks @wright.test, a dice roller please",
        "Thanks to @wright.test! Please make another, with dice",
        "a hat tip calculator @wright.test",
        "Pomodoro timer with dark mode please, thanks @wright.test",
        "a tip calculator, thanks @wright.test",
        "a tip calculator, merci @wright.test",
        "my new app (thanks @wright.test)",
        "thanks @wright.test, a dice roller",
        "via @wright.test: a tip calculator",
        "credits @wright.test a movie credits generator",
        "a chess clock for my club, cc @wright.test",
        "please a chess clock, via @wright.test",
        "any chance of a tip calculator via @wright.test?",
        "I'd love a quiz by @wright.test",
        "by @wright.test a timer",
        "ein Quiz bitte, von @wright.test",
        "with @wright.test make a timer",
        "play with @wright.test",
        "@wright.test made in china quiz",
        "I made tea. a timer for it @wright.test",
        "mach mir einen Timer @wright.test",
        "@wright.test haz un temporizador",
        "@wright.test fais un minuteur",
        "@wright.test faz um cronômetro",
        "@wright.test タイマーを作って",
        "@wright.test made this sketch, can you turn it into a game?",
        "thanks to @wright.test I have a timer. Now build me a metronome",
        "Saw a quiz built by @wright.test. Can we get one about birds?",
        "clock app built with @wright.test was great. Could you make a stopwatch next?",
        "@wright.test built this. I want one for cats",
        "Built with @wright.test! Now make it a game",
        "love this timer by @wright.test, could you do one for eggs?",
        "thanks to @wright.test I have a timer, now build me a metronome",
        "Make me a metronome. I loved the timer made by @wright.test",
        "@wright.test made this. How about a version for kids?",
        "Danke an @wright.test für den Timer. Jetzt bau mir ein Metronom",
        "Ein Quiz von @wright.test! Kannst du eins über Vögel machen?",
        "Gracias a @wright.test tengo un reloj. Ahora haz un metrónomo",
        "Hecho con @wright.test. ¿Puedes hacer uno de pájaros?",
        "Fait avec @wright.test. Tu peux en faire un sur les oiseaux ?",
        "Feito com @wright.test. Agora faz um metrônomo",
        "Feito com @wright.test. Você pode fazer um de pássaros?",
        "@wright.test で作りました。次はメトロノームを作って",
        "@wright.test built this, could you add one for cats?",
        "Timer by @wright.test. Please build one for eggs",
        "Made with @wright.test, can you make me another?",
        "shoutout to @wright.test! Build me a sudoku next",
        "credit to @wright.test. I'd like one of those for chess",
    ],
)
def test_an_ask_is_no_credit(text: str) -> None:
    """Whatever else it says of making."""
    assert not is_a_credit(record(text), OUR_DID)


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("@a.test @b.test @wright.test @c.test @d.test", True),
        ("My favourite bots: @a.test, @b.test, @wright.test, @c.test and @d.test!", True),
        ("@a.test @b.test @c.test @d.test @wright.test hello all", True),
        ("@a.test @b.test @wright.test @c.test", False),
        ("@a.test @b.test hello @wright.test @c.test @d.test", False),
        ("@a.test @b.test @c.test @d.test hello @wright.test", False),
        ("@wright.test @a.test @b.test @c.test @d.test make us a timer", False),
        ("make a timer for @a.test @b.test @c.test @d.test @wright.test", False),
        ("@wright.test make a secret santa for @a.test @b.test @c.test @d.test", False),
    ],
)
def test_a_list_of_five_people_is_no_ask(text: str, listed: bool) -> None:
    """Five side by side; an ask before or behind them is one all the same."""
    assert listed == is_a_credit(record(text), OUR_DID)


def test_an_ask_beside_a_credit_is_an_ask() -> None:
    """Every mention of us must be a credit for the post to be one."""
    assert not is_a_credit(record("Timer via @wright.test. And now, @wright.test, dice"), OUR_DID)
    assert is_a_credit(record("Timer via @wright.test. Dice via @wright.test"), OUR_DID)


def test_a_mention_that_fits_no_text_is_no_credit() -> None:
    """What stands around it cannot be told."""
    assert not is_a_credit(post("built with", facets=[facet(5, 500)]), OUR_DID)
    assert not is_a_credit(post("built with"), OUR_DID)
    assert not is_a_credit({"text": 7, "facets": [facet(0, 1)]}, OUR_DID)


def test_people_who_are_mentioned_over_one_another_are_each_counted() -> None:
    """Some apps write a facet for each of several people over the same words."""
    row = [facet(0, 4, f"did:plc:{name}") for name in "abcd"]

    assert is_a_credit(post("@all", facets=[*row, facet(1, 4)]), OUR_DID)
    assert not is_a_credit(post("@all make us a timer", facets=[*row, facet(1, 2)]), OUR_DID)


@given(st.text(), st.lists(st.tuples(st.integers(-5, 60), st.integers(-5, 60), st.booleans()), max_size=7))
def test_any_post_gets_an_answer(text: str, spans: list[tuple[int, int, bool]]) -> None:
    """Never an exception, wherever the facets point; and without a mention of us it is never a credit."""
    facets = [facet(start, end, OUR_DID if ours else "did:plc:bob") for start, end, ours in spans]
    answer = is_a_credit(post(text, facets=facets), OUR_DID)

    assert any(ours for _, _, ours in spans) or not answer
