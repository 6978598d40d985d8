"""Looks at something again and again, in a thread of its own."""

import threading
from collections.abc import Callable


class Lookout:
    """Looks every so many seconds until it is stopped, or a look says that there is nothing more to look for."""

    def __init__(self, name: str, look: Callable[[], bool], every_seconds: float) -> None:
        self._look = look
        self._every = every_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._go_on, name=name, daemon=True)

    def start(self) -> None:
        """Look from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._stop.set()
        self._thread.join()

    def _go_on(self) -> None:
        while not self._stop.wait(self._every):
            if not self._look():
                return
