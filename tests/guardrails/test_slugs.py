"""Slugs: a part to read, a part that nobody can guess, and a valid label of a host name."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.slugs import RANDOM_CHARACTERS, burnt, mint_slug

LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def pick(alphabet: str) -> str:
    return random.choice(alphabet)


@pytest.mark.parametrize(
    ("ask", "readable"),
    [
        ("Make me a pomodoro timer", "make-me-a-pomodoro-timer"),
        ("Make me a pomodoro timer, 25/5", "make-me-a-pomodoro-timer"),
        ("Déjà vu!", "deja-vu"),
        ("deja-vu", "deja-vu"),
        ("Trinkgeld für 4 Personen", "trinkgeld-fur-4-personen"),
        ("a" * 25, "app"),
        ("a" * 24, "a" * 24),
        ("タイマー", "app"),
        ("", "app"),
        ("../../etc/passwd", "etc-passwd"),
        ("xn--bad", "xn-bad"),
    ],
)
def test_the_readable_part_is_the_asks_first_words(ask: str, readable: str) -> None:
    """Whole words, ASCII, never two dashes in a row."""
    assert readable == mint_slug(ask, lambda _: "7").removesuffix("-" + "7" * RANDOM_CHARACTERS)


@given(st.text())
def test_every_slug_is_a_label_of_a_host_name(ask: str) -> None:
    """Whatever was asked."""
    slug = mint_slug(ask, pick)

    assert LABEL.fullmatch(slug)
    assert "--" not in slug


def test_the_random_part_is_drawn_from_32_signs() -> None:
    """Twelve of them are 60 bits."""
    seen: list[str] = []

    def first(alphabet: str) -> str:
        seen.append(alphabet)
        return alphabet[0]

    mint_slug("a", first)

    assert RANDOM_CHARACTERS == len(seen)
    assert {32} == {len(set(alphabet)) for alphabet in seen}


def test_what_stands_for_a_forgotten_slug_has_none_of_its_words() -> None:
    """It is a label too, the same for the same slug, and burns no further."""
    slug = mint_slug("a divorce countdown", pick)
    marker = burnt(slug)

    assert LABEL.fullmatch(marker)
    assert ("gone-", 45, marker, marker) == (marker[:5], len(marker), burnt(slug), burnt(marker))
    assert burnt("gone-app") != burnt(f"{slug}x") != marker
