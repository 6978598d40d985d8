"""Counting, cutting and cleaning other people's text: grapheme clusters, UTF-8 bytes, hidden characters."""

import unicodedata
from functools import lru_cache
from itertools import accumulate

import regex

from guardrails.lookalikes import LATIN

_ELLIPSIS = "…"
_CLUSTER = regex.compile(r"\X")
# What could fool a terminal, a reader or a model: controls, lone surrogates, line separators, and what is never seen
# (bidi overrides, zero-width signs, fillers, tags) but joiners, variation selectors, and the tags within a flag.
_HIDDEN = regex.compile(
    r"(?V1)\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f(*SKIP)(*FAIL)"
    r"|[\p{Cc}\p{Cs}\u2028\u2029\ufff9-\ufffb"
    r"[\p{Default_Ignorable_Code_Point}--[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]]]"
)
_SPACE = regex.compile(r"\s+")
_ACCENT = regex.compile(r"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_UNSEEN = regex.compile(r"[\p{Cc}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]")


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
    budget = max_bytes - utf8_len(_ELLIPSIS)
    if max_graphemes < 1 or budget < 0:
        return ""
    clusters = _CLUSTER.findall(text)[: max_graphemes - 1]
    sizes = accumulate(utf8_len(cluster) for cluster in clusters)
    kept = "".join(cluster for cluster, size in zip(clusters, sizes, strict=True) if size <= budget)
    return kept.rstrip() + _ELLIPSIS


def clean(text: str) -> str:
    """One line of NFC text without hidden characters, white space folded; emoji sequences stay whole."""
    shown = _HIDDEN.sub("", _SPACE.sub(" ", unicodedata.normalize("NFC", text)))
    return _SPACE.sub(" ", shown).strip()


# Every list of words is looked for in the same few texts.
@lru_cache(maxsize=256)
def folded(text: str) -> str:
    """The text as it is compared: without case, accents, hidden signs and look-alike letters, white space folded.

    Folding what is folded changes nothing. Digits stay what they are.
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    bare = unicodedata.normalize("NFC", _ACCENT.sub("", plain)).casefold().translate(LATIN)
    return _SPACE.sub(" ", _UNSEEN.sub("", _SPACE.sub(" ", bare))).strip()


def visible(text: str, *, keep_newlines: bool = False) -> str:
    r"""The text with control, bidi and zero-width characters spelled out (`\x1b`, `\u202e`), safe on a terminal."""

    def spell(match: regex.Match[str]) -> str:
        character = str(match.group())
        if keep_newlines and character == "\n":
            return character
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return str(_HIDDEN.sub(spell, text))
