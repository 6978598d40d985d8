"""Finds what a page would fetch or open from outside its bundle.

The content security policy that an app is served with is what stops a request. This finds the app that would be dead
under it before anyone sees it; a reference that is put together at run time is the browser check's to find.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

_INSIDE_SCHEMES = frozenset({"data", "blob", "about", "javascript", "mailto", "tel", "sms"})
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_ADDRESS_ATTRIBUTES = frozenset(
    ["src", "href", "action", "formaction", "poster", "data", "background", "cite", "ping", "manifest", "xlink:href"]
)
# Possessive, so that no text makes a search go back over it.
_CSS_ADDRESS = re.compile(
    r"""(?:url\(\s*+(?:['"]\s*+)?+|(?:@import\s*+|image-set\(\s*+)['"]\s*+)([^'")\s]++)""", re.IGNORECASE
)
_SCRIPT_ADDRESS = re.compile(
    r"""['"`]\s*+((?:https?|wss?|ftp):[\\/]{2}[^'"`\s]*+|[\\/]{2}[\w-]++\.[^'"`\s]++)""", re.IGNORECASE
)
# Names of vocabularies, not addresses that anything is fetched from.
_NAMESPACE = re.compile(r"https?://www\.w3\.org/(?:1998|1999|2000|XML)/", re.IGNORECASE)
_SERVICE_WORKER = re.compile(r"\bserviceWorker\b")
_LONGEST_SHOWN = 80
_DEEPEST_FRAME = 3


def html_problems(text: str, depth: int = 0) -> list[str]:
    """Every outside reference in a page: attributes, inline styles and scripts, `<base>`, a refresh."""
    if depth > _DEEPEST_FRAME:
        return ["frames within frames"]
    page = _Page(depth)
    try:
        page.feed(text)
    except AssertionError:
        return ["cannot be read as HTML"]
    if page.is_unfinished:
        # Not closed and read on: HTMLParser takes quadratic time over what was never finished.
        return [*page.problems, "ends inside a tag, a comment, a script or a style"]
    page.close()
    return page.problems


def css_problems(text: str) -> list[str]:
    """Every outside reference in a style sheet."""
    return [f"a style refers to {_shown(found)}" for found in _CSS_ADDRESS.findall(text) if is_outside(found)]


def script_problems(text: str) -> list[str]:
    """Every outside address in a script's strings, and any service worker."""
    problems = [
        f"a script refers to {_shown(found)}" for found in _SCRIPT_ADDRESS.findall(text) if not _NAMESPACE.match(found)
    ]
    if _SERVICE_WORKER.search(text):
        problems.append("a script uses a service worker")
    return problems


def is_outside(address: str) -> bool:
    """Whether a browser would leave the bundle for this address; reads it as leniently as browsers do."""
    read = re.sub(r"[\t\n\r]", "", address).strip("".join(map(chr, range(0x21)))).replace("\\", "/")
    if read.startswith("//"):
        return True
    scheme = _SCHEME.match(read)
    return scheme is not None and scheme[1].lower() not in _INSIDE_SCHEMES


class _Page(HTMLParser):
    def __init__(self, depth: int) -> None:
        super().__init__(convert_charrefs=True)
        self._depth = depth
        self.problems: list[str] = []
        self._raw: str | None = None
        self._raw_text: list[str] = []

    @property
    def is_unfinished(self) -> bool:
        """Whether what was fed so far ends within some construct."""
        return self.cdata_elem is not None or "<" in self.rawdata

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._flush()
        given = {name: value or "" for name, value in reversed(attrs)}
        for name, value in attrs:
            self.problems += _attribute_problems(tag, name, value or "")
            if name == "srcdoc":
                self.problems += html_problems(value or "", self._depth + 1)
        if tag == "base":
            self.problems.append("a <base> element")
        if tag == "meta" and given.get("http-equiv", "").strip().lower() == "refresh":
            self.problems.append("a <meta> refresh")
        if tag in ("script", "style"):
            self._raw = tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        # Inside SVG `<script/>` is complete; HTMLParser does not go on reading raw text after it.
        self._raw = None

    def handle_endtag(self, tag: str) -> None:
        self._flush()

    def handle_data(self, data: str) -> None:
        if self._raw is not None:
            self._raw_text.append(data)

    def close(self) -> None:
        super().close()
        self._flush()

    def _flush(self) -> None:
        text = "".join(self._raw_text)
        if self._raw == "style":
            self.problems += css_problems(text)
        elif self._raw == "script":
            self.problems += script_problems(text)
        self._raw = None
        self._raw_text = []


def _attribute_problems(tag: str, name: str, value: str) -> Iterator[str]:
    if name in _ADDRESS_ATTRIBUTES:
        if is_outside(value):
            yield f"<{tag[:20]} {name}> refers to {_shown(value)}"
        elif value.strip().lower().startswith("javascript:"):
            yield from script_problems(value)
    elif name in ("srcset", "imagesrcset"):
        for candidate in value.split(","):
            if is_outside(candidate.strip().partition(" ")[0]):
                yield f"<{tag[:20]} {name}> refers to {_shown(candidate)}"
    elif name == "style":
        yield from css_problems(value)
    elif name.startswith("on"):
        yield from script_problems(value)


def _shown(address: str) -> str:
    return ascii(address.strip()[:_LONGEST_SHOWN])
