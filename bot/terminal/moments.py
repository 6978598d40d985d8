"""Durations and moments as people type them."""

import re
from datetime import datetime, timedelta

import typer

_DURATION = re.compile(r"(\d{1,6})\s*(s|m|h|d)")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def duration(text: str) -> timedelta:
    """`90s`, `10m`, `6h` or `2d`; typer.BadParameter for anything else."""
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise typer.BadParameter(f"{text!r} is no duration: write 90s, 10m, 6h or 2d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def ago(at: datetime, now: datetime) -> str:
    """How long before now a moment was, in its largest unit: `12s`, `5m`, `3h`, `2d`."""
    seconds = max(int((now - at).total_seconds()), 0)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
