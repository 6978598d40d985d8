"""From any bytes to the small picture of a card, or to none."""

import io
import random
import struct
import zlib
from typing import Any

import pytest
from PIL import Image
from structlog.testing import capture_logs

from bot.bluesky.thumbs import HEIGHT, WIDTH, thumbnail

Size = tuple[int, int]


def picture(size: Size = (400, 300), mode: str = "RGB", colour: Any = "red", form: str = "PNG", **save: Any) -> bytes:
    written = io.BytesIO()
    Image.new(mode, size, colour).save(written, form, **save)
    return written.getvalue()


def noise(size: Size) -> bytes:
    """The picture that compresses worst."""
    image = Image.frombytes("RGB", size, random.Random(7).randbytes(3 * size[0] * size[1]))
    written = io.BytesIO()
    image.save(written, "PNG", compress_level=1)
    return written.getvalue()


def opened(data: bytes | None) -> Image.Image:
    assert data is not None
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def bomb(width: int, height: int) -> bytes:
    """A small file that claims to be a huge picture."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(10_000))) + chunk(b"IEND", b"")


def frames(form: str) -> bytes:
    written = io.BytesIO()
    first, second = (Image.new("RGB", (20, 20), colour) for colour in ("red", "blue"))
    first.save(written, form, save_all=True, append_images=[second])
    return written.getvalue()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_picture_becomes_a_jpeg(form: str) -> None:
    """Whatever it was."""
    made = opened(thumbnail(picture(form=form)))

    assert ("JPEG", "RGB", (400, 300)) == (made.format, made.mode, made.size)


@pytest.mark.parametrize(
    ("size", "expected"),
    [((2400, 1260), (1200, 630)), ((1280, 800), (1008, 630)), ((3000, 300), (1200, 120)), ((20, 4000), (3, 630))],
)
def test_a_large_picture_is_made_to_fit(size: Size, expected: Size) -> None:
    """Its shape is kept; a small one is not blown up."""
    assert expected == opened(thumbnail(picture(size))).size


@pytest.mark.parametrize("size", [(1300, 800), (WIDTH, HEIGHT)])
def test_a_screenshot_past_the_limit_ends_below_it(size: Size) -> None:
    """1.84 MB and more of what compresses worst."""
    data = noise(size)
    made = thumbnail(data)

    assert len(data) > 1_840_000
    assert made is not None
    assert len(made) < 950_000
    assert opened(made).size <= (WIDTH, HEIGHT)


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_what_is_transparent_shines_white(mode: str) -> None:
    """JPEG would make it black."""
    clear = (0, 0, 0, 0) if mode == "RGBA" else (0, 0)

    assert (255, 255, 255) == opened(thumbnail(picture(mode=mode, colour=clear))).getpixel((5, 5))


@pytest.mark.parametrize(
    ("mode", "form"), [("1", "PNG"), ("L", "PNG"), ("P", "GIF"), ("I;16", "PNG"), ("CMYK", "JPEG")]
)
def test_any_kind_of_colour_is_taken(mode: str, form: str) -> None:
    """What a tool may have written."""
    assert "RGB" == opened(thumbnail(picture(mode=mode, colour=0, form=form))).mode


def test_a_picture_is_turned_as_its_camera_says_and_says_no_more() -> None:
    """Where it was taken is nobody's business."""
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "a camera"
    made = opened(thumbnail(picture(form="JPEG", exif=exif)))

    assert (300, 400) == made.size
    assert not made.getexif()


def test_the_same_picture_gives_the_same_bytes() -> None:
    """So its name is the same too."""
    assert thumbnail(picture()) == thumbnail(picture())


REFUSED = {
    "nothing": b"",
    "text": b"<html>not found</html>",
    "an SVG": b'<svg xmlns="http://www.w3.org/2000/svg"/>',
    "a kind that is not taken": picture(form="BMP"),
    "cut short": picture((300, 300), form="JPEG", colour="blue")[:-400],
    "a broken PNG": picture()[:60] + bytes(20) + picture()[80:],
    "a PNG of no rows": bomb(900, 900),
    "too many pixels": picture((6000, 5000), mode="1", colour=0),
    "a small bomb": bomb(10_000, 10_000),
    "a bomb": bomb(60_000, 60_000),
    "an animated GIF": frames("GIF"),
    "an animated PNG": frames("PNG"),
    "an animated WEBP": frames("WEBP"),
    "too many bytes": picture() + bytes(20_000_000),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_fit_picture_is_refused(what: str) -> None:
    """With a line in the log, and no error."""
    with capture_logs() as logged:
        made = thumbnail(REFUSED[what])

    assert None is made
    assert [("thumb_refused", "warning")] == [(line["event"], line["log_level"]) for line in logged]
