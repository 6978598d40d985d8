"""Counting, cutting and cleaning other people's text: grapheme clusters, UTF-8 bytes, hidden characters."""

import unicodedata

import regex

_CLUSTER = regex.compile(r"\X")
# What could fool a terminal or a reader: controls, bidi overrides and isolates, zero-width characters, line separators.
_HIDDEN = regex.compile(
    r"[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0001]"
)
_SPACE = regex.compile(r"\s+")


def graphemes(text: str) -> int:
    """How many extended grapheme clusters (UAX #29) a text has: the unit of Bluesky's limit of 300."""
    return len(_CLUSTER.findall(text))


def utf8_len(text: str) -> int:
    """How many bytes a text takes in UTF-8, lone surrogates counted as three each."""
    return len(text.encode("utf-8", "surrogatepass"))


def clip(text: str, max_graphemes: int, max_bytes: int) -> str:
    """The longest beginning within both limits, an ellipsis at its end when it was cut; never cuts a cluster."""
    if graphemes(text) <= max_graphemes and utf8_len(text) <= max_bytes:
        return text
    room, budget = max_graphemes - 1, max_bytes - utf8_len("…")
    kept: list[str] = []
    for cluster in _CLUSTER.findall(text):
        budget -= utf8_len(cluster)
        if len(kept) >= room or budget < 0:
            break
        kept.append(cluster)
    cut = "".join(kept).rstrip()
    return cut + "…" if room >= 0 and max_bytes >= utf8_len("…") else ""


def clean(text: str) -> str:
    """One line of NFC text without hidden characters, white space folded; emoji sequences stay whole."""
    shown = _SPACE.sub(" ", unicodedata.normalize("NFC", text))
    return str(_HIDDEN.sub("", shown)).strip()


def visible(text: str, *, keep_newlines: bool = False) -> str:
    r"""The text with control, bidi and zero-width characters spelled out (`\x1b`, `\u202e`), safe on a terminal."""

    def spell(match: regex.Match[str]) -> str:
        character = str(match.group())
        if keep_newlines and character == "\n":
            return character
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return str(_HIDDEN.sub(spell, text))
