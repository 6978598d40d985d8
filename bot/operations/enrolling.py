"""A device that is to be let in."""

from dataclasses import dataclass
from datetime import timedelta

from bot.ledger.enrolments import Place
from guardrails.access import Role


@dataclass(frozen=True)
class NewDevice:
    """A device to be enrolled, or invited; `place` says where a lane may publish and how long its leases are."""

    place: Place
    role: Role = Role.LANE
    lasts: timedelta | None = None
