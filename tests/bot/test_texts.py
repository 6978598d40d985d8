"""What the bot says fits into a post, whatever the app is called and whichever language is spoken."""

from datetime import datetime, timedelta, timezone

import pytest

from bot.speech import MAX_BYTES, MAX_GRAPHEMES, Speech, as_reason, built_reply, capped, note, shown_link
from bot.texts import LANGUAGES, Note, language_of, words
from builder.generators.command.generator import REFUSAL as BY_THE_PROGRAM
from builder.generators.llm.drafting import DECLINED as BY_THE_MODEL
from builder.generators.template import REFUSAL as BY_THE_TEMPLATES
from guardrails.caps import Cap
from guardrails.documents import Built
from guardrails.text import graphemes, utf8_len

ADDRESS = "https://apps.example/pomodoro-timer-abcdefghjkmn"
SHOWN = "apps.example/pomodoro-timer-ab…"


def reply(title: str, address: str = ADDRESS, lang: str = "en") -> Speech:
    return built_reply(Built(title=title, description="A timer.", address=address, sha256="0" * 64), lang)


def linked(speech: Speech) -> str:
    index = speech.facets[0]["index"]
    return speech.text.encode()[index["byteStart"] : index["byteEnd"]].decode()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "title",
    [
        "Pomodoro timer",
        "✅ Fertig, ålice! →",
        "👩🏽‍🚀" * 120,
        "e\u0301\u0302\u0303" * 290,
        "👨‍👩‍👧‍👦" * 300,
        "x" * 5000,
        "{title} {reason} {}",
        "",
        "\u202e\x00\n",
    ],
)
def test_any_title_fits_and_the_link_stays_whole(title: str, lang: str) -> None:
    """Within 300 graphemes and 3000 bytes; the facet's bytes are the shown link and its target the address."""
    speech = reply(title, lang=lang)

    assert graphemes(speech.text) <= MAX_GRAPHEMES
    assert utf8_len(speech.text) <= MAX_BYTES
    assert SHOWN == linked(speech)
    assert ADDRESS == speech.facets[0]["features"][0]["uri"]
    assert (lang,) == speech.langs


def test_a_short_title_is_said_whole() -> None:
    """Title, words, link; the link stands in the text once."""
    assert f"Pomodoro ✅ is ready: {SHOWN}" == reply("Pomodoro ✅").text


def test_a_cut_ends_between_clusters() -> None:
    """No family loses a member."""
    text = reply("👨‍👩‍👧‍👦" * 300).text

    assert text.removesuffix(f"… is ready: {SHOWN}").replace("👨‍👩‍👧‍👦", "") == ""


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://apps.example/short-abc", "apps.example/short-abc"),
        ("https://apps.example/", "apps.example"),
        ("http://localhost:8100/pomodoro-timer-abcdefghjkmn", "localhost:8100/pomodoro-timer-ab…"),
    ],
)
def test_the_shown_link_has_the_host_that_it_leads_to(address: str, shown: str) -> None:
    """Nothing is shown that the target is not."""
    assert shown == shown_link(address)


def test_a_link_that_fits_into_no_post_is_refused() -> None:
    """It is never cut to fit."""
    with pytest.raises(ValueError, match="link alone"):
        reply("Timer", f"https://{'x' * 300}.example/")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", [kind for kind in Note if kind not in (Note.GOES_ON_AT, Note.ASK_AFTER)])
def test_every_note_fits_in_every_language(kind: Note, lang: str) -> None:
    """However long the reason is; nothing is left of its place-holders but what the reason itself holds."""
    speech = note(kind, lang, reason="because {reason} " * 200, address=ADDRESS)

    assert 0 < graphemes(speech.text) <= MAX_GRAPHEMES
    assert utf8_len(speech.text) <= MAX_BYTES
    assert ("{" not in speech.text) or kind in (Note.NOT_BUILT, Note.SAY_ONLY)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "reason",
    [
        BY_THE_TEMPLATES,
        BY_THE_PROGRAM,
        BY_THE_MODEL,
        as_reason("x" * 300),
        as_reason("👩🏽‍🚀" * 300),
    ],
    ids=["templates", "program", "model", "longest", "most bytes"],
)
def test_a_reason_that_a_lane_may_give_is_said_whole(reason: str, lang: str) -> None:
    """Those of our own generators are, and whatever else the listener lets through."""
    assert words(lang).notes[Note.NOT_BUILT].format(reason=reason) == note(Note.NOT_BUILT, lang, reason=reason).text


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", [Note.SAME_ASK, Note.IS_READY])
def test_a_note_links_to_what_it_shows(kind: Note, lang: str) -> None:
    """The facet's bytes are the shown link and its target the address."""
    speech = note(kind, lang, address=ADDRESS)

    assert SHOWN == linked(speech)
    assert ADDRESS == speech.facets[0]["features"][0]["uri"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("cap", Cap)
@pytest.mark.parametrize("goes_on", [True, False])
def test_a_full_cap_is_named_with_its_hour(cap: Cap, lang: str, goes_on: bool) -> None:
    """In UTC, whatever zone the moment came in."""
    speech = capped(cap, datetime(2026, 3, 2, 1, 0, tzinfo=timezone(timedelta(hours=9))), lang, goes_on=goes_on)

    assert "16:00 UTC" in speech.text
    assert words(lang).caps[cap] in speech.text
    assert graphemes(speech.text) <= MAX_GRAPHEMES


@pytest.mark.parametrize(
    ("langs", "spoken"),
    [((), "en"), (("ja",), "ja"), (("pt-BR", "en"), "pt"), (("tlh", "de-AT"), "de"), (("tlh",), "en"), (("",), "en")],
)
def test_the_answer_follows_the_posts_language(langs: tuple[str, ...], spoken: str) -> None:
    """The first one that the bot speaks, by its primary tag; else English."""
    assert spoken == language_of(langs)
