"""The numbers that the ledger works by."""

from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True)
class Budgets:
    """What a document is given: tries, and how long its steps may take."""

    failures: int = 3
    build_window: timedelta = timedelta(hours=24)
    approval_window: timedelta = timedelta(hours=72)


@dataclass(frozen=True)
class LanePolicy:
    """How claims work: how long one stands without a heartbeat, and the wait after a failure."""

    lease: timedelta = timedelta(minutes=2)
    retry_after: timedelta = timedelta(seconds=30)


@dataclass(frozen=True)
class Caps:
    """How much may be used in an hour and in a day, by the ledger's UTC clock."""

    per_hour: int
    per_day: int


@dataclass(frozen=True)
class LedgerPolicy:
    """All of them."""

    budgets: Budgets = field(default_factory=Budgets)
    lane: LanePolicy = field(default_factory=LanePolicy)
    try_lease: timedelta = timedelta(seconds=65)
    keep_apps: timedelta | None = None
    write_points: Caps = field(default_factory=lambda: Caps(per_hour=4500, per_day=31_500))
