"""The drawing pad: paper, a pen, a few colours."""

import re

from builder.generators.templates.colours import colours
from builder.generators.templates.page import Page

_TOOL = r"(?:pad|app|application|board|canvas|book|tool|page|program|surface)"
STRONG = re.compile(
    r"\b(?<!lottery )(?<!raffle )(?<!prize )"
    r"(?:drawing|sketch(?:ing)?|doodl(?:e|ing)|paint(?:ing)?|scribbl(?:e|ing)|finger[- ]?painting"
    rf"|pixel art)[- ]?{_TOOL}\b"
    r"|\bwhite ?board\b|\bsketchpad\b"
    rf"|\b{_TOOL}\b\s+(?:\w+\s+){{0,4}}(?:to|for|where (?:i|we|you|kids"
    rf"|people) can)\s+(?:\w+\s+){{0,3}}(?:draw(?:ing)?|doodl(?:e|ing)|sketch(?:ing)?|paint(?:ing)?)\b(?!\s+(?:a"
    rf"|the)\s+(?:winner|name|card|raffle))"
    r"|\b(?:somewhere|a place|something|a blank page) to (?:draw|doodle|sketch|paint)\b(?!\s+(?:a"
    r"|the)\s+(?:winner|name|card))"
    r"|\b(?:zeichen|mal)(?:brett|app|-app|block|fläche|programm|tafel)\b"
    r"|\b(?:pizarra|lienzo|app|bloc) (?:para|de) (?:dibujar|dibujo|pintar)\b|\bpizarra(?: blanca)?\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(drawing|doodle|sketch|canvas|brush(?:es)?|eraser)\b", re.IGNORECASE)
VETO = re.compile(
    r"\b(?:lottery|raffle|prize|lucky|winner|house|wall|nails?|teeth|tooth|tickets?|comedy|auto-?cad|blueprint"
    r"|competition"
    r"|portrait of|picture of|drawing of)\b",
    re.IGNORECASE,
)

_PAPER = {
    "grid": re.compile(r"\b(?:grid|squared|graph|kariert\w*|cuadriculad\w+)\b", re.IGNORECASE),
    "dots": re.compile(r"\b(?:dots|dotted|dot grid|gepunktet\w*|punteado)\b", re.IGNORECASE),
    "lines": re.compile(r"\b(?:lined|ruled|liniert\w*|rayado)\b", re.IGNORECASE),
}
_DARK = re.compile(r"\b(?:black ?board|chalk ?board|(?:black|dark) (?:background|canvas|paper|page))\b", re.IGNORECASE)
USUAL = ["#111111", "#d92d20", "#f5b800", "#2e9e4f", "#2563eb", "#7c3aed"]


def read(ask: str) -> Page:
    """The pad that an ask describes: its colours, its paper; six colours on plain white where it says nothing."""
    named = colours(_DARK.sub(" ", ask), 8)
    dark = _DARK.search(ask) is not None
    paper = next((name for name, asked in _PAPER.items() if asked.search(ask)), "plain")
    pens = named if len(named) > 1 else list(dict.fromkeys([*named, *USUAL]))
    if dark:
        pens = ["#ffffff", *(pen for pen in pens if pen not in ("#ffffff", "#111111"))]
    return Page(
        file="drawing.html",
        title="Drawing pad",
        description=f"Draw with a finger, a pen or the mouse in {len(pens)} colours; save it as a picture.",
        settings={"colours": pens, "paper": paper, "ground": "#1b1d22" if dark else "#ffffff"},
    )
