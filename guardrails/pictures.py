"""What a lane's screenshot may be: the same rule for the lane before it is sent and for the bot after it."""

SCREENSHOT_BYTES = 2_000_000

_BEGINNINGS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


def picture_type(content: bytes) -> str | None:
    """The media type of a PNG or a JPEG by its first bytes, None for anything else; whether it is whole is not seen."""
    return next((mime for beginning, mime in _BEGINNINGS.items() if content.startswith(beginning)), None)
