"""Restarts the database in the midst of everything, at moments dealt from a seed."""

import random
import time

from tests.postgres import PostgresServer


class Restarts:
    """So many restarts in immediate mode, about `pace` seconds apart."""

    def __init__(self, seed: int, server: PostgresServer, number: int, pace: float) -> None:
        self._random = random.Random(f"{seed} restarts")
        self._server = server
        self._left, self._pace = number, pace
        self._next = time.monotonic() + self._pause()
        self.done = 0

    @property
    def is_done(self) -> bool:
        """Whether none is left."""
        return not self._left

    def look(self) -> None:
        """Restart it if it is time."""
        if self._left and time.monotonic() >= self._next:
            self._server.restart()
            self._left, self.done = self._left - 1, self.done + 1
            self._next = time.monotonic() + self._pause()

    def _pause(self) -> float:
        return self._pace * self._random.uniform(0.5, 1.5)
