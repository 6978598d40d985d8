"""Any picture made into the small JPEG of a link card, or refused."""

import io

import structlog
from PIL import Image, ImageOps

from guardrails.text import visible

WIDTH, HEIGHT = 1200, 630
# Below the 1,000,000 that a card's thumb may have, should the limit be counted differently elsewhere.
LARGEST_THUMB = 950_000
THUMB_MIME = "image/jpeg"

_LARGEST_FILE = 20_000_000
# A page of 1280 pixels may be 19000 long.
_MOST_PIXELS = 25_000_000
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
_QUALITIES = (88, 80, 70, 60, 45, 30)

log = structlog.get_logger()


class _Unfit(ValueError):
    """A picture that is not worth, or not safe, to be decoded."""


def thumbnail(data: bytes) -> bytes | None:
    """The picture as a JPEG within 1200 x 630 and below 950,000 bytes, without its metadata; None when it cannot be.

    None, with the reason in the log, for what is no picture, broken, animated or huge. The bytes may differ between
    versions of the encoder: keep what was frozen.
    """
    try:
        return _encoded(_opened(data))
    except Exception as problem:  # a decoder fails on hostile bytes in ways that it does not list
        log.warning("thumb_refused", bytes=len(data), problem=visible(f"{type(problem).__name__}: {problem}")[:200])
        return None


def _opened(data: bytes) -> Image.Image:
    if len(data) > _LARGEST_FILE:
        raise _Unfit("the file is too large")
    image = Image.open(io.BytesIO(data), formats=_FORMATS)
    # Known before anything is decoded.
    if image.width * image.height > _MOST_PIXELS:
        raise _Unfit(f"{image.width} x {image.height} pixels are too many")
    if getattr(image, "is_animated", False):
        raise _Unfit("it is animated")
    return image


def _encoded(image: Image.Image) -> bytes:
    small = _small(image)
    for quality in _QUALITIES:
        written = io.BytesIO()
        small.save(written, "JPEG", quality=quality, optimize=True, progressive=True)
        if written.tell() < LARGEST_THUMB:
            return written.getvalue()
    raise _Unfit("it stays too large")


def _small(image: Image.Image) -> Image.Image:
    """JPEG knows no transparency: what shines through is white."""
    image.draft("RGB", (WIDTH, HEIGHT))
    ImageOps.exif_transpose(image, in_place=True)
    clear = image.has_transparency_data
    small = image.convert("RGBA" if clear else "RGB")
    small.thumbnail((WIDTH, HEIGHT))
    if not clear:
        return small
    return Image.alpha_composite(Image.new("RGBA", small.size, "white"), small).convert("RGB")
