"""What becomes of a call to somebody else's service."""

import re
from dataclasses import dataclass
from datetime import timedelta

LONGEST_RETRY_AFTER = timedelta(hours=1)
_SECONDS = re.compile(r"\d{1,100}(\.\d*)?", re.ASCII)


@dataclass(frozen=True)
class Failed:
    """A call that was refused, or of which nothing is known; `after` is how long the service wants to be left alone."""

    detail: str
    after: timedelta | None = None


def retry_after(seconds: str) -> timedelta | None:
    """What a Retry-After header asks for, an hour at most; None where it names no seconds."""
    found = _SECONDS.fullmatch(seconds.strip())
    return timedelta(seconds=min(float(found[0]), LONGEST_RETRY_AFTER.total_seconds())) if found is not None else None
