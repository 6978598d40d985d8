"""Counting, cutting and cleaning other people's text: grapheme clusters, UTF-8 bytes, hidden characters."""

import unicodedata
from functools import lru_cache
from itertools import accumulate

import regex

from guardrails.lookalikes import LATIN

_ELLIPSIS = "…"
_CLUSTER = regex.compile(r"\X")
_MONGOLIAN = r"[\p{Mongolian}--\p{M}--\u180e]"
_KHMER = r"[\p{Khmer}--[\u17b4\u17b5]]"
# What could fool a terminal, a reader or a model: controls, lone surrogates, line separators, and what is never seen
# (bidi overrides, zero-width signs, fillers, tags, selectors), but where it changes what is seen: a text could hide in
# any of it.
_REGIONS = ("".join(chr(0xE0000 + ord(letter)) for letter in region) for region in ("gbeng", "gbsct", "gbwls"))
_FLAG = f"\U0001f3f4(?:{'|'.join(_REGIONS)})\U000e007f"
_SEEN = (
    # how an emoji is drawn, keycaps, emoji that are joined
    r"(?<=\p{Extended_Pictographic}[\ufe0e\ufe0f])",
    r"(?<=[0-9#*]\ufe0f)(?=\u20e3)",
    r"(?<=\p{Extended_Pictographic}[\ufe0f\U0001f3fb-\U0001f3ff]?\u200d)(?=\p{Extended_Pictographic})",
    # which form a letter or a sign has; of Han no more than any of them is registered with
    r"(?<=\p{Han}[\ufe00-\ufe02\U000e0100-\U000e011f])",
    r"(?<=[[\u2200-\u22ff\u2a00-\u2aff\p{Myanmar}\p{Phags_Pa}\p{Manichaean}]--\p{Mn}]\ufe00)",
    rf"(?<={_MONGOLIAN}[\u180b-\u180d\u180f])",
    rf"(?<={_MONGOLIAN}[\u180b-\u180d\u180f]?\u180e)(?={_MONGOLIAN})",
    # whether letters join: Arabic and its like, Indic, Khmer
    r"(?<=[\p{jt=D}\p{jt=L}\p{jt=R}]\p{jt=T}*[\u200c\u200d])(?=\p{jt=T}*[\p{jt=D}\p{jt=R}])",
    r"(?<=\p{jt=D}\p{jt=T}*\u200d)",
    r"(?<=\p{ccc=9}\p{M}*[\u200c\u200d])",
    r"(?<=[\p{L}--\p{Default_Ignorable_Code_Point}]\p{M}*[\u200c\u200d])(?=\p{M}*\p{ccc=9})",
    rf"(?<={_KHMER}\p{{M}}*[\u200c\u200d])(?=\p{{M}}*{_KHMER})",
)
_HIDDEN = regex.compile(
    rf"(?V1){_FLAG}(*SKIP)(*FAIL)"
    r"|[\p{Cc}\p{Cs}\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]"
    rf"(?!{'|'.join(_SEEN)})"
)
_SPACE = regex.compile(r"\s+")
# Those that Latin letters have; on one of these no other script's marks are any.
_ACCENT = regex.compile(r"(?<=[a-z])\p{M}+|[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
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
    if _is_plain(text):
        return " ".join(text.split())
    shown = _SPACE.sub(" ", _HIDDEN.sub("", _SPACE.sub(" ", text)))
    return unicodedata.normalize("NFC", shown).strip()


# Every list of words is looked for in the same few texts.
@lru_cache(maxsize=256)
def folded(text: str) -> str:
    """The text as it is compared: without case, accents, hidden signs and look-alike letters, white space folded.

    Folding what is folded changes nothing. Digits stay the digits that they are, in whatever script.
    """
    if _is_plain(text):
        return " ".join(text.lower().split())
    cased = unicodedata.normalize("NFKD", text).casefold()
    seen = unicodedata.normalize("NFKD", _UNSEEN.sub("", _SPACE.sub(" ", cased))).translate(LATIN)
    bare = unicodedata.normalize("NFC", _ACCENT.sub("", seen)).casefold()
    return _SPACE.sub(" ", bare).strip()


def visible(text: str, *, keep_newlines: bool = False) -> str:
    r"""The text with what is never seen spelled out (`\x1b`, `\u202e`), safe on a terminal; emoji stay whole."""
    if _is_plain(text) and (keep_newlines or "\n" not in text):
        return text

    def spell(match: regex.Match[str]) -> str:
        character = str(match.group())
        if keep_newlines and character == "\n":
            return character
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return str(_HIDDEN.sub(spell, text))


def _is_plain(text: str) -> bool:
    """Most texts are: nothing hides in them, and all that may be folded is blanks, lines and case."""
    return text.isascii() and text.replace("\n", " ").isprintable()
