"""Durations and moments as people type them."""

import re
from datetime import UTC, datetime, timedelta

import typer

_DURATION = re.compile(r"(\d{1,6})\s*(s|m|h|d)")
_LONGEST = timedelta(days=36_500)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def duration(text: str) -> timedelta:
    """`90s`, `10m`, `6h` or `2d`; typer.BadParameter for anything else."""
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise typer.BadParameter(f"{text!r} is no duration: write 90s, 10m, 6h or 2d")
    found = timedelta(**{_UNITS[match[2]]: int(match[1])})
    if found > _LONGEST:
        raise typer.BadParameter(f"{text!r}: {_LONGEST.days}d at most")
    return found


def moment_ahead(text: str, now: datetime) -> datetime:
    """`7d` from now on, or a date or a time as ISO 8601 has it, in UTC unless it says otherwise.

    typer.BadParameter for anything else, and for what is past.
    """
    try:
        at = now + duration(text)
    except typer.BadParameter:
        at = _moment(text.strip())
    if at <= now:
        raise typer.BadParameter(f"{text!r} is past: it is {now:%Y-%m-%d %H:%M} UTC")
    return at


def moment_back(text: str, now: datetime) -> datetime:
    """So long before now, or a date or a time as ISO 8601 has it; typer.BadParameter for anything else."""
    try:
        return now - duration(text)
    except typer.BadParameter:
        return _moment(text.strip())


def _moment(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
        return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"{text!r}: write 6h or 2d, or 2027-01-31, or 2027-01-31T12:00Z") from None


def ago(at: datetime, now: datetime) -> str:
    """How long before now a moment was, in its largest unit: `12s`, `5m`, `3h`, `2d`."""
    seconds = max(int((now - at).total_seconds()), 0)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
