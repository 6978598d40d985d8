"""Slows down who brings wrong tokens: so many at once, then one more each few seconds, counted per address."""

import threading
from collections.abc import Callable

AT_ONCE = 10
SECONDS_EACH = 6.0
_MOST_KNOWN = 1_000


class Patience:
    """How much is left of it with whom, in this process. Thread-safe.

    Nobody can guess a token; this keeps a guesser from loading ledger and log. Links still let in who is refused.
    """

    def __init__(self, steady: Callable[[], float]) -> None:
        self._steady = steady
        self._spent: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def left(self, address: str) -> bool:
        """Whether an address may try again now."""
        with self._lock:
            return self._now(address) < AT_ONCE

    def wronged(self, address: str) -> None:
        """Note that an address brought a wrong token."""
        with self._lock:
            spent = self._now(address) + 1
            if len(self._spent) >= _MOST_KNOWN:
                self._spent.clear()
            self._spent[address] = (min(spent, AT_ONCE), self._steady())

    def _now(self, address: str) -> float:
        spent, at = self._spent.get(address, (0.0, 0.0))
        return max(spent - (self._steady() - at) / SECONDS_EACH, 0.0)
