"""The unit converter: from one unit to another of the same kind, and to all of them at once."""

import re
from dataclasses import asdict

from builder.generators.templates.page import Page
from builder.generators.templates.reading import listed
from builder.generators.templates.units import KINDS, any_of, unit_named

_TO = r"(?:to|into|in|and|or|nach|zu|und|a|en|y|vs\.?|<->|↔|→|->|/|2)"
_PAIR = "|".join(rf"{any_of(kind)}\s*{_TO}\s+{any_of(kind)}|{any_of(kind)}\s+{_TO}\s*{any_of(kind)}" for kind in KINDS)
_CONVERT = (
    r"(?:conver(?:t|ts|ter|tor|ting|sions?)|umrechn\w*|konvert\w*"
    r"|conver(?:sor|tidor|tir|te)|calculator|change)"
)
_MEASURES = (
    r"length|distance|weight|mass|temperature|volume|speed|area|measurements?|metric|imperial|cooking|kitchen"
    r"|pressure"
    r"|energy|data size|file size|längen|gewichts|temperatur|longitud|peso|temperatura"
)
STRONG = re.compile(
    r"\bunits?[- ]?(?:of measure(?:ment)?\s+)?(?:convert(?:er|or)|conversions?|calculator)\b|\bconvert(?:ing"
    r"|s)?\s+(?:between\s+)?units\b"
    r"|\beinheiten-?(?:um)?rechner\b|\b(?:conversor|convertidor) de (?:unidades|medidas)\b"
    rf"|\b(?:{_MEASURES})[- ]?(?:(?:unit|to metric|to imperial)\s+)?(?:convert(?:er|or)|conversions?"
    rf"|umrechner)\b|\b(?:conversor|convertidor) de (?:{_MEASURES})\b"
    rf"|\b{_CONVERT}\b[^.!?\n]{{0,40}}?(?<!\w)(?:{_PAIR})(?!\w)"
    rf"|(?<!\w)(?:{_PAIR})(?!\w)[- ]+(?:\w+\s+)?(?:{_CONVERT}|app|tool|page)\b"
    rf"|\A(?:(?:an?|please|the)\s+)*[\d.,]*\s*(?:{_PAIR})\s*(?:please)?[.!?]*\s*$",
    re.IGNORECASE | re.MULTILINE,
)
WEAK = re.compile(r"\b(unit converter)\b", re.IGNORECASE)
VETO = re.compile(
    r"\b(?:currenc(?:y|ies)|exchange rate|time ?zones?|files?|pdf|mp3|mp4|video|images?|religion|euros?|dollars?)\b",
    re.I,
)

USUAL = ("Length", "km", "mi", 1.0)
_VALUE = re.compile(r"(?<![\w.,])(\d{1,9}(?:[.,]\d{1,6})?)\s*$")


def read(ask: str) -> Page:
    """The converter that an ask describes: its two units and its value; kilometres to miles where it names none."""
    kind, source, target, value = _asked(ask)
    chosen = next(each for each in KINDS if each.name == kind)
    names = {unit.symbol: unit.name for unit in chosen.units}
    named = _named_pair(ask) is not None
    return Page(
        file="converter.html",
        title=f"{names[source][:1].upper()}{names[source][1:]} to {names[target]}" if named else "Unit converter",
        description=f"Type a value in {names[source]}, read it in {names[target]} and all units of {kind.lower()}."
        if named
        else f"Converts between units of {listed([each.name.lower() for each in KINDS])}.",
        settings={
            "kinds": [{"name": each.name, "units": [asdict(unit) for unit in each.units]} for each in KINDS],
            "kind": kind,
            "from": source,
            "to": target,
            "value": value,
        },
    )


def _asked(ask: str) -> tuple[str, str, str, float]:
    if pair := _named_pair(ask):
        return pair
    for kind in KINDS:
        if re.search(rf"\b{kind.name}\b", ask, re.IGNORECASE):
            return kind.name, kind.units[0].symbol, kind.units[1].symbol, 1.0
    return USUAL


def _named_pair(ask: str) -> tuple[str, str, str, float] | None:
    for kind in KINDS:
        words = any_of(kind)
        pattern = rf"(?<![^\W\d])({words})\s*(?<![^\W\d](?=to|in|a)){_TO}\s*({words})(?!\w)"
        if found := re.search(pattern, ask, re.IGNORECASE):
            source, target = unit_named(kind, found[1]), unit_named(kind, found[2])
            value = _VALUE.search(ask[: found.start()])
            if source != target:
                return kind.name, source, target, float(value[1].replace(",", ".")) if value else 1.0
    return None
