"""What a check says: one of five outcomes, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from guardrails.transitions import Reason


class Outcome(StrEnum):
    """What a check says. Only pass, skip and hold decide; wait and unknown leave the document in received."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    SKIP = "skip"
    HOLD = "hold"
    WAIT = "wait"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Said:
    """The answer of one check, before it is dated."""

    outcome: Outcome
    reason: Reason | None = None
    detail: str = ""
    until: datetime | None = None


PASS = Said(Outcome.PASS)


def skip(reason: Reason, detail: str) -> Said:
    """Not to be built."""
    return Said(Outcome.SKIP, reason, detail)


def hold(reason: Reason, detail: str) -> Said:
    """For a person to decide."""
    return Said(Outcome.HOLD, reason, detail)


def wait(reason: Reason, detail: str, until: datetime) -> Said:
    """Not before `until`, when a cap begins anew."""
    return Said(Outcome.WAIT, reason, detail, until)


def unknown(detail: str, until: datetime | None = None) -> Said:
    """It cannot be told now: asked again later, or when somebody has said that it may be."""
    return Said(Outcome.UNKNOWN, None, detail, until)


def first(found: Iterable[Said]) -> Said:
    """What several questions of one check come to: the first skip, else the first unknown, else the first hold."""
    everything = tuple(found)
    for outcome in (Outcome.SKIP, Outcome.UNKNOWN, Outcome.HOLD):
        for said in everything:
            if said.outcome is outcome:
                return said
    return PASS
