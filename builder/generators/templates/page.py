"""A template's page: one frame for all, its own style, body and script, and the ask's parameters as inert data."""

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_PARTS = re.compile(
    r"<style>\n(?P<style>.*?)\n</style>\n(?P<body>.*?)\n<script>\n(?P<script>.*?)\n</script>\n", re.DOTALL
)
# Inside <script> only these could end it, and the two separators were line ends in older JavaScript.
_INERT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


@dataclass(frozen=True)
class Page:
    """What a template read from an ask: its file, its words, and the parameters as plain JSON values."""

    file: str
    title: str
    description: str
    settings: Mapping[str, object]


def render(page: Page) -> str:
    """The finished page; whatever the words and parameters hold stays text."""
    parts = _PARTS.fullmatch(_resource(page.file))
    if parts is None:
        raise ValueError(f"{page.file} is not a style, a body and a script")
    values = {
        **parts.groupdict(),
        "title": html.escape(page.title),
        "description": html.escape(page.description),
        "settings": as_inert_json(page.settings),
        "frame_style": _resource("frame.css").strip(),
        "frame_script": _resource("frame.js").strip(),
    }
    return _PLACE.sub(lambda place: values[place[1]], _resource("frame.html"))


def as_inert_json(value: object) -> str:
    """JSON that can stand inside a script element: it cannot end the element or start another."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, sort_keys=True).translate(_INERT)


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
