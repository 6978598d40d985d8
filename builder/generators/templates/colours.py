"""Colours by name, in the languages that asks are read in."""

import re

_NAMES = {
    "#d92d20": "red rot rojo roja rouge",
    "#f97316": "orange naranja",
    "#f5b800": "yellow gelb amarillo amarilla jaune",
    "#2e9e4f": "green grün verde vert",
    "#0d9488": "teal türkis turquoise turquesa",
    "#06b6d4": "cyan",
    "#2563eb": "blue blau azul bleu",
    "#1e3a8a": "navy",
    "#4f46e5": "indigo",
    "#7c3aed": "purple violet lila violett morado violeta",
    "#c026d3": "magenta fuchsia",
    "#ec4899": "pink rosa rose",
    "#7f1d1d": "maroon burgundy",
    "#92400e": "brown braun marrón marron",
    "#c8a97e": "beige tan sand",
    "#ff7f6b": "coral",
    "#d4a017": "gold golden mustard",
    "#808000": "olive",
    "#a3e635": "lime",
    "#98ddca": "mint",
    "#b7a3e3": "lavender lavendel",
    "#111111": "black schwarz negro negra noir",
    "#ffffff": "white weiß blanco blanca blanc",
    "#808080": "grey gray grau gris",
}
_BY_NAME = {name: colour for colour, names in _NAMES.items() for name in names.split()}
_HEX = r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b"
COLOUR = rf"(?:{_HEX}|\b(?:{'|'.join(sorted(_BY_NAME, key=len, reverse=True))})\b)"
_COLOUR = re.compile(COLOUR, re.IGNORECASE)


def colours(text: str, most: int) -> list[str]:
    """The colours that a text names, each once, as `#rrggbb`, at most so many."""
    named = (_value(found.group().lower()) for found in _COLOUR.finditer(text))
    return list(dict.fromkeys(named))[:most]


def _value(name: str) -> str:
    if not name.startswith("#"):
        return _BY_NAME[name]
    return name if len(name) == 7 else "#" + "".join(2 * digit for digit in name[1:])
