"""Drawings in SVG that can be opened by themselves: such a document runs scripts, and has no place for a policy."""

import re
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

_SVG, _XLINK, _XML = (
    "http://www.w3.org/2000/svg",
    "http://www.w3.org/1999/xlink",
    "http://www.w3.org/XML/1998/namespace",
)
_EMPTY = f'<svg xmlns="{_SVG}"></svg>'
# Elements of SVG 2 that draw, group, label or move; none that runs, leads elsewhere or holds a page.
_ELEMENTS = re.compile(
    r"animate(?:Motion|Transform)?|circle|clipPath|defs|desc|ellipse|fe[A-Z][A-Za-z]*|filter|g|image|line|linearGradient"
    r"|marker|mask|metadata|mpath|path|pattern|polygon|polyline|radialGradient|rect|stop|style|svg|switch|symbol|text"
    r"|textPath|title|tspan|use|view"
)
_WITHIN = re.compile(r"#[\w.:-]+|data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]*")
_FAR = re.compile(r"@import|image|src\s*\(|url\(\s*(?!['\"]?\s*(?:#|data:))|\\", re.IGNORECASE)


def inert(drawing: bytes) -> bytes:
    """The drawing with nothing in it that runs or reaches out; an empty one in the stead of what is no XML.

    What comes out comes out as it is when it is put in again.
    """
    copy = _Copy()
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = copy.start, copy.end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = copy.text, copy.doctype
    parser.buffer_text = True
    try:
        parser.Parse(drawing, True)
    except (expat.ExpatError, _HasDoctype):
        return _EMPTY.encode()
    return ("".join(copy.written) or _EMPTY).encode()


class _HasDoctype(Exception):
    """A document type may define entities, which nothing here looks into."""


class _Copy:
    """Writes down what is allowed while it is read."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self._left_out = 0
        self._names: list[str] = []
        self._text: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._flush()
        namespace, _, local = name.rpartition(" ")
        if (
            self._left_out
            or namespace != _SVG
            or _ELEMENTS.fullmatch(local) is None
            or not (self._names or local == "svg")
        ):
            self._left_out += 1
            return
        kept = "".join(f" {key}={quoteattr(value)}" for key, value in _allowed(attributes))
        self.written.append(f"<{local}{kept}>" if self._names else f'<svg xmlns="{_SVG}"{kept}>')
        self._names.append(local)

    def end(self, _name: str) -> None:
        self._flush()
        if self._left_out:
            self._left_out -= 1
        else:
            self.written.append(f"</{self._names.pop()}>")

    def text(self, text: str) -> None:
        if not self._left_out:
            self._text.append(text)

    def doctype(self, *_: object) -> None:
        raise _HasDoctype

    def _flush(self) -> None:
        # As a whole: what is told in pieces could be far only when they are put together.
        text = "".join(self._text)
        self._text.clear()
        if self._names and not (self._names[-1] == "style" and _FAR.search(text)):
            self.written.append(escape(text))


def _allowed(attributes: dict[str, str]) -> list[tuple[str, str]]:
    """Attributes by the name that they are written with; an address only within the drawing, or a picture in itself."""
    found: dict[str, str] = {}
    for name, value in attributes.items():
        namespace, _, local = name.rpartition(" ")
        if local == "href" and namespace in ("", _XLINK):
            if _WITHIN.fullmatch(value):
                found.setdefault("href", value)
        elif namespace == _XML and local in ("lang", "space"):
            found[f"xml:{local}"] = value
        elif not namespace and _is_harmless(local, value):
            found[local] = value
    return list(found.items())


def _is_harmless(name: str, value: str) -> bool:
    moves_an_address = name == "attributeName" and value.strip().lower().endswith("href")
    return not name.lower().startswith("on") and not moves_an_address and _FAR.search(value) is None
