"""What counts as a picture."""

import pytest

from guardrails.pictures import picture_type


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe0....", "image/jpeg"),
        (b"\x89PNG\n", None),
        (b"GIF89a", None),
        (b"<svg/>", None),
        (b"", None),
    ],
)
def test_a_picture_is_known_by_how_it_begins(content: bytes, expected: str | None) -> None:
    """Not by what somebody calls it."""
    assert expected == picture_type(content)
