"""Record keys of the AT Protocol: the TID, 53 bits of microseconds and 10 bits of clock id in base32-sortable."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import NamedTuple

from guardrails.documents import RecordKey

ALPHABET = "234567abcdefghijklmnopqrstuvwxyz"
_SHAPE = re.compile(rf"[234567abcdefghij][{ALPHABET}]{{12}}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_MICROS = 2**53
_MAX_CLOCK_ID = 2**10


class Tid(NamedTuple):
    """A record key taken apart: microseconds since 1970 and the clock id of who minted it."""

    micros: int
    clock_id: int

    @property
    def at(self) -> datetime:
        """The moment in the key, aware UTC; what parses reaches the year 2540."""
        return _EPOCH + timedelta(microseconds=self.micros)


def tid_from(micros: int, clock_id: int) -> RecordKey:
    """The 13 characters for a moment in microseconds and a clock id of 0 to 1023; ValueError outside those ranges.

    https://atproto.com/specs/tid
    """
    if not 0 <= micros < _MAX_MICROS or not 0 <= clock_id < _MAX_CLOCK_ID:
        raise ValueError("a TID takes 53 bits of microseconds and 10 bits of clock id")
    number = micros << 10 | clock_id
    return RecordKey("".join(ALPHABET[number >> shift & 31] for shift in range(60, -1, -5)))


def tid_at(moment: datetime, clock_id: int = 0) -> RecordKey:
    """The record key for an aware moment; keys sort as their moments do."""
    return tid_from((moment - _EPOCH) // timedelta(microseconds=1), clock_id)


def is_tid(key: str) -> bool:
    """Whether a record key is a TID."""
    return _SHAPE.fullmatch(key) is not None


def parse_tid(key: str) -> Tid:
    """Read a TID; ValueError for anything that the AT Protocol would refuse as one."""
    if not is_tid(key):
        raise ValueError("not a TID")
    number = 0
    for character in key:
        number = number << 5 | ALPHABET.index(character)
    return Tid(number >> 10, number & 1023)


class TidClock:
    """Mints record keys that rise strictly, also when the clock behind it stands still or steps back."""

    def __init__(self, now: Callable[[], datetime], clock_id: int) -> None:
        self._now = now
        self._clock_id = clock_id
        self._last = -1
        self._lock = Lock()

    def mint(self) -> RecordKey:
        """The next record key, greater than every one before it."""
        with self._lock:
            micros = (self._now() - _EPOCH) // timedelta(microseconds=1)
            self._last = max(micros, self._last + 1)
            return tid_from(self._last, self._clock_id)
