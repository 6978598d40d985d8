"""Reads a page, in one go and whatever stands in it, into what the rules look at."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from guardrails.words import listed

_VOID: Final = frozenset(
    listed("void: area, base, br, col, embed, hr, img, input, link, meta, param, source, track, wbr")
)
# What HTML closes by itself.
_CLOSED_ANYWAY: Final = frozenset(
    listed("""
    lists: li, dt, dd, p, rb, rt, rtc, rp, optgroup, option
    tables: colgroup, caption, thead, tbody, tfoot, tr, td, th
    page: html, head, body
""")
)
_RAW: Final = ("script", "style")
_TEXT_ONLY: Final = ("textarea", "title")
# What browsers read as mere text, whatever tags and comments seem to be in it: up to its own end tag, if it has one.
_MERE_TEXT: Final = (*_TEXT_ONLY, "iframe", "noscript")
_OUTDATED: Final = frozenset(listed("mere text: xmp, noembed, noframes, plaintext"))
_COMMENT_ENDS: Final = re.compile(r"\A-?>|--!>")
_RAW_ENDS: Final = re.compile(r"</(?:script|style)[\s/>]", re.IGNORECASE)


@dataclass
class Element:
    """A start tag: its name and attributes in lower case, the first of each name, and the label around it."""

    tag: str
    attributes: dict[str, str]
    label: "Label | None" = None

    def get(self, name: str) -> str:
        """An attribute's value, "" when there is none."""
        return self.attributes.get(name, "")


@dataclass
class Label:
    """What a <label> says, and the id of the field that it is for."""

    target: str
    words: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Embedded:
    """The text of a <script> or <style> that stands in the page; `kind` is the script's type, in lower case."""

    text: str
    kind: str = ""


@dataclass
class Markup:
    """What a page is made of. `ends_within`: it ends inside a tag, a comment, a script or a style.

    `hides`: browsers may find other elements in it than are told of here.
    """

    elements: list[Element] = field(default_factory=list)
    scripts: list[Embedded] = field(default_factory=list)
    styles: list[Embedded] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    title: str = ""
    headings: list[str] = field(default_factory=list)
    has_doctype: bool = False
    ended: set[str] = field(default_factory=set)
    unclosed: tuple[str, ...] = ()
    ends_within: bool = False
    hides: bool = False
    is_readable: bool = True

    def has(self, tag: str) -> bool:
        """Whether there is such an element."""
        return any(element.tag == tag for element in self.elements)


def read_markup(text: str) -> Markup:
    """The page in a text; never raises, and takes no longer for a broken text than for a whole one."""
    reader = _Reader()
    try:
        reader.feed(text)
    except AssertionError:
        reader.markup.is_readable = False
        return reader.markup
    reader.markup.ends_within = reader.cdata_elem is not None or "<" in reader.rawdata
    if not reader.markup.ends_within:
        # Else not closed and read on: HTMLParser takes quadratic time over what was never finished.
        reader.close()
    return reader.finished()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.markup = Markup()
        self._raw: Element | None = None
        self._raw_text: list[str] = []
        self._text_only: str | None = None
        self._label: Label | None = None
        self._heading: list[str] | None = None
        self._open: list[str] = []
        self._open_counts: dict[str, int] = {}

    def finished(self) -> Markup:
        """What was read."""
        self._end_raw()
        self.markup.unclosed = tuple(self._open)
        return self.markup

    def handle_decl(self, decl: str) -> None:
        self.markup.has_doctype = self.markup.has_doctype or decl.lower().startswith("doctype")

    def handle_comment(self, data: str) -> None:
        self.markup.hides |= _COMMENT_ENDS.search(data) is not None or self._ends_mere_text(data)

    def unknown_decl(self, data: str) -> None:
        # CDATA, which is a comment up to the first `>` outside SVG.
        self.markup.hides |= ">" in data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.markup.hides |= tag in _OUTDATED or self._ends_mere_text(self.get_starttag_text() or "")
        if self._text_only:
            return
        self._end_raw()
        element = Element(tag, {name: value or "" for name, value in reversed(attrs)}, self._label)
        self.markup.elements.append(element)
        if tag == "label":
            self._label = element.label = Label(element.get("for"))
            self.markup.labels.append(self._label)
        if tag in ("h1", "h2"):
            self._heading = []
        if tag in _RAW:
            self._raw = element
        elif tag in _TEXT_ONLY:
            self._text_only = tag
        if tag not in _VOID and tag not in _CLOSED_ANYWAY:
            self._open.append(tag)
            self._open_counts[tag] = self._open_counts.get(tag, 0) + 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self._open and self._open[-1] == tag:
            self._close(tag)
        # Inside SVG `<script/>` is complete; HTMLParser does not go on reading raw text after it.
        self.markup.hides |= tag in (*_RAW, *_MERE_TEXT) and not self._open_counts.get("svg")
        self._raw = self._text_only = None

    def handle_endtag(self, tag: str) -> None:
        if self._text_only and tag != self._text_only:
            return
        self._text_only = None
        self._end_raw()
        self.markup.ended.add(tag)
        if tag == "label":
            self._label = None
        if tag in ("h1", "h2") and self._heading is not None:
            self.markup.headings.append(" ".join(self._heading))
            self._heading = None
        self._close(tag)

    def handle_data(self, data: str) -> None:
        if self._raw is not None:
            self._raw_text.append(data)
            return
        if self._text_only == "title" and not self.markup.title:
            self.markup.title = data.strip()
        self.markup.texts.append(data)
        if self._label is not None:
            self._label.words.append(data)
        if self._heading is not None:
            self._heading.append(data)

    def _ends_mere_text(self, text: str) -> bool:
        return "</" in text and any(map(self._open_counts.get, _MERE_TEXT))

    def _close(self, tag: str) -> None:
        if not self._open_counts.get(tag):
            return
        while (last := self._open.pop()) != tag:
            self._open_counts[last] -= 1
        self._open_counts[tag] -= 1

    def _end_raw(self) -> None:
        if self._raw is None:
            return
        text = Embedded("".join(self._raw_text), self._raw.get("type").strip().lower())
        self.markup.hides |= _RAW_ENDS.search(text.text) is not None
        (self.markup.scripts if self._raw.tag == "script" else self.markup.styles).append(text)
        self._raw, self._raw_text = None, []
