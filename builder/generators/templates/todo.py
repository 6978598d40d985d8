"""The to-do list, with a title and first items from the ask."""

import re

from builder.generators.templates.page import Page
from builder.generators.templates.reading import things
from guardrails.text import clip

_KINDS = (
    r"to-?\s?dos?|task|check|shopping|grocery|groceries|packing|chores?|reading|watch|bucket|wish|errands?"
    r"|homework|study"
    r"|moving|party|wedding|travel|weekend|cleaning"
)
STRONG = re.compile(
    rf"\b(?:{_KINDS})[- ]?lists?\b|\bto-dos?\b|\btodo(?:s| app| page| tracker)\b|\b(?:a|my|simple|little"
    rf"|tiny)\s+todo\b"
    r"|\b(?:einkaufs|aufgaben|pack|to-do-|todo-)liste\b|\blista de (?:la )?(?:compras?|tareas|pendientes)\b"
    r"|\bliste de (?:courses|tâches)\b|\btask (?:tracker|app|board)\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(list|tasks?|items?|chores|groceries|shopping|checklist|liste|lista)\b", re.IGNORECASE)
VETO = re.compile(r"\b(?:playlist|mailing list|price list)\b", re.IGNORECASE)

_TITLE = re.compile(
    rf"\b((?:{_KINDS})[- ]?list|einkaufsliste|aufgabenliste|packliste"
    r"|lista de (?:la )?(?:compras?|tareas|pendientes))\b"
    r"(?:\s+(for\s+(?!me\b|us\b)[^\n:;,.!?]{1,50}?))?"
    r"(?=\s+(?:with|including|containing|that|and|please)\b|\s*(?:[:;,.!?\n]|$))",
    re.IGNORECASE,
)
_AFTER_COLON = re.compile(r":(?!//)\s*(.+)", re.DOTALL)
_AFTER_WITH = re.compile(r"\b(?:with|containing|including|includes|mit|con)\s+(.+)", re.IGNORECASE | re.DOTALL)
# "with dark mode", "with checkboxes": wishes about the app, not things to do.
_FEATURE = re.compile(
    r"\b(?:mode|check ?box(?:es)?|button|buttons|progress|categories|colou?rs?|filters?|items|entries"
    r"|priorit\w+|due dates?|undo|theme|design|font|emoji|drag|local ?storage|reminders?|the following)\b",
    re.IGNORECASE,
)
MOST_ITEMS = 50
LONGEST_ITEM = 120


def read(ask: str) -> Page:
    """The list that an ask describes, empty where it names no items."""
    title = "To-do list"
    if found := _TITLE.search(ask):
        named = " ".join(part for part in found.groups() if part)
        title = clip(_capital(re.sub(r"^(?:to-?\s?dos?|todo)[- ]?list", "To-do list", named, flags=re.I)), 60, 240)
    items = _items(ask)
    return Page(
        file="todo.html",
        title=title,
        description=f"{_count(items)} Tick things off, add more; it stays in this browser.".strip(),
        settings={"items": items},
    )


def _items(ask: str) -> list[str]:
    if found := _AFTER_COLON.search(ask):
        return things(found[1], MOST_ITEMS, LONGEST_ITEM)
    _, newline, lines = ask.partition("\n")
    if newline:
        return things(lines, MOST_ITEMS, LONGEST_ITEM)
    if found := _AFTER_WITH.search(ask):
        return [item for item in things(found[1], MOST_ITEMS, LONGEST_ITEM) if not _FEATURE.search(item)]
    return []


def _count(items: list[str]) -> str:
    if not items:
        return ""
    return "One thing to begin with." if len(items) == 1 else f"{len(items)} things to begin with."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
