"""Whether a reply under a post would be seen and is welcome, as it looks at one moment."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class View(StrEnum):
    """What one look at a post and at its thread came to."""

    OPEN = "open"

    CLOSED = "closed"
    """A reply would be hidden or is not wanted: a block, a gate, a thread that has lost its root."""

    GONE = "gone"
    """The post is not there while its author is; one look cannot tell a deletion from a delay."""

    AWAY = "away"
    """The author's account is not there; both may come back."""

    UNCLEAR = "unclear"
    """It could not be told."""


@dataclass(frozen=True)
class Outlook:
    """What a look came to, for anything but OPEN why, in words for people, and when to look again if that was told."""

    view: View
    reason: str = ""
    until: datetime | None = None
