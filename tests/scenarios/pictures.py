"""Screenshots as a lane might send them."""

import io
import random

from PIL import Image, ImageDraw


def screenshot(size: tuple[int, int] = (1280, 800)) -> bytes:
    """A PNG of a page with a few shapes on it."""
    image = Image.new("RGB", size, "#f4efe6")
    draw = ImageDraw.Draw(image)
    draw.ellipse((size[0] // 3, size[1] // 4, size[0] // 2, size[1] // 2), fill="#c8412b")
    draw.rectangle((40, 40, size[0] - 40, 120), outline="#222222", width=4)
    return _png(image)


def noisy_screenshot() -> bytes:
    """A PNG of about 1.8 MB, which no encoder makes much smaller."""
    side = 780
    return _png(Image.frombytes("RGB", (side, side), random.Random(11).randbytes(3 * side * side)))


def _png(image: Image.Image) -> bytes:
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()
