"""Moments as the network writes them, and as people's records claim them."""

import re
from datetime import UTC, datetime, timedelta

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)",
)
_FIRST = datetime(1, 1, 1, tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(moment: datetime) -> str:
    """The moment in UTC with milliseconds and a Z, cut and not rounded."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_millisecond(moment: datetime) -> datetime:
    """The moment as the index keeps it: in UTC, to the millisecond."""
    utc = moment.astimezone(UTC)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


def is_record_time(text: str) -> bool:
    """Whether a record may carry this text as a date and time; a day that no month has is allowed, no zone is not."""
    match = _ISO.fullmatch(text)
    if match is None or match[8] == "-00:00":
        return False
    month, day, hour, minute, second = (int(part) for part in match.groups()[1:6])
    return 1 <= month <= 12 and 1 <= day <= 31 and hour <= 23 and minute <= 59 and second <= 59


def claimed_time(text: object) -> datetime:
    """What the index makes of a claimed time: the 30th of February rolls over, and nonsense is 1970."""
    match = _ISO.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return _EPOCH
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    if year == 0 or not 1 <= month <= 12:
        return _FIRST if year == 0 else _EPOCH
    micros = int(f"{match[7] or '0':0<6}"[:6])
    since_month = timedelta(days=day - 1, hours=hour, minutes=minute, seconds=second, microseconds=micros)
    try:
        return to_millisecond(datetime(year, month, 1, tzinfo=UTC) + since_month - _offset(match[8]))
    except OverflowError:
        return _FIRST if year == 1 else to_millisecond(datetime.max.replace(tzinfo=UTC))


def _offset(zone: str) -> timedelta:
    if zone == "Z":
        return timedelta()
    size = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
    return -size if zone[0] == "-" else size
