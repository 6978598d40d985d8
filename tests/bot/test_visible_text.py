"""What the visitors of an app may read is found in its files, and code is not."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.visible_text import visible_texts
from tests.growth import grows_evenly


def seen(page: str, name: str = "index.html") -> list[str]:
    return visible_texts({name: page.encode()})[0].splitlines()


def in_pieces(page: str, name: str = "index.html") -> list[str]:
    return visible_texts({name: page.encode()})[-1].splitlines()


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<!doctype html><title>Tea &amp; cake</title><p>Pick <b>one</b>", ["Tea & cake", "Pick one"]),
        ("<p>a\n  b\t c</p>", ["a b c"]),
        ("<p>1 < 2", ["1 < 2"]),
        ("<!-- not this --><p>this", ["this"]),
        ("<p>this<!-- not this", ["this"]),
        ("<p>this<a title='not this", ["this"]),
        ("<?php not this ?><p>this</ not this>", ["this"]),
        ('<img ALT="a cat" src="x.png"><input placeholder=\'Your name\' value=ok>', ["a cat", "Your name", "ok"]),
        ('<a title="1 > 0" href="y">go</a>', ["1 > 0", "go"]),
        ("<style>p::after{font-family: 'not this'}</style><p>this", ["this"]),
        ('<script>const key = "key"; p.textContent = "Big news";</script>', ["Big news"]),
        ("<SCRIPT>say('Hello there')</SCRIPT >after", ["Hello there", "after"]),
        ("<script>// it's code\nsay(`Hello ${name}, <b>welcome back</b>`)", ["Hello ${name}, welcome back"]),
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


@pytest.mark.parametrize(
    ("page", "whole", "pieces"),
    [
        ("<h1><span>Pay</span><span>Pal</span></h1>in", ["PayPal", "in"], ["Pay", "Pal", "in"]),
        ("<p>Pay<!-- -->Pal <i>log</i> in<p>now", ["PayPal log in", "now"], ["Pay", "Pal", "log", "in", "now"]),
        ("Pay<img alt='a cat'>Pal<br>in", ["PayPal", "a cat", "in"], ["Pay", "Pal", "a cat", "in"]),
        ("<my-tag>Pay</my-tag>\nPal", ["Pay Pal"], ["Pay", "Pal"]),
        ("<ul><li>Pay<li>Pal</ul>", ["Pay", "Pal"], ["Pay", "Pal"]),
    ],
)
def test_what_stands_in_one_line_is_read_without_a_break(page: str, whole: list[str], pieces: list[str]) -> None:
    """And piece by piece as well, since a style may set it apart."""
    assert (whole, pieces) == (seen(page), in_pieces(page))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<style>p::before{content:'Log in' ' here'}</style>", ["Log in", "here"]),
        (r"""<style>p::before{ CONTENT : "\50 ay\000050 al log" }</style>""", ["PayPal log"]),
        ("<style>:root{--x:'PayPal log in'}a{content:var(--x)}</style>", ["PayPal log in"]),
        ("""<a onclick="p.innerHTML='PayPal log in'">x</a>""", ["PayPal log in", "x"]),
        ("""<a onclick="p.innerHTML=&quot;<b>Pay</b>Pal&quot;">x</a>""", ["PayPal", "x"]),
        ("<a href=\"javascript:alert('Log in now')\">x</a><a href='go/to it'>", ["Log in now", "x"]),
        ("<iframe srcdoc='&lt;h1&gt;PayPal log in&lt;/h1&gt;'></iframe>", ["PayPal log in"]),
        ("<p data-tip='PayPal log in' data-id='x7'>", ["PayPal log in"]),
        ("<script>say('Pay' + 'Pal lo' +\n'gin')</script>", ["PayPal login"]),
        ("<script>say('<h1>PayPal</h1>')</script>", ["PayPal"]),
    ],
)
def test_of_what_shows_text_without_saying_so(page: str, expected: list[str]) -> None:
    """Styles, handlers, a page within a page, sums of strings."""
    assert expected == seen(page)


def test_of_a_style_sheet() -> None:
    """As of a style in a page."""
    assert ["PayPal log in"] == seen("h1::before{content:'PayPal log in'}", "a.css")


def test_single_words_of_a_program_are_read_where_they_stand() -> None:
    """In the second reading only: most of them are names that nobody sees."""
    page = "<script>document.title = 'PayPal'; show('login', '#7')</script><p>Hello"

    assert (["Hello"], ["PayPal", "login", "Hello"]) == (seen(page), in_pieces(page))


def test_a_page_within_a_page_and_so_on_comes_to_an_end() -> None:
    """However deep it is."""
    page = "PayPal log in"
    for _ in range(12):
        page = f"<iframe srcdoc='{html.escape(page)}'></iframe>"

    assert "srcdoc" in "".join(seen(page))


def test_every_file_that_holds_words_is_read() -> None:
    """Pictures, sounds and styles are not."""
    files = {
        "index.html": b"<p>page",
        "app.js": b"say('a script')",
        "data.json": b'["some data"]',
        "notes.txt": b"a text",
        "logo.svg": b"<svg><title>logo</title>",
        "style.css": b"a{background:url('not this')}",
        "photo.png": b"not this",
    }

    assert ["page", "a script", "some data", "a text", "logo"] == visible_texts(files)[0].splitlines()


@given(
    st.text(alphabet="<>/!-?\"'` =&;\\\nabcript:{}\u2028é", max_size=60), st.sampled_from(["x.html", "x.js", "x.json"])
)
def test_any_file_gives_an_answer(text: str, name: str) -> None:
    """Never an exception."""
    visible_texts({name: text.encode()})


@given(st.binary(max_size=40))
def test_any_bytes_give_an_answer(content: bytes) -> None:
    """Also those that are no text."""
    visible_texts({"index.html": content})


@pytest.mark.parametrize(
    "piece",
    [
        "content:'",
        '--a:"',
        '<style>a{content:"',
        "<b>a",
        "<a b='",
        "'a'+",
        '<a href="',
        "<",
        "<a ",
        "<!--",
        "&",
        "<a x='",
        "<script>",
        "<a alt=",
        '<script>"\\"',
        "<script>`",
        "<?",
        "</",
        "&#x",
    ],
)
def test_a_long_file_is_gone_over_once(piece: str) -> None:
    """Four times the length takes about four times the work, whatever is not closed in it."""
    assert grows_evenly(lambda size: visible_texts({"index.html": (piece * (size // len(piece))).encode()}), 50_000)
