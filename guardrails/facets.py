"""Reading the mention facets of a post's record, whatever somebody wrote into it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MENTION_FEATURE = "app.bsky.richtext.facet#mention"


@dataclass(frozen=True, order=True)
class Span:
    """Where in the UTF-8 of a text somebody is mentioned."""

    start: int
    end: int


@dataclass(frozen=True)
class Mentioned:
    """A mention facet: whom it names, and where; None where it points outside the text, or cuts a character."""

    dids: frozenset[str]
    span: Span | None


def mentions(record: Mapping[str, Any], raw: bytes) -> tuple[Mentioned, ...]:
    """The facets of a record that name somebody; `raw` is the UTF-8 of its text."""
    found = (Mentioned(_named(facet), _span(facet, raw)) for facet in _dicts(record.get("facets")))
    return tuple(each for each in found if each.dids)


def encoded(text: str) -> bytes:
    """The bytes that facets count in."""
    return text.encode("utf-8", "surrogatepass")


def decoded(raw: bytes) -> str:
    """The text of a piece between character boundaries."""
    return raw.decode("utf-8", "surrogatepass")


def without(raw: bytes, spans: Iterable[Span]) -> str:
    """The text with a space in place of each span; spans may overlap."""
    left, end = b"", 0
    for span in sorted(set(spans)):
        left += raw[end : span.start] + b" "
        end = max(end, span.end)
    return decoded(left + raw[end:])


def _dicts(value: object) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _named(facet: Mapping[str, Any]) -> frozenset[str]:
    features = (each for each in _dicts(facet.get("features")) if each.get("$type") == MENTION_FEATURE)
    return frozenset(did for each in features if isinstance(did := each.get("did"), str))


def _span(facet: Mapping[str, Any], raw: bytes) -> Span | None:
    index = facet.get("index")
    start, end = (index.get("byteStart"), index.get("byteEnd")) if isinstance(index, Mapping) else (None, None)
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(raw):
        return None
    inside = all(at == len(raw) or raw[at] & 0xC0 != 0x80 for at in (start, end))
    return Span(start, end) if inside else None
