"""Waits until something holds, by asking again and again, and gives up at a deadline."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

SECONDS = 30.0
_PAUSE = 0.02


def until(condition: Callable[[], T | None], seconds: float = SECONDS, told: Callable[[], str] = lambda: "") -> T:
    """The first answer of `condition` that counts as true; AssertionError with what `told` says after `seconds`."""
    ends = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > ends:
            raise AssertionError(f"waited {seconds:g} seconds in vain. {told()}")
        threading.Event().wait(_PAUSE)
