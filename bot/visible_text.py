"""What the visitors of an app may read, taken out of its files.

A page is written by whoever likes, so every step here goes over a text once, forwards, whatever stands in it.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from guardrails.words import listed

_PAGES = frozenset({".html", ".svg"})
_SCRIPTS = frozenset({".js", ".mjs"})
_STYLES = frozenset({".css"})
_DATA = frozenset({".json", ".webmanifest"})
_TEXTS = frozenset({".txt", ".csv"})

# What stands in one of these stands by itself; any other tag leaves the words around it together.
_BLOCKS = frozenset(
    listed("""
    page: address, article, aside, blockquote, body, center, dialog, div, footer, frame, frameset, head, header, hgroup
    page: html, main, nav, search, section, template, title, noscript, script, style, link, meta
    text: br, details, figcaption, figure, h1, h2, h3, h4, h5, h6, hr, p, pre, summary, text
    lists: caption, dd, dl, dt, li, menu, ol, table, tbody, td, tfoot, th, thead, tr, ul
    forms: button, fieldset, form, input, label, legend, optgroup, option, select, textarea
    things: audio, canvas, embed, iframe, object, svg, video
""")
)
_TAG_NAME = re.compile(r"/?([A-Za-z][^\s/>]*+)")
_IN_A_TAG = re.compile(r"[>\"']")
_VALUE = r"""\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))"""
_ATTRIBUTE = re.compile(
    r"\b(alt|title|placeholder|aria-label|aria-description|label|value|content|summary|data-[\w-]++|srcdoc|on[a-z]++|href)"
    + _VALUE,
    re.IGNORECASE,
)
_JSON_TYPE = re.compile(r"""\btype\s*+=\s*+["']?+application/(?:\w++\+)?json""", re.IGNORECASE)
_IN_A_SCRIPT = re.compile(r"\\.|[\"'`\n]", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_ESCAPED_IN_A_STYLE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})\s?|(\n)|(.))", re.DOTALL)
# What a style shows, by itself or by a name.
_SHOWN_BY_A_STYLE = re.compile(
    r"""(?:\bcontent|--[\w-]++)\s*+:((?:[^;{}"']++|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')*+)""", re.DOTALL | re.I
)
_ADDED = re.compile(r"\s*+\+\s*+")
_WHITE = {"n": "\n", "t": "\t", "r": "\n"}
# What a program calls things is seldom of two words; what it says to people seldom of one.
_SAYS_SOMETHING = re.compile(r"\S\s+\S|[^\x00-\x7f]")
_A_WORD = re.compile(r"[^\W\d_]{2,40}")
# A page in a string of a script of a page, and so on: deeper than this nobody reads.
_DEEPEST = 4


class _Piece(NamedTuple):
    """A text; whether it goes on from the one before, and whether it is but one word of a program."""

    text: str
    goes_on: bool = False
    is_word: bool = False


def visible_texts(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """What stands in pages, data, and the strings of scripts and styles; code and pictures are left out.

    First as people read it: a line for each block of a page, and of a program what says something. Then, where that is
    another text, a line for each piece, single words of programs as well.
    """
    pieces = list(_pieces(files))
    whole = "".join(piece.text if piece.goes_on else f"\n{piece.text}" for piece in pieces if not piece.is_word)
    return tuple(dict.fromkeys((_lines(whole.split("\n")), _lines(piece.text for piece in pieces))))


def _lines(pieces: Iterable[str]) -> str:
    return "\n".join(" ".join(piece.split()) for piece in pieces if piece.strip())


def _pieces(files: Mapping[str, bytes]) -> Iterator[_Piece]:
    for name, content in files.items():
        kind, text = PurePosixPath(name).suffix.lower(), content.decode("utf-8", "replace")
        if kind in _PAGES:
            yield from _of_a_page(text, 0)
        elif kind in _SCRIPTS:
            yield from _of_a_script(text, 0)
        elif kind in _STYLES:
            yield from _of_a_style(text)
        elif kind in _DATA:
            yield from _of_data(text)
        elif kind in _TEXTS:
            yield from map(_Piece, text.split("\n"))


def _of_a_page(page: str, depth: int) -> Iterator[_Piece]:
    """Text and what its tags show, or run; inside a tag or a comment that never ends there is nothing."""
    goes_on, beside = False, list[_Piece]()
    for found in _in_a_page(page, depth):
        if isinstance(found, list):
            beside += found
        elif found is None:
            goes_on = False
        else:
            yield _Piece(" ".join(found.split("\n")), goes_on)
            goes_on = True
        if not goes_on:
            yield from beside
            beside.clear()
    yield from beside


def _in_a_page(page: str, depth: int) -> Iterator[str | list[_Piece] | None]:
    """A text, None where a block begins or ends, or what belongs to a tag."""
    at, lowered = 0, page.lower()
    while (tag := page.find("<", at)) >= 0:
        if tag > at:
            yield html.unescape(page[at:tag])
        name = _TAG_NAME.match(page, tag + 1)
        if page.startswith("<!--", tag):
            at = _after(page, "-->", tag + 4)
        elif name is None and page[tag + 1 : tag + 2] not in ("!", "?", "/"):
            yield "<"
            at = tag + 1
        elif name is None:
            at = _after(page, ">", tag)
        else:
            at, kind = _end_of_tag(page, name.end()), name[1].lower()
            if kind in _BLOCKS:
                yield None
            yield [piece for found in _ATTRIBUTE.findall(page[name.end() : at]) for piece in _shown(found, depth)]
            if name[0].lower() in ("script", "style"):
                end = lowered.find(f"</{kind}", at)
                end = end if end >= 0 else len(page)
                yield list(_of_an_element(kind, page[name.end() : at], page[at:end], depth))
                at = end
    if page[at:]:
        yield html.unescape(page[at:])


def _shown(attribute: tuple[str, ...], depth: int) -> Iterable[_Piece]:
    """What an attribute shows, or does; `data-` ones a style may show."""
    name, value = attribute[0].lower(), html.unescape("".join(attribute[1:]))
    if name.startswith("on") or name == "href":
        is_run = name != "href" or value.lstrip().lower().startswith("javascript:")
        return _of_a_script(value, depth) if is_run else ()
    if name == "srcdoc":
        return _nested(value, depth)
    says_something = not name.startswith("data-") or _SAYS_SOMETHING.search(value)
    return (_Piece(value, is_word=not says_something),)


def _of_an_element(name: str, attributes: str, content: str, depth: int) -> Iterable[_Piece]:
    if name == "style":
        return _of_a_style(content)
    return _of_data(content) if _JSON_TYPE.search(attributes) else _of_a_script(content, depth)


def _of_a_style(style: str) -> Iterator[_Piece]:
    """The strings that it puts on a page."""
    for shown in _SHOWN_BY_A_STYLE.findall(style):
        for _, _, written in _strings(shown):
            yield _Piece(_ESCAPED_IN_A_STYLE.sub(_unescaped_in_a_style, written))


def _unescaped_in_a_style(found: re.Match[str]) -> str:
    return _character(found[1]) if found[1] else found[3] or ""


def _end_of_tag(page: str, at: int) -> int:
    while (found := _IN_A_TAG.search(page, at)) is not None:
        if found[0] == ">":
            return found.end()
        at = _after(page, found[0], found.end())
    return len(page)


def _after(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return found + len(mark) if found >= 0 else len(text)


def _of_a_script(script: str, depth: int) -> Iterator[_Piece]:
    """Its strings; those with tags in them are read as a page, those that are added to one another as one."""
    for written in _added(script):
        said = _ESCAPED.sub(_unescaped, written)
        if "<" in said:
            yield from _nested(said, depth)
        elif _SAYS_SOMETHING.search(said):
            yield _Piece(said)
        elif _A_WORD.search(said):
            yield _Piece(said, is_word=True)


def _added(script: str) -> Iterator[str]:
    added, ended = list[str](), 0
    for begun, end, written in _strings(script):
        if added and _ADDED.fullmatch(script, ended, begun - 1) is None:
            yield "".join(added)
            added.clear()
        added.append(written)
        ended = end
    yield "".join(added)


def _nested(page: str, depth: int) -> Iterable[_Piece]:
    return _of_a_page(page, depth + 1) if depth < _DEEPEST else (_Piece(page),)


def _strings(script: str) -> Iterator[tuple[int, int, str]]:
    """Where each string begins and ends behind its quotes, and what is written between them."""
    quote, begun = "", 0
    for found in _IN_A_SCRIPT.finditer(script):
        if not quote:
            quote, begun = found[0] if found[0] in "\"'`" else "", found.end()
        elif found[0] == quote:
            yield begun, found.end(), script[begun : found.start()]
            quote = ""
        elif found[0] == "\n" and quote != "`":
            quote = ""  # no string at all: an apostrophe in a comment


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    return _WHITE.get(found[4], found[4]) if code is None else _character(code)


def _character(code: str) -> str:
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else ""


def _of_data(data: str) -> Iterator[_Piece]:
    """The strings of JSON, keys included; what is no JSON as it stands."""
    try:
        yield from map(_Piece, _in_value(json.loads(data)))
    except (ValueError, RecursionError):
        yield _Piece(data)


def _in_value(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        match found:
            case str():
                yield found
            case dict():
                waiting += [part for pair in reversed(found.items()) for part in reversed(pair)]
            case list():
                waiting += reversed(found)
