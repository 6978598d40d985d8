"""Calls that are begun at the same moment, in threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each call gave or raised, all begun at the same moment."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        barrier.wait(20)
        try:
            return call()
        except Exception as raised:
            return raised

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
