"""What the visitors of an app may read is found in its files, and code is not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.visible_text import visible_text


def seen(page: str, name: str = "index.html") -> list[str]:
    return visible_text({name: page.encode()}).splitlines()


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<!doctype html><title>Tea &amp; cake</title><p>Pick <b>one</b>", ["Tea & cake", "Pick", "one"]),
        ("<p>a\n  b\t c</p>", ["a b c"]),
        ("<p>1 < 2", ["1", "<", "2"]),
        ("<!-- not this --><p>this", ["this"]),
        ("<p>this<!-- not this", ["this"]),
        ("<p>this<a title='not this", ["this"]),
        ("<?php not this ?><p>this</ not this>", ["this"]),
        ('<img ALT="a cat" src="x.png"><input placeholder=\'Your name\' value=ok>', ["a cat", "Your name", "ok"]),
        ('<a title="1 > 0" href="y">go</a>', ["1 > 0", "go"]),
        ("<style>p::after{content: 'not this'}</style><p>this", ["this"]),
        ('<script>const key = "key"; p.textContent = "Big news";</script>', ["Big news"]),
        ("<SCRIPT>say('Hello there')</SCRIPT >after", ["Hello there", "after"]),
        ("<script>// it's code\nsay(`Hello ${name}, <b>welcome back</b>`)", ["Hello ${name},", "welcome back"]),
        (r"""<script>say('it\'s \u0067ood', "tw\x6f w\u{6f}rds")</script>""", ["it's good", "two words"]),
        ("<script>say('痛み')</script>", ["痛み"]),
        (
            '<script type="application/json">{"title": "Eggs", "n": [1, {"x": "milk"}]}</script>',
            ["title", "Eggs", "n", "x", "milk"],
        ),
        ('<script type="application/ld+json">no json</script>', ["no json"]),
        ("<svg><text>hey</text></svg>", ["hey"]),
    ],
)
def test_of_a_page(page: str, expected: list[str]) -> None:
    """Text, attributes that are shown or read aloud, data, and the strings of scripts that say something."""
    assert expected == seen(page)


def test_every_file_that_holds_words_is_read() -> None:
    """Pictures, sounds and styles are not."""
    files = {
        "index.html": b"<p>page",
        "app.js": b"say('a script')",
        "data.json": b'["some data"]',
        "notes.txt": b"a text",
        "logo.svg": b"<svg><title>logo</title>",
        "style.css": b"a{content:'not this'}",
        "photo.png": b"not this",
    }

    assert ["page", "a script", "some data", "a text", "logo"] == visible_text(files).splitlines()


@given(
    st.text(alphabet="<>/!-?\"'` =&;\\\nabcript:{}\u2028é", max_size=60), st.sampled_from(["x.html", "x.js", "x.json"])
)
def test_any_file_gives_an_answer(text: str, name: str) -> None:
    """Never an exception."""
    visible_text({name: text.encode()})


@given(st.binary(max_size=40))
def test_any_bytes_give_an_answer(content: bytes) -> None:
    """Also those that are no text."""
    visible_text({"index.html": content})


@pytest.mark.parametrize(
    "piece", ["<", "<a ", "<!--", "&", "<a x='", "<script>", "<a alt=", '<script>"\\"', "<script>`", "<?", "</", "&#x"]
)
def test_a_long_file_is_gone_over_once(piece: str) -> None:
    """Twice the length takes about twice the time, whatever is not closed in it."""

    def seconds(length: int) -> float:
        page, begun = piece * (length // len(piece)), time.process_time()
        visible_text({"index.html": page.encode()})
        return time.process_time() - begun

    assert seconds(400_000) < 8 * seconds(100_000) + 1
