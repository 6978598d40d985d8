"""What the bot says fits into a post, whatever the app is called."""

import pytest

from bot.texts import MAX_BYTES, MAX_GRAPHEMES, Speech, built_reply
from guardrails.documents import Built
from guardrails.text import graphemes, utf8_len

ADDRESS = "https://apps.example/pomodoro-timer-abcdefghjkmn"


def reply(title: str, address: str = ADDRESS) -> Speech:
    return built_reply(Built(title=title, description="A timer.", address=address, sha256="0" * 64))


def linked(speech: Speech) -> str:
    index = speech.facets[0]["index"]
    return speech.text.encode()[index["byteStart"] : index["byteEnd"]].decode()


@pytest.mark.parametrize(
    "title",
    [
        "Pomodoro timer",
        "✅ Fertig, ålice! →",
        "👩🏽‍🚀" * 120,
        "e\u0301\u0302\u0303" * 290,
        "👨‍👩‍👧‍👦" * 300,
        "x" * 5000,
        "",
        "\u202e\x00\n",
    ],
)
def test_any_title_fits_and_the_link_stays_whole(title: str) -> None:
    """Within 300 graphemes and 3000 bytes; the facet's bytes are the address."""
    speech = reply(title)

    assert graphemes(speech.text) <= MAX_GRAPHEMES
    assert utf8_len(speech.text) <= MAX_BYTES
    assert ADDRESS == linked(speech)


def test_a_short_title_is_said_whole() -> None:
    """Title, words, link."""
    assert f"Pomodoro ✅ is ready: {ADDRESS}" == reply("Pomodoro ✅").text


def test_a_cut_ends_between_clusters() -> None:
    """No family loses a member."""
    text = reply("👨‍👩‍👧‍👦" * 300).text

    assert text.removesuffix(f"… is ready: {ADDRESS}").replace("👨‍👩‍👧‍👦", "") == ""


def test_a_link_that_fits_into_no_post_is_refused() -> None:
    """It is never cut to fit."""
    with pytest.raises(ValueError, match="link alone"):
        reply("Timer", "https://apps.example/" + "x" * 300)
