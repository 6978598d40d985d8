"""What a call to the network can come back with, in the five classes that the jobs act on."""

from datetime import datetime
from enum import StrEnum


class Failure(StrEnum):
    """Why a call failed, by what is to be done next."""

    UNKNOWN = "unknown"
    """A write may have happened: read it back before anything else."""

    NOT_SENT = "not-sent"
    """Nothing happened and it may pass: ask again later."""

    REFUSED = "refused"
    """The request itself is wrong: the same request will be refused again."""

    AUTH = "auth"
    """The account or its session is not accepted: a person has to look."""

    RATE_LIMITED = "rate-limited"
    """Nothing happened: ask again at `retry_at`."""


class CallFailed(Exception):
    """A call to the network failed; `error` is the XRPC error name, when the server gave one.

    The text never holds a password or a token, and what the server said is cut short.
    """

    def __init__(
        self,
        failure: Failure,
        message: str,
        *,
        status: int | None = None,
        error: str | None = None,
        retry_at: datetime | None = None,
    ) -> None:
        super().__init__()
        self.failure = failure
        self.status = status
        self.error = error
        self.message = message
        self.retry_at = retry_at

    def hide(self, secret: str) -> None:
        """Take a secret out of what the server said, should it have echoed it."""
        self.message = self.message.replace(secret, "[hidden]")
        self.error = self.error and self.error.replace(secret, "[hidden]")

    def __str__(self) -> str:
        what = " ".join(str(part) for part in (self.status, self.error) if part is not None)
        return f"{self.failure.value}: {what}: {self.message}" if what else f"{self.failure.value}: {self.message}"


class NotAPost(ValueError):
    """The text does not name a post that can be found."""


class SessionConflict(Exception):
    """Somebody else stored a newer session: load it instead of overwriting it."""
