"""What is seen in a picture, and how what is seen is written down."""

import io
from collections.abc import Callable

import pytest
from PIL import Image

from builder.checks.notes import Notes
from builder.checks.pixels import is_painted
from guardrails.wire import CheckReport


def png(paint: Callable[[Image.Image], object] = lambda _: None, mode: str = "RGB", ground: str = "#fefefe") -> bytes:
    picture = Image.new(mode, (64, 48), ground)
    paint(picture)
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
@pytest.mark.parametrize("ground", ["white", "black", "#123456"])
def test_one_flat_colour_is_nothing(mode: str, ground: str) -> None:
    """Whatever the colour."""
    assert not is_painted(png(mode=mode, ground=ground))


@pytest.mark.parametrize(
    "paint",
    [
        lambda picture: picture.putpixel((0, 0), (0, 0, 0)),
        lambda picture: picture.putpixel((63, 47), (0, 0, 0)),
        lambda picture: picture.paste((0, 0, 0), (20, 0, 21, 48)),
        lambda picture: picture.paste((0, 0, 0), (0, 20, 64, 48)),
        lambda picture: picture.paste((250, 254, 254), (0, 0, 64, 1)),
    ],
    ids=["first pixel", "last pixel", "a column", "the lower half", "the first line"],
)
def test_anything_else_is_painted(paint: Callable[[Image.Image], object]) -> None:
    """A single point is enough, and a line that goes all the way down."""
    assert is_painted(png(paint))


@pytest.mark.parametrize("content", [b"", b"GIF89a", png(mode="L", ground="white")])
def test_what_is_no_picture_of_ours_is_refused(content: bytes) -> None:
    """Rather than taken for blank."""
    with pytest.raises(ValueError, match="not"):
        is_painted(content)


def test_notes_are_said_once_with_the_device_where_it_is_not_all_of_them() -> None:
    """In the order in which they came."""
    notes = Notes()
    notes.finding("everywhere", "phone")
    notes.finding("here", "phone")
    notes.finding("everywhere", "desktop")
    notes.warning("of the app")

    assert ("everywhere", "here (phone)") == notes.findings(2)
    assert ("of the app",) == notes.warnings(2)


def test_whatever_a_page_says_can_be_reported() -> None:
    """Half a surrogate pair, a NUL, a line's end, a megabyte, ten thousand of them."""
    notes = Notes()
    notes.finding("a\ud800b\x00c\nd" + "e" * 1_000_000)
    for number in range(10_000):
        notes.finding(f"error {number}")

    report = CheckReport(check="x", passed=False, findings=notes.findings(2))

    assert 40 == len(report.findings)
    assert max(map(len, report.findings)) <= 300
