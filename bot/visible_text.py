"""What the visitors of an app may read, taken out of its files.

A page is written by whoever likes, so every step here goes over a text once, forwards, whatever stands in it.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

_PAGES = frozenset({".html", ".svg"})
_SCRIPTS = frozenset({".js", ".mjs"})
_DATA = frozenset({".json", ".webmanifest"})
_TEXTS = frozenset({".txt", ".csv"})

_TAG_NAME = re.compile(r"/?([A-Za-z][^\s/>]*+)")
_IN_A_TAG = re.compile(r"[>\"']")
_SHOWN_ATTRIBUTE = re.compile(
    r"""\b(?:alt|title|placeholder|aria-label|aria-description|label|value|content|summary)\s*+=\s*+"""
    r"""(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""",
    re.IGNORECASE,
)
_JSON_TYPE = re.compile(r"""\btype\s*+=\s*+["']?+application/(?:\w++\+)?json""", re.IGNORECASE)
_IN_A_SCRIPT = re.compile(r"\\.|[\"'`\n]", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_WHITE = {"n": "\n", "t": "\t", "r": "\n"}
# What a program calls things is seldom of two words; what it says to people seldom of one.
_SAYS_SOMETHING = re.compile(r"\S\s+\S|[^\x00-\x7f]")


def visible_text(files: Mapping[str, bytes]) -> str:
    """What stands in pages, data and the strings of scripts, one piece a line; code, styles and pictures are left out.

    Text that a script puts together letter by letter is not found.
    """
    return "\n".join(" ".join(piece.split()) for piece in _pieces(files) if piece.strip())


def _pieces(files: Mapping[str, bytes]) -> Iterator[str]:
    for name, content in files.items():
        kind, text = PurePosixPath(name).suffix.lower(), content.decode("utf-8", "replace")
        if kind in _PAGES:
            yield from _of_a_page(text)
        elif kind in _SCRIPTS:
            yield from _of_a_script(text)
        elif kind in _DATA:
            yield from _of_data(text)
        elif kind in _TEXTS:
            yield text


def _of_a_page(page: str) -> Iterator[str]:
    """Text and the attributes that are shown or read aloud; inside a tag or a comment that never ends nothing is."""
    at, lowered = 0, page.lower()
    while (tag := page.find("<", at)) >= 0:
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
            at = _end_of_tag(page, name.end())
            inside = page[name.end() : at]
            yield from (html.unescape("".join(found)) for found in _SHOWN_ATTRIBUTE.findall(inside))
            if name[0].lower() in ("script", "style"):
                end = lowered.find(f"</{name[0].lower()}", at)
                end = end if end >= 0 else len(page)
                yield from _of_an_element(name[0].lower(), inside, page[at:end])
                at = end
    yield html.unescape(page[at:])


def _of_an_element(name: str, attributes: str, content: str) -> Iterable[str]:
    if name == "style":
        return ()
    return _of_data(content) if _JSON_TYPE.search(attributes) else _of_a_script(content)


def _end_of_tag(page: str, at: int) -> int:
    while (found := _IN_A_TAG.search(page, at)) is not None:
        if found[0] == ">":
            return found.end()
        at = _after(page, found[0], found.end())
    return len(page)


def _after(text: str, mark: str, at: int) -> int:
    found = text.find(mark, at)
    return found + len(mark) if found >= 0 else len(text)


def _of_a_script(script: str) -> Iterator[str]:
    """The strings that say something; those with tags in them are read as a page."""
    for written in _strings(script):
        said = _ESCAPED.sub(_unescaped, written)
        if _SAYS_SOMETHING.search(said):
            yield from _of_a_page(said) if "<" in said and "<script" not in said.lower() else (said,)


def _strings(script: str) -> Iterator[str]:
    quote, begun = "", 0
    for found in _IN_A_SCRIPT.finditer(script):
        if not quote:
            quote, begun = found[0] if found[0] in "\"'`" else "", found.end()
        elif found[0] == quote:
            yield script[begun : found.start()]
            quote = ""
        elif found[0] == "\n" and quote != "`":
            quote = ""  # no string at all: an apostrophe in a comment


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is None:
        return _WHITE.get(found[4], found[4])
    return chr(int(code, 16)) if int(code, 16) < 0x110000 else ""


def _of_data(data: str) -> Iterator[str]:
    """The strings of JSON, keys included; what is no JSON as it stands."""
    try:
        yield from _in_value(json.loads(data))
    except (ValueError, RecursionError):
        yield data


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
