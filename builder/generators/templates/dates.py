"""Reading a day and a time of day from an ask, in English, German and Spanish."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

When = Mapping[str, int]

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner enero",
            "february feb februar febrero",
            "march mar märz marzo",
            "april apr abril",
            "may mai mayo",
            "june jun juni junio",
            "july jul juli julio",
            "august aug agosto",
            "september sept sep septiembre",
            "october oct oktober okt octubre",
            "november nov noviembre",
            "december dec dezember dez diciembre",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_YEAR = r"(?:,?\s+(?:de\s+|of\s+)?(?P<year>2\d{3})\b(?!:))?"
_DAYS = (
    re.compile(r"\b(?P<year>2\d{3})-(?P<month>\d{1,2})-(?P<day>\d{1,2})\b"),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(?P<month>{_MONTH}){_YEAR}", re.IGNORECASE),
    re.compile(rf"\b(?P<month>{_MONTH})\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:){_YEAR}", re.IGNORECASE),
    re.compile(r"\b(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>2\d{3})?(?!\d)"),
    re.compile(r"\b(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>2\d{3})\b"),
)
_TIME = re.compile(
    r"(?:,?\s*\b(?:at|um|a las)\s+)(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<half>[ap]\.?m\b\.?|uhr\b|h\b)?"
    r"|,?\s*\b(?P<hour2>\d{1,2}):(?P<minute2>\d{2})\b\s*(?P<half2>[ap]\.?m\b\.?)?"
    r"|,?\s*\b(?P<hour3>\d{1,2})\s*(?P<half3>[ap]m)\b|,?\s*(?:at\s+)?\b(?P<word>noon|midnight)\b",
    re.IGNORECASE,
)
# Minutes east of UTC, for what means one zone to nearly everybody; any other time is the reader's own.
_EAST = {
    "utc": 0, "gmt": 0, "bst": 60, "cet": 60, "mez": 60, "cest": 120, "mesz": 120, "eet": 120, "eest": 180, "jst": 540,
    "est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
}  # fmt: skip
_ZONE = re.compile(
    rf"\s*\b(?P<zone>{'|'.join(_EAST)})(?:\s?(?P<sign>[+\u2212-])\s?(?P<hours>\d{{1,2}})(?::?(?P<minutes>[0-5]\d))?)?\b",
    re.IGNORECASE,
)
_WEEKDAYS = ("sunday sonntag domingo", "monday montag lunes", "tuesday dienstag martes", "wednesday mittwoch miércoles",
             "thursday donnerstag jueves", "friday freitag viernes", "saturday samstag sábado")  # fmt: skip
_EVENTS: tuple[tuple[str, str, When], ...] = (
    ("Christmas Eve", r"christmas eve|heiligabend|heilig abend|nochebuena", {"month": 12, "day": 24}),
    ("Christmas", r"christmas|xmas|x-mas|weihnachten|navidad", {"month": 12, "day": 25}),
    ("New Year’s Eve", r"new year'?’?s eve|silvester|nochevieja", {"month": 12, "day": 31}),
    ("New Year", r"new year(?:'?’?s)?(?: day)?|neujahr|año nuevo", {"month": 1, "day": 1}),
    ("Halloween", r"halloween", {"month": 10, "day": 31}),
    ("Valentine’s Day", r"valentine'?’?s?(?: day)?|valentinstag|san valentín", {"month": 2, "day": 14}),
    ("St Patrick’s Day", r"st\.? patrick'?’?s?(?: day)?", {"month": 3, "day": 17}),
    ("Thanksgiving", r"thanksgiving", {"month": 11, "weekday": 4, "nth": 4}),
    ("Easter", r"easter|ostern|pascua", {"easter": 1}),
    ("Midsummer", r"midsummer|summer solstice", {"month": 6, "day": 21}),
    ("the weekend", r"(?:the )?weekend|(?:das )?wochenende|(?:el )?fin de semana", {"weekday": 6}),
)


@dataclass(frozen=True)
class Moment:
    """A day that an ask names, without a year where it comes each year; `name` is what the ask or a calendar calls it.

    `rest` is the ask without it.
    """

    when: When
    name: str
    rest: str


def moment(ask: str) -> Moment | None:
    """The day and time that an ask names, or None when it names no day."""
    found = _day(ask) or _event(ask) or _weekday(ask)
    if found is None:
        return None
    time = _TIME.search(found.rest)
    clock = _clock(time) if time else None
    if time is None or clock is None:
        return found
    zone = _ZONE.match(found.rest, time.end())
    east = {"east": _east(zone)} if zone else {}
    rest = f"{found.rest[: time.start()]} {found.rest[(zone or time).end() :]}"
    return Moment({**found.when, "hour": clock[0], "minute": clock[1], **east}, found.name, rest)


def _east(zone: re.Match[str]) -> int:
    further = 60 * int(zone["hours"] or 0) + int(zone["minutes"] or 0)
    return _EAST[zone["zone"].lower()] + (further if zone["sign"] == "+" else -further)


def _day(ask: str) -> Moment | None:
    for pattern in _DAYS:
        for found in pattern.finditer(ask):
            month = _MONTHS.get(found["month"].lower().rstrip(".")) or int(found["month"])
            year = int(found["year"]) if found["year"] else None
            if when := _valid(year, month, int(found["day"])):
                named = date(2000, month, when["day"]).strftime(f"{when['day']} %B") + (f" {year}" if year else "")
                return Moment(when, named, f"{ask[: found.start()]} {ask[found.end() :]}")
    return None


def _valid(year: int | None, month: int, day: int) -> dict[str, int] | None:
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return {"month": month, "day": day, **({"year": year} if year else {})}


def _event(ask: str) -> Moment | None:
    for name, words, when in _EVENTS:
        if found := re.search(rf"\b(?:{words})\b", ask, re.IGNORECASE):
            return Moment(when, name, f"{ask[: found.start()]} {ask[found.end() :]}")
    return None


def _weekday(ask: str) -> Moment | None:
    for number, names in enumerate(_WEEKDAYS):
        if found := re.search(rf"\b(?:next\s+|nächsten\s+|el\s+)?(?:{'|'.join(names.split())})\b", ask, re.IGNORECASE):
            name = names.split()[0].capitalize()
            return Moment({"weekday": number}, name, f"{ask[: found.start()]} {ask[found.end() :]}")
    return None


def _clock(found: re.Match[str]) -> tuple[int, int] | None:
    if found["word"]:
        return (12, 0) if found["word"].lower() == "noon" else (0, 0)
    hour = int(found["hour"] or found["hour2"] or found["hour3"])
    minute = int(found["minute"] or found["minute2"] or 0)
    half = (found["half"] or found["half2"] or found["half3"] or "").lower()
    if half.startswith("p") and hour < 12:
        hour += 12
    if half.startswith("a") and hour == 12:
        hour = 0
    return (hour, minute) if hour < 24 and minute < 60 else None
