"""What happened over time, stretch by stretch."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from guardrails.transitions import Reason


class Every(StrEnum):
    """How long the stretches of time are that figures are told for; they begin with the hour or the day, in UTC."""

    HOUR = "hour"
    DAY = "day"


@dataclass(frozen=True)
class Spread:
    """How long something took, in seconds: of so many, half took no longer than `p50`, nineteen of twenty than `p95`.

    None for none.
    """

    n: int = 0
    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True)
class Stretch:
    """What happened in one hour or day, beginning with `at`.

    `mentions` came in, `first_try`, `repaired` and `failed` are builds that ended: at once, after a repair or another
    attempt, or without an app; `replies` went out. Times count where they ended: from the coming of an ask, or from
    when it was to be judged anew, until it was let through or held; from then until it was built; from its coming until
    it was answered.
    """

    at: datetime
    mentions: int
    first_try: int
    repaired: int
    failed: int
    replies: int
    to_acknowledge: Spread
    to_build: Spread
    to_reply: Spread
    cost_micros: int


@dataclass(frozen=True)
class Skipped:
    """How often asks were skipped for a reason."""

    reason: Reason
    n: int


@dataclass(frozen=True)
class Figures:
    """What happened between two moments: stretch by stretch without a gap, in all, and why asks were skipped.

    The most frequent reason comes first. `more` says that so much happened that only the latest part is counted. Of
    days before `counted_until` some histories were removed: they are counted as before, but by the hour at their day's
    first one, and how long they took is not told.
    """

    since: datetime
    until: datetime
    every: Every
    stretches: tuple[Stretch, ...]
    in_all: Stretch
    skips: tuple[Skipped, ...]
    more: bool = False
    counted_until: datetime | None = None
