"""How long one round goes on asking a server that does not answer."""

from collections.abc import Callable

from bot.bluesky.errors import CallFailed, Failure

# Whoever is asked next will say the same.
_SAID_TO_ALL = {Failure.RATE_LIMITED, Failure.AUTH}
# Questions without an answer in one round, each of which may have taken a call's whole deadline.
_MOST_FAILURES = 3


class Patience:
    """Over once the server wants to hear no more in this round, or does not answer; a refusal is an answer.

    Or once the round itself is `over`.
    """

    def __init__(self, over: Callable[[], bool]) -> None:
        self._over = over
        self._failures = 0
        self._has_heard = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be asked."""
        return self._has_heard or self._failures >= _MOST_FAILURES or self._over()

    def note(self, failed: CallFailed) -> None:
        """Count a call that failed."""
        self._failures += failed.failure is not Failure.REFUSED
        self._has_heard = self._has_heard or failed.failure in _SAID_TO_ALL
