"""Facets: the parts of a text that are links, mentions or tags, by their byte offsets."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

_HANDLE = re.compile(r"(?<![\w@.])@([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)")


class Piece(NamedTuple):
    """A stretch of a post's text, and the feature over it if there is one."""

    text: str
    feature: Mapping[str, Any] | None


def mention_facets(text: str, did_of: Callable[[str], str | None]) -> list[dict[str, Any]]:
    """A mention facet over every "@handle" that `did_of` knows."""
    facets = []
    for match in _HANDLE.finditer(text):
        did = did_of(match[1])
        if did is not None:
            start = len(text[: match.start()].encode())
            index = {"byteStart": start, "byteEnd": start + len(match[0].encode())}
            facets.append({"index": index, "features": [{"$type": "app.bsky.richtext.facet#mention", "did": did}]})
    return facets


def pieces(text: str, facets: list[Any]) -> list[Piece]:
    """The whole text, cut at its facets; one that is out of bounds, cuts a character or overlaps is left out."""
    raw = text.encode("utf-8", "replace")
    found: list[Piece] = []
    done = 0
    for start, end, feature in sorted(_spans(facets), key=lambda span: span[:2]):
        if not done <= start < end <= len(raw):
            continue
        try:
            before, covered = raw[done:start].decode(), raw[start:end].decode()
        except UnicodeDecodeError:
            continue
        found += [Piece(before, None), Piece(covered, feature)]
        done = end
    found.append(Piece(raw[done:].decode(), None))
    return [piece for piece in found if piece.text]


def _spans(facets: list[Any]) -> list[tuple[int, int, Mapping[str, Any]]]:
    spans = []
    for facet in facets:
        match facet:
            case {"index": {"byteStart": int(start), "byteEnd": int(end)}, "features": [Mapping() as feature, *_]}:
                spans.append((start, end, feature))
    return spans
