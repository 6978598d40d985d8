"""Notices that the time of day was set, or that the machine has slept: what waits for a moment would wait too long."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

# What a look itself may take, and what a clock that is kept by slowing it down drifts by between two of them.
SMALL = timedelta(seconds=1)
NONE = timedelta()
log = structlog.get_logger()


def since_boot() -> float:
    """Seconds since the machine was started, those in which it slept included; where no such clock is, without them."""
    # On other systems than Linux a sleep is told as a clock that was set.
    clock: int | None = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(clock) if clock is not None else time.monotonic()


@dataclass(frozen=True)
class Jump:
    """By how much the time of day went on without us: while the machine slept, and forwards or back by being set."""

    slept: timedelta
    was_set: timedelta

    @property
    def by(self) -> timedelta:
        """Both together."""
        return self.slept + self.was_set


class Jumps:
    """Compares the time of day with a clock that is steady while the machine is awake, and one that never stops."""

    def __init__(
        self,
        now: Callable[[], datetime],
        steady: Callable[[], float] = time.monotonic,
        unresting: Callable[[], float] = since_boot,
    ) -> None:
        self._now = now
        self._steady = steady
        self._unresting = unresting
        self._slept, self._zero = self._asleep(), self._beginning()

    def look(self) -> Jump | None:
        """What the time of day has jumped by since the last look; None where it has not."""
        asleep, zero = self._asleep(), self._beginning()
        slept, by = asleep - self._slept, zero - self._zero
        self._slept, self._zero = asleep, zero
        jump = Jump(_counted(slept), _counted(by - slept))
        return jump if jump.slept or jump.was_set else None

    def _asleep(self) -> timedelta:
        """How long the machine has slept, all in all."""
        return timedelta(seconds=self._unresting() - self._steady())

    def _beginning(self) -> datetime:
        """When the steady clock stood at nought, by the time of day: always then, but for a jump."""
        return self._now() - timedelta(seconds=self._steady())


def look_for_jumps(jumps: Jumps, jumped: Callable[[timedelta], None]) -> Callable[[], bool]:
    """A look that says of each jump by how much; only of a clock that was set is an operator warned."""

    def look() -> bool:
        jump = jumps.look()
        if jump is not None:
            if jump.slept:
                log.info("machine_slept", seconds=round(jump.slept.total_seconds(), 1))
            if jump.was_set:
                seconds = round(jump.was_set.total_seconds(), 1)
                log.warning("clock_jumped", seconds=seconds, mend="let it keep time (NTP)")
            jumped(jump.by)
        return True

    return look


def _counted(by: timedelta) -> timedelta:
    return by if abs(by) > SMALL else NONE
