"""The process clock, which tests shift; the ledger on PostgreSQL shifts the database's clock by the same amount."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class Clock:
    """Aware UTC time, `shift` away from the machine's."""

    shift: timedelta = timedelta()

    def __call__(self) -> datetime:
        """The present moment."""
        return datetime.now(UTC) + self.shift
