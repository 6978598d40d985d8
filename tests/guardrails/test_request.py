"""Reading a post: whose it is, what is asked, and an answer for anything that JSON can say."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails.request import Brief, Command, CommandWord, NoRequest, NotARequest, Request, brief, read_post
from guardrails.text import clean, graphemes
from tests.mentions import BOB, HANDLE, OUR_DID, facet, mention, post

TEXT = f"{HANDLE} make me a timer"
LINK = {"$type": "app.bsky.richtext.facet#link", "uri": "https://example.com"}


def weighty(text: str) -> str:
    """Its letters, marks, digits and symbols, which no reading may lose."""
    return "".join(sign for sign in text if unicodedata.category(sign)[0] in "LMNS")


def record(text: object, *facets: object, **more: Any) -> dict[str, Any]:
    return {"$type": "app.bsky.feed.post", "text": text, "facets": list(facets)} | more


@pytest.mark.parametrize(
    ("text", "ask"),
    [
        (TEXT, "make me a timer"),
        (f"Hey {HANDLE}, make me a timer!", "Hey , make me a timer!"),
        (f"make me a timer, {HANDLE}", "make me a timer"),
        (f"{HANDLE}: make me a timer (25/5)", "make me a timer (25/5)"),
        (f'{HANDLE} — build "Snake"', 'build "Snake"'),
        (f"{HANDLE} what is 2+2?", "what is 2+2?"),
        (f"{HANDLE} -5 to 5 slider", "-5 to 5 slider"),
        (f"{HANDLE} .5 hour timer", ".5 hour timer"),
        (f"{HANDLE},make me a timer", "make me a timer"),
        (f"🎉👩‍🚀 {HANDLE} make a\n\n  timer", "🎉👩‍🚀 make a timer"),
        (f"é{HANDLE}é timer", "é é timer"),
        (HANDLE, ""),
        (f"  {HANDLE} ... ", ""),
    ],
)
def test_what_is_left_of_the_text_is_the_ask(text: str, ask: str) -> None:
    """Without our mention and the punctuation around it; brackets, quotes and question marks belong to the ask."""
    assert Request(ask) == read_post(post(text), OUR_DID)


@pytest.mark.parametrize(
    ("facets", "ask"),
    [
        ([facet(100, 112)], "make me a timer"),
        ([facet(0, 1000)], "make me a timer"),
        ([facet(12, 0)], "make me a timer"),
        ([facet(5, 5)], "make me a timer"),
        ([facet(-3, 4)], "make me a timer"),
        ([{"features": facet(0, 1)["features"]}], "make me a timer"),
        ([{"index": "0-11", "features": facet(0, 1)["features"]}], "make me a timer"),
        ([facet(0, 12), facet(100, 112)], "make me a timer"),
        ([facet(0, 12), facet(0, 12)], "make me a timer"),
        ([facet(0, 8), facet(4, 12)], "make me a timer"),
        ([facet(0, 12), facet(2, 5)], "make me a timer"),
        ([facet(0, 12), facet(13, 17)], "me a timer"),
        ([facet(0, 12, OUR_DID, LINK)], "make me a timer"),
        ([facet(0, 12), facet(13, 17, BOB)], "make me a timer"),
        ([facet(0, len(TEXT))], ""),
        ([facet(13, 17)], f"{HANDLE} me a timer"),
    ],
)
def test_facets_may_point_anywhere(facets: list[object], ask: str) -> None:
    """Outside, backwards, overlapping, twice, over another's words: it is ours, and the ask is what is left."""
    assert Request(ask) == read_post(record(TEXT, *facets), OUR_DID)


@pytest.mark.parametrize("span", [(1, 12), (0, 1), (0, 3)])
def test_a_facet_that_cuts_a_character_takes_nothing_away(span: tuple[int, int]) -> None:
    """Its range would leave half a letter behind."""
    assert Request("éü timer") == read_post(record("éü timer", facet(*span)), OUR_DID)


@pytest.mark.parametrize(
    "facets",
    [
        [],
        [facet(0, 11, BOB)],
        [facet(0, 11, "did:plc:wright2")],
        [facet(0, 11, ["did:plc:wright"])],
        [{"index": {"byteStart": 0, "byteEnd": 11}, "features": [LINK]}],
        [{"index": {}, "features": [{"$type": "app.bsky.richtext.facet#tag", "did": OUR_DID}]}],
        [{"index": {}, "features": {"did": OUR_DID}}],
        [OUR_DID, None, 7],
    ],
)
def test_a_handle_in_the_text_counts_for_nothing(facets: list[object]) -> None:
    """Only a mention facet with our DID does."""
    assert NotARequest(NoRequest.NOT_MENTIONED) == read_post(record(TEXT, *facets), OUR_DID)


def test_a_text_without_our_handle_is_ours_by_its_facet() -> None:
    """We may have had another handle when it was written."""
    assert Request("@old.name make me a timer"[10:]) == read_post(
        record("@old.name make me a timer", facet(0, 9)), OUR_DID
    )


@pytest.mark.parametrize(
    "broken", [{}, {"text": None}, {"text": ["a"]}, record("a", **{"$type": "app.bsky.feed.like"})]
)
def test_what_is_no_post_is_said_to_be_none(broken: dict[str, Any]) -> None:
    """No text, or another type of record."""
    assert NotARequest(NoRequest.NOT_A_POST) == read_post(broken, OUR_DID)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("help", CommandWord.HELP),
        ("Help!", CommandWord.HELP),
        ("«stop»"[1:-1], CommandWord.CANCEL),
        ("STOP.", CommandWord.CANCEL),
        ('"cancel"', CommandWord.CANCEL),
        ("(status?)", CommandWord.STATUS),
        ("forget   me", CommandWord.FORGET_ME),
        ("Remember me, please"[:11], CommandWord.REMEMBER_ME),
        ("delete", CommandWord.DELETE),
        ("re\u200btry", CommandWord.RETRY),
        ("please stop", CommandWord.CANCEL),
        ("Stop, please!", CommandWord.CANCEL),
        ("bitte stop", CommandWord.CANCEL),
        ("help 🙏", CommandWord.HELP),
        ("🙏🏽 help 🏳️‍🌈!!", CommandWord.HELP),
        ("\uff48\uff45\uff4c\uff50", CommandWord.HELP),
        ("forget-me", CommandWord.FORGET_ME),
        ("#forget_me", CommandWord.FORGET_ME),
        ("remember… me?", CommandWord.REMEMBER_ME),
    ],
)
def test_a_command_is_the_whole_post(said: str, word: CommandWord) -> None:
    """Whatever its case, its looks and the signs around it; a please is no more than that."""
    assert Command(word) == read_post(post(f"{HANDLE} {said}"), OUR_DID)
    assert Command(word) == read_post(post(f"{said} {HANDLE}"), OUR_DID)


@pytest.mark.parametrize(
    "said",
    [
        *("stop watch", "help me plan meals", "retry game", "delete my photos app", "a status page", "delete button"),
        *("remember me later", "no help", "stop it", "forget me not quiz", "cancel culture quiz", "help!! a timer"),
        *("status?!a", "stop and go traffic light", "please don't stop", "helpdesk", "un-cancel", "help status"),
        *("hey help", "please", "please stop it", "forget me please not", "🙏", "help me"),
    ],
)
def test_an_ask_that_begins_like_a_command_is_an_ask(said: str) -> None:
    """A word within a sentence commands nothing."""
    assert Request(said) == read_post(post(f"{HANDLE} {said}"), OUR_DID)


def test_every_command_can_be_said() -> None:
    """Each by its own name, and one by another."""
    said = {word.value: word for word in CommandWord} | {"stop": CommandWord.CANCEL}

    assert said == {text: getattr(read_post(post(f"{HANDLE} {text}"), OUR_DID), "word", None) for text in said}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("delete", Command(CommandWord.DELETE)),
        ("Stop!", Command(CommandWord.CANCEL)),
        ("make it blue", Request("make it blue")),
        ("@wright.test stop", Request("@wright.test stop")),
        ("@bob.test stop", Request("@bob.test stop")),
    ],
)
def test_a_post_that_need_not_mention_us_is_read_without_a_facet(text: str, read: Request | Command) -> None:
    """A handle in it counts for nothing then, either: it may be anybody's."""
    assert read == read_post(record(text), OUR_DID, mentioned=False)
    assert NotARequest(NoRequest.NOT_MENTIONED) == read_post(record(text), OUR_DID)


def test_a_mention_is_taken_out_also_where_none_is_needed() -> None:
    """An asker may mention us all the same."""
    assert Command(CommandWord.DELETE) == read_post(post(f"{HANDLE} delete"), OUR_DID, mentioned=False)
    assert NotARequest(NoRequest.NOT_A_POST) == read_post({}, OUR_DID, mentioned=False)


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


@pytest.mark.parametrize(
    ("ask", "given"),
    [
        ("a timer", Brief("a timer", was_cut=False)),
        ("twenty characters ok", Brief("twenty characters ok", was_cut=False)),
        ("twenty-one characters", Brief("twenty-one characte\u2026", was_cut=True)),
        (FAMILY * 20, Brief(FAMILY * 20, was_cut=False)),
        (FAMILY * 21, Brief(FAMILY * 19 + "\u2026", was_cut=True)),
        ("", Brief("", was_cut=False)),
    ],
)
def test_a_lane_is_given_what_fits(ask: str, given: Brief) -> None:
    """No cluster is cut in two."""
    assert given == brief(mention(ask=ask), 20)


def test_a_cluster_of_any_size_is_no_way_around_the_limit() -> None:
    """One letter may carry a thousand marks."""
    tall = "z" + "\u0335" * 1000

    assert 1 == graphemes(tall)
    assert len(brief(mention(ask=tall * 5), 20).ask.encode()) <= 640


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=5,
)
FACETS = st.lists(
    JSON
    | st.fixed_dictionaries(
        {
            "index": JSON | st.fixed_dictionaries({"byteStart": st.integers() | JSON, "byteEnd": st.integers() | JSON}),
            "features": JSON | st.just(facet(0, 1)["features"]),
        }
    ),
    max_size=4,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_any_record_gets_an_answer(anything: dict[str, Any]) -> None:
    """Never an exception."""
    assert isinstance(read_post(anything, OUR_DID), NotARequest)


@given(st.text(st.characters()), FACETS | JSON)
def test_any_text_and_any_facets_get_an_answer(text: str, facets: object) -> None:
    """Never an exception, lone surrogates included."""
    read = read_post({"text": text, "facets": facets}, OUR_DID)

    assert isinstance(read, Request | Command | NotARequest)


@given(st.text(), st.text(min_size=1), st.text())
def test_a_range_that_fits_is_what_is_taken_away(before: str, named: str, after: str) -> None:
    """No letter, digit or symbol outside it is lost, but for cleaning."""
    start = len(before.encode())
    read = read_post(record(before + named + after, facet(start, start + len(named.encode()))), OUR_DID)
    left = clean(f"{before} {after}")

    assert read == read_post(record(left), OUR_DID, mentioned=False)
    if isinstance(read, Request):
        assert read.ask in left
        assert weighty(left) == weighty(read.ask)


@given(st.text(), st.integers(0, 40), st.integers(0, 40))
def test_a_range_that_cuts_a_character_takes_nothing_away(text: str, start: int, length: int) -> None:
    """As one that lies outside of the text: nobody can say what was meant."""
    raw, whole = text.encode(), {len(text[:n].encode()) for n in range(len(text) + 1)}
    read = read_post(record(text, facet(start, start + length)), OUR_DID)

    if not {start, start + length} <= whole or length == 0:
        assert read == read_post(record(text, facet(len(raw) + 1, len(raw) + 2)), OUR_DID)


@given(st.text(), FACETS | JSON, st.booleans())
def test_a_post_is_read_the_same_with_and_without_the_need_of_a_mention(text: str, facets: object, named: bool) -> None:
    """Only what does not mention us is read differently."""
    post = {"text": text, "facets": [facet(0, 1), facets] if named else facets}
    strict, lax = read_post(post, OUR_DID), read_post(post, OUR_DID, mentioned=False)

    assert not isinstance(lax, NotARequest)
    assert strict in (lax, NotARequest(NoRequest.NOT_MENTIONED))
