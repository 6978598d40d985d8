"""Finding words: whole, in phrases, with a wildcard, in scripts without spaces, and in disguise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrails import unfit
from guardrails.words import Terms, Vocabulary, closed_up, has_word, listed, readings, spaced

BAD = Terms(["porn*", "*corn", "card number*", "bomb", "ポルノ", "*ass"])


def found(text: str) -> str | None:
    return next((hit for reading in readings(text) if (hit := BAD.find(reading)) is not None), None)


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("a bomb", "bomb"),
        ("BOMB!", "bomb"),
        ("a (bomb), please", "bomb"),
        ("bombs", None),
        ("a bombastic speech", None),
        ("pornography", "porn*"),
        ("a popcorn timer", "*corn"),
        ("corny jokes", None),
        ("your card-number", "card number*"),
        ("card    Numbers", "card number*"),
        ("card with a number", None),
        ("glassss", "*ass"),
        ("アダルトポルノサイト", "ポルノ"),
        ("", None),
    ],
)
def test_an_entry_is_found_whole(text: str, entry: str | None) -> None:
    """But where `*` says otherwise, and in scripts that put no spaces between words."""
    assert entry == found(text)


PLAIN = "porn"
DISGUISES = {
    "digits": "P0RN",
    "dots": "p.o.r.n",
    "blanks": "p o r n",
    "dashes": "p-o-r-n!",
    "emoji": "p\U0001f351o\U0001f351r\U0001f351n",
    "stretched": "pooooorn",
    "accents": "p\u00f6rn",
    "struck through": "\u0336".join((*PLAIN, "")),
    "hidden signs": "\u200b".join(PLAIN),
    "soft hyphens": "\u00ad".join(PLAIN),
    "turned round": f"\u202e{PLAIN}",
    "Cyrillic": "\u0440\u043e\u0433n",
    "Greek": "\u03c1\u03bfr\u03b7",
    "Greek sigma": "p\u03c3rn",
    "Coptic": "p\u2c9frn",
    "Armenian": "p\u0585\u0280\u057c",
    "Cherokee": "\u13e2\u13be\u13a1N",
    "Lisu": "\ua4d1\ua4f3\ua4e3\ua4e0",
    "syllabics": "\u146d\u15dd\u1587\u144e",
    "digits of another script": "p\u0966rn",
    "marks of another script": "\u0e31".join((*PLAIN, "")),
    "Greek capitals": "P\u039fR\u039d",
    "full width": "".join(chr(ord(letter) + 0xFEE0) for letter in PLAIN),
    "script": "".join(chr(ord(letter) - ord("a") + 0x1D4EA) for letter in PLAIN),
    "circles": "".join(chr(ord(letter) - ord("a") + 0x24D0) for letter in PLAIN),
    "boxes": "".join(chr(ord(letter) - ord("a") + 0x1F170) for letter in PLAIN),
    "flags": "".join(chr(ord(letter) - ord("a") + 0x1F1E6) for letter in PLAIN),
    "small capitals": "\u1d18\u1d0f\u0280\u0274",
}


@pytest.mark.parametrize("text", DISGUISES.values(), ids=DISGUISES)
def test_a_disguise_is_seen_through(text: str) -> None:
    """Whatever a person still reads as the word."""
    assert "porn*" == found(f"a {text} app")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("paypai paypa1 pay9al", "paypal paypal pay9al"),
        ("lnstagram 1nstagram !nstagram", "instagram instagram instagram"),
        ("paypa| paypa! paypal!", "paypal paypal paypal!"),
        ("arnazon vvells 5tripe @mazon $tripe", "amazon wells stripe amazon stripe"),
        ("l0g1n p4ypa1", "login paypal"),
        ("corn modern born", "corn modern born"),
        ("mail mall", "mail mall"),
        ("n26 m26 ln 1n", "n26 m26 ln 1n"),
        ("", ""),
    ],
)
def test_what_looks_like_a_listed_word_is_read_as_that(text: str, read: str) -> None:
    """But a listed one is itself, a short one nothing, and what is not listed stays as it is."""
    known = Vocabulary(
        ["paypal", "instagram*", "wells fargo"], ["amazon", "stripe", "login", "n26", "mail", "mall", "in"]
    )

    assert read == known.read(text)
    assert spaced(read) in readings(text, known)


@pytest.mark.parametrize("text", ["b0mb", "b00mb", "booooomb", "B.O.M.B", "a b o m b i want"])
def test_a_double_letter_may_stand_for_one_only_when_it_is_stretched(text: str) -> None:
    """A word with two of a letter is another word."""
    assert (None if text == "b00mb" else "bomb") == found(text)


@pytest.mark.parametrize("text", ["a 2d chess p. 10 rn", "4x4 board", "A/S/K me", "step 1 o 2", "25:00 timer"])
def test_figures_and_initials_are_no_disguise(text: str) -> None:
    """Only what comes to an entry is one."""
    assert found(text) is None


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("my pay pal page", "my paypal page"),
        ("link ed in", "linkedin"),
        ("pay a pal", "pay a pal"),
        ("pay", "pay"),
        ("pay pay pal", "pay paypal"),
        ("", ""),
    ],
)
def test_a_name_that_is_written_in_words_is_one(text: str, read: str) -> None:
    """Two or three of them, side by side."""
    assert spaced(read) == closed_up(spaced(text), {"paypal", "linkedin"})


def test_what_is_taken_out_joins_nothing() -> None:
    """The words to its left and right are no phrase."""
    assert Terms(["card number"]).find(Terms(["bomb"]).without(spaced("a card bomb number"))) is None
    assert " card " == Terms(["bomb"]).without(spaced("bomb bomb card bomb")).replace("  ", "")


def test_the_longest_entry_names_what_was_found() -> None:
    """Whatever the order of the list."""
    terms = Terms(["make", "make it", "make it so"])

    assert "make it so" == terms.find(spaced("please make it so"))
    assert "make it" == terms.find(spaced("please make it soon"))


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("paypal password", True),
        ("password for my old paypal", True),
        ("paypal one two three password", True),
        ("paypal one two three four password", False),
        ("paypal", False),
        ("paypal one two three four password paypal", True),
        ("パスワード paypal", False),
        ("password two three four five six password seven eight paypal", True),
        ("password two three four five six password seven eight nine ten paypal", False),
    ],
)
def test_two_are_near_within_so_many_words(text: str, near: bool) -> None:
    """In either order, wherever each of them stands."""
    assert near == Terms(["paypal"]).near(Terms(["password"]), spaced(text), 4)


def test_what_a_text_begins_or_ends_with_can_be_taken_off() -> None:
    """Step by step, the longest first; what is not there is told apart from nothing left."""
    polite = Terms(["please", "can you", "can", "ください"])

    assert ["can you please go", "please go", "go"] == [
        " ".join(left.split()) for left in polite.openings(spaced("Can you please go?"))
    ]
    assert ["go please", "go"] == [" ".join(left.split()) for left in polite.endings(spaced("go, please"))]
    assert "作って" == str(polite.before(spaced("作ってください"))).strip()
    assert "" == polite.after(spaced("please"))
    assert polite.after(spaced("pleased")) is None
    assert polite.before(spaced("")) is None


@pytest.mark.parametrize(
    ("text", "has"), [("a", True), ("7", True), ("ア", True), ("*", False), ("!? *", False), ("", False)]
)
def test_a_word_has_a_letter_or_a_digit(text: str, has: bool) -> None:
    """Else it would be found everywhere, or nowhere."""
    assert has == has_word(text)


def test_a_list_is_written_in_lines_behind_labels() -> None:
    """A label may stand on several lines."""
    assert ("a b", "c", "d*") == listed("\n  en: a b, c\n  en: d*\n")


def test_a_page_of_nothing_but_hits_is_read_in_one_go() -> None:
    """A hundred thousand words of each, too far apart: nobody can keep the judge busy with a long page."""
    page = spaced("password " * 100_000 + "and " * 5 + "paypal " * 100_000)

    assert not Terms(["paypal"]).near(Terms(["password"]), page, 4)
    assert Terms(["paypal"]).near(Terms(["password"]), page, 6)


LISTS = [name for name in vars(unfit) if name.isupper()]
FRIENDS = ("FALSE_FRIENDS", "COUNTED_LOGINS", "HARMLESS_LOGINS", "HARMLESS_SECRETS", "HARMLESS_MAILS")


@pytest.mark.parametrize("name", LISTS)
def test_every_built_in_entry_finds_itself(name: str) -> None:
    """And stands in its list once."""
    entries = getattr(unfit, name)

    assert [] == [entry for entry in entries if Terms([entry]).find(spaced(entry.strip("*"))) is None]
    assert [] == sorted({entry for entry in entries if entries.count(entry) > 1})


@pytest.mark.parametrize("name", FRIENDS)
def test_every_false_friend_has_something_to_be_let_off(name: str) -> None:
    """One that holds nothing of any list could be taken out."""
    lists = [Terms(getattr(unfit, other)) for other in LISTS if other not in (*FRIENDS, "PAGES")]
    friends = {friend: spaced(friend.strip("*")) for friend in getattr(unfit, name)}

    assert [] == [friend for friend, words in friends.items() if all(each.find(words) is None for each in lists)]


@given(st.text(st.characters()))
def test_any_text_can_be_read(text: str) -> None:
    """As itself first; each reading is words with a space on either side, which reading anew leaves alone."""
    first, *others = readings(text)

    assert spaced(text) == first
    assert [first, *others] == [spaced(reading) for reading in (first, *others)]


WORDS = st.lists(st.sampled_from(["card", "number", "numbers", "bomb", "corn", "popcorn", "porno", "ポルノ", "glass"]))


@given(words=WORDS, joined=st.sampled_from([" ", "-", ""]))
def test_that_nothing_may_stand_in_a_text_is_never_said_where_something_does(words: list[str], joined: str) -> None:
    """Whatever an entry begins or ends with; it only spares the longer search."""
    text = spaced(joined.join(words))

    assert BAD.may_stand_in(text) or not list(BAD.places(text))
