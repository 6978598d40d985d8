"""Reads the pictures that are taken of a page: is anything painted on it."""

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SAMPLES = {2: 3, 6: 4}


def is_painted(png: bytes) -> bool:
    """Whether a picture shows more than one flat colour; ValueError when it is no PNG of 8-bit colours."""
    width, samples, raw = _read(png)
    line = width * samples + 1
    filtered = [raw[start : start + line] for start in range(0, len(raw), line)]
    # A line is stored as what differs from its neighbours: below the first, lines of one colour are alike.
    if len(set(filtered)) > 2:
        return True
    above = bytearray(line - 1)
    colours: set[bytes] = set()
    for stored in filtered[:2]:
        here = _unfiltered(stored[0], bytearray(stored[1:]), above, samples)
        colours.update(bytes(here[at : at + samples]) for at in range(0, len(here), samples))
        above = here
    return len(colours) > 1


def _read(png: bytes) -> tuple[int, int, bytes]:
    if not png.startswith(_SIGNATURE):
        raise ValueError("not a PNG")
    width, _, depth, colours = struct.unpack(">IIBB", png[16:26])
    if depth != 8 or colours not in _SAMPLES:
        raise ValueError("not 8-bit colours")
    packed, at = bytearray(), len(_SIGNATURE)
    while at + 8 <= len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        if kind == b"IDAT":
            packed += png[at + 8 : at + 8 + size]
        at += 12 + size
    return width, _SAMPLES[colours], zlib.decompress(packed)


def _unfiltered(kind: int, here: bytearray, above: bytearray, step: int) -> bytearray:
    """A line without its filter, as PNG's specification numbers them."""
    for at in range(len(here)):
        left = here[at - step] if at >= step else 0
        corner = above[at - step] if at >= step else 0
        here[at] = (here[at] + _guess(kind, left, above[at], corner)) & 0xFF
    return here


def _guess(kind: int, left: int, up: int, corner: int) -> int:
    rough = left + up - corner
    nearest = min((left, up, corner), key=lambda each: abs(rough - each))
    return (0, left, up, (left + up) // 2, nearest)[kind]
