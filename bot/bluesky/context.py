"""What a post says to somebody who was told to look at it: its words, what its pictures show, its link card."""

from collections.abc import Iterator, Mapping

from bot.bluesky.sight import Seen, Sight
from guardrails.documents import AtUri, Context, StrongRef, split_at_uri
from guardrails.text import clean, clip

# A card has no greatest length, nor has the description of a picture.
MOST_ALTS = 4
ALT_GRAPHEMES = 1000
CARD_GRAPHEMES = 500
TEXT_GRAPHEMES = 3000
_BYTES_EACH = 10


def context_from(uri: AtUri, sight: Sight, *, quoted: bool) -> Context | None:
    """What a look at a post found it to say, cleaned and cut; None when the post is not visible."""
    if sight.kind is not Seen.VISIBLE or sight.record is None or sight.cid is None:
        return None
    media = tuple(_media(sight.record.get("embed")))
    alts = (clean(alt) for part in media for alt in _alts(part))
    return Context(
        post=StrongRef(uri=uri, cid=sight.cid),
        author_did=split_at_uri(uri).did,
        author_handle=sight.author_handle or "",
        quoted=quoted,
        text=_cut(clean(_text(sight.record, "text")), TEXT_GRAPHEMES),
        alts=tuple(_cut(alt, ALT_GRAPHEMES) for alt in alts if alt)[:MOST_ALTS],
        card=_cut(" – ".join(told for part in media for told in _card(part)), CARD_GRAPHEMES),
    )


def _media(embed: object) -> Iterator[Mapping[str, object]]:
    """What a post shows: alone, or beside a quoted post."""
    match embed:
        case {"media": dict(media)}:
            yield media
        case dict():
            yield embed


def _alts(media: Mapping[str, object]) -> Iterator[str]:
    match media:
        case {"images": list(images)}:
            yield from (
                image["alt"] for image in images if isinstance(image, dict) and isinstance(image.get("alt"), str)
            )
        case {"alt": str(alt)}:
            yield alt


def _card(media: Mapping[str, object]) -> Iterator[str]:
    match media:
        case {"external": dict(external)}:
            told = (clean(_text(external, key)) for key in ("title", "description", "uri"))
            yield from (part for part in told if part)


def _text(found: Mapping[str, object], key: str) -> str:
    value = found.get(key)
    return value if isinstance(value, str) else ""


def _cut(text: str, most: int) -> str:
    return clip(text, most, _BYTES_EACH * most)
