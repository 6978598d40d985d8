"""The colour palette: a base colour and a rule give five colours that go together."""

import re

from builder.generators.templates.colours import COLOUR, colours
from builder.generators.templates.page import Page

STRONG = re.compile(
    r"\bcolou?rs?[- ](?:palette|scheme|harmony|harmonies|combination|generator|mixer|swatch)(?:e?s)?\b"
    r"|\bpalettes?[- ](?:generator|maker|creator|builder|picker|app|tool)\b"
    rf"|\bpalettes?\s+(?:\w+\s+){{0,3}}(?:from|for|of|with|based on|around|aus|con|de)\s+(?:\w+\s+){{0,2}}{COLOUR}"
    rf"|{COLOUR}\s+(?:colou?r\s+)?palette\b|\b(?:pastel|complementary|analogous|triadic|monochrome"
    rf"|monochromatic)\s+palette\b"
    r"|\bfarb(?:palette|schema|generator)\w*\b|\bpaletas? de colou?r(?:es)?\b|\bpalette de couleurs\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(palette|colou?rs?|swatch(?:es)?|hex|pastel)\b", re.IGNORECASE)
VETO = re.compile(
    r"\b(?:command palette|eye ?shadow|make-?up|blind(?:ness)?|by numbers?|paint|wooden|colou?r of|hair"
    r"|colou?ring|contrast)\b",
    re.I,
)

USUAL = "#4f46e5"
_RULES = {
    "complementary": re.compile(r"\b(?:complement\w*|komplement\w*|contrast\w*)\b", re.IGNORECASE),
    "triadic": re.compile(r"\b(?:triad\w*|three colou?rs)\b", re.IGNORECASE),
    "split": re.compile(r"\bsplit\b", re.IGNORECASE),
    "shades": re.compile(r"\b(?:mono\w*|shades?|tints?|tones?|tonos)\b", re.IGNORECASE),
    "pastel": re.compile(r"\b(?:pastels?|pastell\w*|soft)\b", re.IGNORECASE),
}
_THEMES = {
    "#c2571a": r"autumn|fall|herbst\w*|otoño",
    "#0e7490": r"ocean|sea|beach|meer|mar|océano",
    "#2f6b3a": r"forest|nature|wald|bosque|jungle",
    "#f2643d": r"sunset|sunrise|sonnenuntergang|atardecer",
    "#3b82c4": r"winter|ice|sky|himmel|cielo|invierno",
    "#6db33f": r"spring|frühling|primavera|garden",
    "#f0a202": r"summer|sommer|verano|honey",
    "#27306b": r"night|galaxy|space|nacht|noche",
    "#6f4427": r"coffee|chocolate|kaffee|café",
    "#d6307a": r"candy|neon|retro|berry|valentine",
}


def read(ask: str) -> Page:
    """The palette that an ask describes: from its first colour, or the colour of its theme; analogous by default."""
    named = colours(ask, 1)
    theme = next((base for base, words in _THEMES.items() if re.search(rf"\b(?:{words})\b", ask, re.IGNORECASE)), USUAL)
    base = named[0] if named else theme
    rule = next((name for name, asked in _RULES.items() if asked.search(ask)), "analogous")
    return Page(
        file="palette.html",
        title=f"Colour palette from {base}",
        description="Five colours that go together, with their codes to copy and how well text reads on them.",
        settings={"base": base, "rule": rule},
    )
