"""The countdown: to a day, or from a length of time."""

import re

from builder.generators.templates.dates import moment
from builder.generators.templates.page import Page
from builder.generators.templates.reading import NUMBER, number
from guardrails.text import clip

_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|sekunden?|minuten?|stunden?|segundos?|minutos?|horas?)"
STRONG = re.compile(
    r"\bcount(?:ing)?[- ]?downs?\b(?!\s+(?:letters|numbers|conundrum|of (?:the )?(?:top|best|songs)|show))"
    r"|\b(?:how (?:many|long)|number of)\s+(?:(?:days|hours|weeks|sleeps|minutes)\s+)?(?:are\s+"
    r"|is\s+it\s+)?(?:left\s+)?(?:until|till|til|to go)\b"
    r"|\b(?:days|hours|weeks|time|sleeps)\s+(?:left\s+)?(?:until|till|til)\b"
    rf"|\b{NUMBER}[- ]?{_UNIT}[- ](?:\w+\s+)?timer\b|\btimer\s+(?:for|of|with|von|für"
    rf"|de)\s+{NUMBER}[- ]?{_UNIT}\b(?!\s+(?:of\s+)?(?:work|study|focus))"
    r"|\b(?:egg|kitchen|tea|cooking|plank|nap|shower|eier|küchen)[- ]?timers?\b"
    r"|\b(?:tage|wochen|stunden)\s+bis\b|\bcuenta (?:atrás|regresiva)\b|\b(?:días|cuánto(?: tiempo)?) (?:faltan?"
    r"|hasta|quedan?)\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(timer|minutes?|minuten|minutos|seconds?|alarm|until)\b", re.IGNORECASE)
VETO = re.compile(
    r"\b(?:stop ?watch|chess|speedrun|tabata|interval|world clock|screen time|songs?|movies?|rocket|ladder|bomb)\b",
    re.IGNORECASE,
)

LONGEST_SECONDS = 99 * 3600 + 3599
USUAL_SECONDS = 300

_LENGTH = re.compile(rf"\b({NUMBER})[- ]?({_UNIT}|[hms])\b", re.IGNORECASE)
_DAYS = re.compile(
    rf"\b(?:(?:of|for|in)\s+)?({NUMBER})[- ](days?|weeks?|tage?n?|wochen?|días?|semanas?)\b", re.IGNORECASE
)
_NAMED = re.compile(
    r"\b(?:until|till|til|to|for|bis(?:\s+zu[mr]?)?|zu[mr]?|hasta|para)\s+(?:the\s+|el\s+|la\s+|den\s+|dem\s+"
    r"|der\s+)?"
    r"(?!(?:me|us|a|an|be|the|el|la|der|den|show|count|date|on|at|am|um)\b)([^\W\d][^.,!?:;\n]{1,60}?)"
    r"(?=\s+(?:on|at|with|in|am|um|el|please|starting|which|that|and|app|page)\b|\s*(?:[.,!?:;(\n]|$))",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"^(?:my|our|meine[mnr]?|unsere[mnr]?|mis?|nuestr[oa])\s+", re.IGNORECASE)
_KIND = re.compile(
    r"\b(egg|kitchen|tea|cooking|plank|nap|shower|meeting|speech|presentation)[- ]timer\b", re.IGNORECASE
)


def read(ask: str) -> Page:
    """The countdown that an ask describes: to its day, from its length of time, or to a day still to be chosen."""
    named = moment(ask)
    if named is None and (seconds := _seconds(ask)):
        return _timer(ask, seconds)
    if named is None and re.search(r"\btimer\b|\balarm\b", ask, re.IGNORECASE) and not _DAYS.search(ask):
        return _timer(ask, USUAL_SECONDS)
    event = _event(named.rest if named else ask)
    title = event or (named.name if named else "")
    until = title if not event or named is None else f"{event}, {named.name}"
    when = dict(named.when) if named else {"days": days} if (days := _days(ask)) else None
    return Page(
        file="countdown.html",
        title=f"Countdown to {title}" if title else "Countdown",
        description=f"The days, hours, minutes and seconds until {until or 'the day that you choose'}.",
        settings={"event": title, "when": when},
    )


def _timer(ask: str, seconds: int) -> Page:
    kind = _KIND.search(ask)
    length = _told(seconds)
    return Page(
        file="timer.html",
        title=f"{kind[1].capitalize()} timer: {length}" if kind else f"Timer: {length}",
        description=f"Counts down from {length} and rings at the end.",
        settings={"seconds": seconds},
    )


def _seconds(ask: str) -> int:
    total = 0.0
    for found in _LENGTH.finditer(ask):
        unit = found[2].lower()
        total += number(found[1]) * (3600 if unit[:2] in ("h", "ho", "hr", "st") else 60 if unit[0] == "m" else 1)
    return int(min(total, LONGEST_SECONDS))


def _days(ask: str) -> int:
    found = _DAYS.search(ask)
    if found is None:
        return 0
    return int(min(number(found[1]) * (7 if found[2][0].lower() in "ws" else 1), 3650))


def _event(rest: str) -> str:
    found = _NAMED.search(rest)
    if found is None:
        return ""
    name = " ".join(_POSSESSIVE.sub("", found[1]).split())
    return clip(name[:1].upper() + name[1:], 50, 200)


def _told(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    parts = ((hours, "hour"), (minutes, "minute"), (left, "second"))
    return " ".join(f"{count} {unit}{'s' * (count != 1)}" for count, unit in parts if count)
