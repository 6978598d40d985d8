"""A post as it reads on Bluesky, as text only: what links, mentions and tags it has is shown and leads nowhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guardrails.facets import decoded, encoded

_FEATURES = {
    "app.bsky.richtext.facet#mention": "mention",
    "app.bsky.richtext.facet#link": "link",
    "app.bsky.richtext.facet#tag": "tag",
}


@dataclass(frozen=True)
class Piece:
    """A stretch of a post's text; `kind` is mention, link or tag, and `target` what it leads to on Bluesky."""

    text: str
    kind: str = ""
    target: str = ""


def pieces(record: Mapping[str, Any]) -> list[Piece]:
    """The whole text of a post's record, cut at its facets; those that make no sense are left out."""
    text = record.get("text")
    raw, found, done = encoded(text if isinstance(text, str) else ""), [], 0
    for start, end, kind, target in sorted(_facets(record.get("facets"))):
        if done <= start < end <= len(raw) and _is_whole(raw[done:start]) and _is_whole(raw[start:end]):
            found += [Piece(decoded(raw[done:start])), Piece(decoded(raw[start:end]), kind, target)]
            done = end
    return [piece for piece in (*found, Piece(decoded(raw[done:]))) if piece.text]


def beside(record: Mapping[str, Any]) -> list[str]:
    """What a post shows beside its text, in a line each: pictures by their descriptions, a card, a quoted post."""
    return list(_embedded(record.get("embed")))


def _embedded(embed: object) -> Iterator[str]:
    match embed:
        case {"record": {"uri": str(uri)}}:
            yield f"Quotes {uri}"
        case {"record": {"record": {"uri": str(uri)}}, **rest}:
            yield f"Quotes {uri}"
            yield from _media(rest.get("media"))
        case _:
            yield from _media(embed)


def _media(media: object) -> Iterator[str]:
    match media:
        case {"images": [*images]}:
            for image in images:
                alt = image.get("alt") if isinstance(image, Mapping) else None
                yield f"Picture: {alt or 'without a description'}"
        case {"video": _, **rest}:
            yield f"Video: {rest.get('alt') or 'without a description'}"
        case {"external": {"uri": str(uri), **rest}}:
            yield f"Card: {rest.get('title') or ''} ({uri})"


def _facets(facets: object) -> Iterator[tuple[int, int, str, str]]:
    for facet in facets if isinstance(facets, Sequence) else ():
        match facet:
            case {
                "index": {"byteStart": int(start), "byteEnd": int(end)},
                "features": [{"$type": str(kind), **told}, *_],
            }:
                target = next((value for name in ("uri", "did", "tag") if isinstance(value := told.get(name), str)), "")
                yield start, end, _FEATURES.get(kind, ""), target


def _is_whole(raw: bytes) -> bool:
    """Whether no character is cut."""
    try:
        decoded(raw)
    except UnicodeDecodeError:
        return False
    return True
