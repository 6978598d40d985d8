"""How long one round goes on asking a server that does not answer."""

from bot.bluesky.errors import CallFailed, Failure

# Whoever is asked next will say the same.
_SAID_TO_ALL = {Failure.RATE_LIMITED, Failure.AUTH}
# Questions without an answer in one round, each of which may have taken a call's whole deadline.
_MOST_FAILURES = 3


class Patience:
    """Over once the server wants to hear no more in this round, or does not answer; a refusal is an answer."""

    def __init__(self) -> None:
        self._failures = 0
        self.is_over = False

    def note(self, failed: CallFailed) -> None:
        """Count a call that failed."""
        self._failures += failed.failure is not Failure.REFUSED
        self.is_over = self.is_over or failed.failure in _SAID_TO_ALL or self._failures >= _MOST_FAILURES
