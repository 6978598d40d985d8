"""The habit grid: habits down, the days of a week across."""

import re

from builder.generators.templates.page import Page
from builder.generators.templates.reading import things

STRONG = re.compile(
    r"\bhabits?[- ](?:and \w+ )?(?:grid|track(?:er|ing)|calendar|chart|board|app|journal|log|checker|streaks?"
    r"|table|counter)\b"
    r"|\b(?:track|log|tick off|check off|keep track of|monitor)(?:s|ing)?\s+(?:of\s+)?(?:(?:my|our|the|daily"
    r"|good|new|three|two|four|five|some|weekly|morning)\s+)*habits?\b"
    r"|\b(?:streak|routine)s?[- ](?:track(?:er|ing)|counter|calendar|grid|app)\b|\bdon'?t break the chain\b"
    r"|\bgewohnheit(?:s|en)-?(?:tracker|raster|kalender|app|liste)\b"
    r"|\b(?:seguimiento|registro|rastreador|control|calendario|tabla) de (?:mis )?hábitos\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(habits?|streaks?|daily|routine|gewohnheit(?:en)?|hábitos?)\b", re.IGNORECASE)
VETO = re.compile(
    r"\b(?:drug|smoking|spending|eating|reading|bad|nun'?s|writing) habits?\b|\b(?:article|essay|advice|news"
    r"|special|menu|joke|quote)s?\b",
    re.IGNORECASE,
)

MOST_HABITS = 12
LONGEST_HABIT = 40
USUAL = ["Drink water", "Move for 20 minutes", "Read a page", "In bed by eleven"]

_AFTER = re.compile(
    r":(?!//)\s*(.+)|\b(?:with(?: the)?(?: habits?)?|for|mit|für|con|para|like)\b\s+(?!me\b|us\b|my\b|the\b|a\b)(.+)",
    re.IGNORECASE | re.DOTALL,
)
_FEATURE = re.compile(
    r"\b(?:mode|colou?rs?|theme|grid|streaks?|reminders?|week|weekly|month|monthly|view|statistics|stats|2\d{3}"
    r"|january|each day"
    r"|every day|daily|habits?|checkbox(?:es)?)\b",
    re.IGNORECASE,
)


def read(ask: str) -> Page:
    """The grid of the habits that an ask lists, or of four usual ones."""
    found = _AFTER.search(ask)
    listed = things((found[1] or found[2]).splitlines()[0] if found else "", MOST_HABITS, LONGEST_HABIT)
    if found and "\n" in (found[1] or ""):
        listed = things(found[1], MOST_HABITS, LONGEST_HABIT)
    habits = [habit[:1].upper() + habit[1:] for habit in listed if not _FEATURE.search(habit)]
    count = "one habit" if len(habits) == 1 else f"{len(habits or USUAL)} habits"
    return Page(
        file="habit.html",
        title="Habit grid",
        description=f"Tick {count}, day by day, and see how long you keep it up.",
        settings={"habits": habits or USUAL},
    )
