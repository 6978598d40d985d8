"""Times as people claim them, and as the network writes them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.sandbox.times import claimed_time, is_record_time, iso


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-11-29T11:40:18.926Z", "2026-11-29T11:40:18.926Z"),
        ("2026-11-29T11:40:18Z", "2026-11-29T11:40:18.000Z"),
        ("2026-11-29T11:40:18.9269999+02:00", "2026-11-29T09:40:18.926Z"),
        ("2026-11-29T11:40:18.1-05:30", "2026-11-29T17:10:18.100Z"),
        ("2026-02-30T00:00:00Z", "2026-03-02T00:00:00.000Z"),
        ("0000-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59.999Z"),
        ("2026-13-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
        ("yesterday", "1970-01-01T00:00:00.000Z"),
        (None, "1970-01-01T00:00:00.000Z"),
    ],
)
def test_every_claimed_time_is_some_moment(text: object, read: str) -> None:
    """Whatever a record says, the index finds a place for it."""
    assert read == iso(claimed_time(text))


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("2026-11-29T11:00:00Z", True),
        ("2026-11-29T11:00:00.123456789+00:00", True),
        ("2026-02-30T11:00:00Z", True),
        ("2026-11-29T11:00:00", False),
        ("2026-11-29T11:00:00-00:00", False),
        ("2026-11-29 11:00:00Z", False),
        ("2026-11-29t11:00:00z", False),
        ("2026-11-29", False),
        ("1795952992", False),
        ("2026-13-01T11:00:00Z", False),
        ("2026-11-32T11:00:00Z", False),
        ("2026-11-29T24:00:00Z", False),
    ],
)
def test_a_record_may_carry_only_times_with_a_zone(text: str, allowed: bool) -> None:
    """As the reference PDS decides."""
    assert allowed is is_record_time(text)


def test_milliseconds_are_cut_and_zones_turned_to_utc() -> None:
    """Never rounded up into the next millisecond."""
    east = timezone(timedelta(hours=3))

    assert "2026-11-29T08:00:00.999Z" == iso(datetime(2026, 11, 29, 11, 0, 0, 999_999, tzinfo=east))
    assert "2026-11-29T11:00:00.000Z" == iso(datetime(2026, 11, 29, 11, tzinfo=UTC))
