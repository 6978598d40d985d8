from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.clock import NOON, Clock


def test_a_clock_moves_only_when_it_is_moved() -> None:
    """Two looks at it show the same time; seconds and durations move it."""
    clock = Clock()

    assert (NOON, NOON) == (clock(), clock())
    assert NOON + timedelta(seconds=90) == clock.advance(90)
    assert NOON + timedelta(seconds=30) == clock.advance(timedelta(minutes=-1)) == clock()


def test_a_clock_tells_utc_wherever_it_was_started() -> None:
    """Another zone's time is told as UTC."""
    clock = Clock(datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))))

    assert (datetime(2026, 1, 1, tzinfo=UTC), UTC) == (clock(), clock().tzinfo)


def test_a_clock_without_a_zone_is_refused() -> None:
    """A naive time names no moment."""
    with pytest.raises(ValueError, match="aware"):
        Clock(datetime(2026, 1, 1))  # noqa: DTZ001  # the naive time is the case
