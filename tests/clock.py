"""A clock that moves only when a test moves it."""

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class Clock:
    """Call it for the present, an aware UTC time; `advance` moves it, backwards as well."""

    def __init__(self, start: datetime = NOON) -> None:
        if start.tzinfo is None:
            raise ValueError("a clock needs an aware time")
        self._now = start.astimezone(UTC)

    def __call__(self) -> datetime:
        return self._now

    def advance(self, by: timedelta | float) -> datetime:
        """Move by a duration or a number of seconds; the new present."""
        self._now += by if isinstance(by, timedelta) else timedelta(seconds=by)
        return self._now
