"""What may be removed of an ask that is over, by its status and age, and what holds it back."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType

from guardrails.documents import Kind
from guardrails.transitions import Status, is_terminal

LEAST_HISTORY = timedelta(days=7)
"""So long a history stays in any case: as long as the post of an answer is looked at."""


class Part(StrEnum):
    """What goes by itself, the smallest part first; whoever's history goes has nothing else left."""

    LOGS = "logs"
    """The tail of each build's log, and what its checks have reported."""
    POSTS = "posts"
    """What somebody wrote, what it was about, and what was known of its author."""
    HISTORY = "histories"
    """The whole document with its moves and attempts. Its id, its send keys and its day's counts stay for ever."""


class Hold(StrEnum):
    """Why a part of an ask that is over stays all the same, however old it is."""

    UNSETTLED = "a send of it is under way, unknown or in conflict, or may still land"
    UNSAID = "something is still to be said about it, or liked"
    TO_TAKE_BACK = "it was taken back, and our reply is still there"
    OPEN_APP = "anybody may open its app, and whoever answers for that has to see whence it came"
    TAKEN_DOWN = "it was taken down: what is asked next is compared with it"
    JOINED = "others have joined it, and go first"
    LINKED = "our link under it leads to the app of the ask that it joined, and is taken back with that"


HELD_BACK: Mapping[Part, frozenset[Hold]] = MappingProxyType(
    {
        Part.LOGS: frozenset(),
        Part.POSTS: frozenset({Hold.UNSETTLED, Hold.UNSAID, Hold.TO_TAKE_BACK, Hold.TAKEN_DOWN}),
        Part.HISTORY: frozenset(Hold),
    }
)
"""What holds each part back. Nothing goes of an ask that is open, so neither does one whose reply is held."""


@dataclass(frozen=True)
class Keep:
    """How long each part is kept after an ask has ended; None for ever.

    `skipped` is for the history of what was skipped, which is most of what comes; None where it is kept as others are.
    """

    logs: timedelta | None = None
    posts: timedelta | None = None
    history: timedelta | None = None
    skipped: timedelta | None = None

    @property
    def shortest(self) -> timedelta | None:
        """After how long the first part of anything may go; None where all is kept."""
        kept = (self.logs, self.posts, self.history, self.skipped)
        return min((each for each in kept if each is not None), default=None)

    def of(self, part: Part, status: Status) -> timedelta | None:
        """How long a part is kept of what has ended in a status; None for ever."""
        match part:
            case Part.LOGS:
                return self.logs
            case Part.POSTS:
                return self.posts
            case Part.HISTORY:
                kept = self.skipped if status is Status.SKIPPED and self.skipped is not None else self.history
                return None if kept is None else max(kept, LEAST_HISTORY)


def may_go(kind: Kind, status: Status, age: timedelta, holds: frozenset[Hold], keep: Keep) -> frozenset[Part]:
    """The parts that may be removed of a document; its age counts from its last move to a terminal status."""
    if not is_terminal(kind, status):
        return frozenset()
    return frozenset(
        part
        for part in Part
        if (kept := keep.of(part, status)) is not None and age >= kept and not holds & HELD_BACK[part]
    )
