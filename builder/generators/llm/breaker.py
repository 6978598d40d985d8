"""What is known over all builds: providers that are overloaded are left alone for a while, and who has answered."""

from threading import Lock


class Breaker:
    """Opens after so many overloads in a row, for a while; from then on one more overload opens it again.

    Safe to use from any thread. `now` is a steady clock's reading in seconds.
    """

    def __init__(self, after: int, seconds: float) -> None:
        self._after = after
        self._seconds = seconds
        self._lock = Lock()
        self._in_a_row = 0
        self._closes_at: float | None = None
        self._answered: set[str] = set()

    def seconds_left(self, now: float) -> float:
        """How long no call may be made; zero when one may."""
        with self._lock:
            return 0.0 if self._closes_at is None else max(self._closes_at - now, 0.0)

    def overloaded(self, now: float) -> None:
        """A call met an overload, or no answer at all."""
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row >= self._after:
                self._closes_at = now + self._seconds

    def answered(self, provider: str) -> None:
        """A call was answered by this provider, whatever the answer says."""
        with self._lock:
            self._answered.add(provider)
            self._in_a_row = 0
            self._closes_at = None

    def has_answered(self, provider: str) -> bool:
        """Whether this provider has ever answered, so that its key was good then."""
        with self._lock:
            return provider in self._answered
