"""How the bot is now, as operators see it."""

from dataclasses import dataclass, field
from datetime import datetime

from bot.ledger.conditions import Condition
from bot.ledger.lanes import AtWork, Visits, Waiting
from bot.ledger.views import Device
from guardrails.switches import Switch
from guardrails.transitions import Status


@dataclass(frozen=True)
class Counted:
    """How many; counted up to a limit only, where `more` says that there are more."""

    n: int
    more: bool = False


@dataclass(frozen=True)
class Pile:
    """Work that wants a person: how much of it (`more`: there is more than was counted), since when the oldest waits.

    `name` is one of `piles.NAMES`; `command` is what shows or settles it in a terminal.
    """

    name: str
    n: int
    oldest: datetime | None
    told: str
    command: str
    more: bool = False

    @property
    def how_many(self) -> str:
        """The number for people, with a plus where there are more than were counted."""
        return f"{self.n:,}{'+' if self.more else ''}"


@dataclass(frozen=True)
class Budget:
    """What is used of what may be used until a moment: writes in points, logins in tries, money in micro-USD."""

    name: str
    used: int
    of: int
    until: datetime


@dataclass(frozen=True)
class SwitchedOn:
    """A switch that is on: who turned it on, why and since when."""

    switch: Switch
    device: str
    why: str
    since: datetime


@dataclass(frozen=True)
class Channel:
    """The alert channel: whether there is one, when it last took a message, and since when and why it takes none."""

    is_set: bool = False
    taken_at: datetime | None = None
    failing: Condition | None = None


@dataclass(frozen=True)
class Retained:
    """When all that is kept for a time only was last looked at, and how much of what went within so many days."""

    seen_to_at: datetime | None = None
    days: int = 7
    went: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Rounds:
    """Which of several bots on one ledger does the rounds, and since when; None while none does.

    `here`: it is the one that was asked.
    """

    holder: str | None
    since: datetime | None
    here: bool = False


@dataclass(frozen=True)
class Overview:
    """How the bot is now. `oldest` is the making of the oldest open document of each open status that has any.

    `rounds` is None where a ledger has one bot.
    """

    at: datetime
    last_move: int
    counts: dict[Status, Counted]
    oldest: dict[Status, datetime]
    piles: tuple[Pile, ...]
    conditions: tuple[Condition, ...]
    lanes: tuple[Device, ...]
    at_work: tuple[AtWork, ...]
    waiting: Waiting | None
    visits: Visits
    budgets: tuple[Budget, ...]
    switches: tuple[SwitchedOn, ...]
    channel: Channel = Channel()
    rounds: Rounds | None = None
    retention: Retained = Retained()
