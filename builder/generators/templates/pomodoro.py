"""The pomodoro timer: focus, break, long break, rounds."""

import re

from builder.generators.templates.page import Page
from builder.generators.templates.reading import NUMBER, whole

STRONG = re.compile(
    r"pomodoros?\b(?!\s+(?:sauce|pasta|soup|pizza|recipe))|tomato timer"
    r"|(?:focus|study|work|productivity|concentration|deep[- ]work)"
    r"[- ](?:timer|clock|cycle)s?"
    r"|timer (?:for|to) (?:my |the )?(?:focus|study|studying|work|working|concentrate|homework)"
    r"|(?:lern|arbeits|fokus|konzentrations)-?timer"
    r"|temporizador (?:de|para) (?:estudio|estudiar|trabajo|concentración)",
    re.IGNORECASE,
)
WEAK = re.compile(
    r"\b(timer|focus|breaks?|study(?:ing)?|fokus|lernen|pausen?|temporizador|descansos?|estudiar)\b", re.I
)
# Other kinds of timer, which this one would only pretend to be.
VETO = re.compile(
    r"\b(?:egg|kitchen|cooking|stopwatch|countdown|workout|tabata|interval|chess|speedrun)\b", re.IGNORECASE
)

_MINUTES = r"(?:\s*-?\s*(?:minutes?|mins?|min\.?|minuten|minutos?|m)\b)"
_OF = r"(?:\s+(?:of|for|de|von|zum))?"
_FOCUS = r"(?:focus(?:ed|ing)?|work(?:ing)?|study(?:ing)?|concentration|on|arbeit(?:en)?|lernen|fokus|trabajo|estudio)"
_BREAK = r"(?:breaks?|rest|off|pausen?|descansos?)"
_LONG = r"(?:long(?:er)?|big|lange|largo)"
_PAIR = re.compile(r"\b([0-9]{1,3})\s?[/:|–-]\s?([0-9]{1,3})(?:\s?[/:|–-]\s?([0-9]{1,3}))?\b")
_LONG_BREAK = re.compile(
    rf"\b{_LONG}\s+{_BREAK}\s*(?:of|:|=|is|de|von)?\s*({NUMBER})|\b({NUMBER}){_MINUTES}?{_OF}\s+{_LONG}\s+{_BREAK}",
    re.IGNORECASE,
)
_FOCUS_TIME = re.compile(
    rf"\b({NUMBER}){_MINUTES}?{_OF}\s+{_FOCUS}\b|\b{_FOCUS}\s*(?:for|of|:|=|de)?\s*({NUMBER})\b", re.I
)
_BREAK_TIME = re.compile(
    rf"\b({NUMBER}){_MINUTES}?{_OF}\s+(?:short\s+)?{_BREAK}\b|\b(?:short\s+)?{_BREAK}\s*(?:for|of|:|="
    rf"|de)?\s*({NUMBER})\b",
    re.IGNORECASE,
)
_ROUNDS = re.compile(
    rf"\b({NUMBER})\s+(?:rounds?|cycles?|sessions?|pomodoros|runden|rondas)\b|\b(?:after"
    rf"|every)\s+({NUMBER})\b(?!{_MINUTES})",
    re.IGNORECASE,
)
_ONLY_MINUTES = re.compile(rf"\b({NUMBER}){_MINUTES}", re.IGNORECASE)


def read(ask: str) -> Page:
    """The timer that an ask describes; 25/5/15 and four rounds where it says nothing."""
    rest, long = _take(_LONG_BREAK, ask, 1, 120)
    rest, rounds = _take(_ROUNDS, rest, 2, 12)
    focus, short, long_of_pair = _pair(rest)
    if focus is None:
        rest, short = _take(_BREAK_TIME, rest, 1, 60)
        rest, focus = _take(_FOCUS_TIME, rest, 1, 180)
    if focus is None:
        _, focus = _take(_ONLY_MINUTES, rest, 1, 180)
    focus, short, long, rounds = focus or 25, short or 5, long or long_of_pair or 15, rounds or 4
    return Page(
        file="pomodoro.html",
        title=f"Pomodoro timer {focus}/{short}",
        description=f"{_minutes(focus)} of focus, {_minutes(short)} of break; "
        f"a long break of {_minutes(long)} after {rounds} rounds.",
        settings={"focus": focus, "short": short, "long": long, "rounds": rounds},
    )


def _pair(text: str) -> tuple[int | None, int | None, int | None]:
    found = _PAIR.search(text)
    if found is None:
        return None, None, None
    return whole(found[1], 1, 180), whole(found[2], 1, 60), whole(found[3], 1, 120) if found[3] else None


def _take(pattern: re.Pattern[str], text: str, least: int, most: int) -> tuple[str, int | None]:
    """The number of the first match, brought into range, and the text without that match."""
    found = pattern.search(text)
    if found is None:
        return text, None
    value = next(group for group in found.groups() if group is not None)
    return f"{text[: found.start()]} . {text[found.end() :]}", whole(value, least, most)


def _minutes(count: int) -> str:
    return "1 minute" if count == 1 else f"{count} minutes"
