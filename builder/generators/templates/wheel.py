"""The decision wheel, with the options from the ask."""

import re

from builder.generators.templates.page import Page
from builder.generators.templates.reading import listed, things

STRONG = re.compile(
    r"\b(?:decision|decide|choice|spin(?:ner|ning)?|picker|prize|fortune|random|raffle|name|lunch"
    r"|dinner)s?[- ]wheel\b"
    r"|\bwheel (?:(?:to|that|which|for) )(?:helps? )?(?:me |us )?(?:to )?(?:decid|choos|pick|select)\w*"
    r"|\bwheel of (?!time\b)\w+|\bspin (?:the|a) wheel\b|\bwheel[- ]spinner\b|\bspinner wheel\b"
    r"|\bdecision[- ](?:maker|app|helper|spinner)\b"
    r"|\brandom (?:picker|chooser)\b|\b(?:help|helps) (?:me|us) (?:to )?(?:decide|choose|pick)\b"
    r"|\b(?:decide|choose|pick)s? (?:between|randomly|for (?:me|us)|from)\b|\bcan'?t decide\b"
    r"|\b(?:glücks|entscheidungs)rad\b|\bruleta\b|\brueda de (?:decisiones|opciones)\b",
    re.IGNORECASE,
)
WEAK = re.compile(r"\b(wheel|spinner|spin|decide|choose|pick|random(?:ly)?|options?|choices|rad)\b|\s(or|oder)\s", re.I)
VETO = re.compile(
    r"\b(?:steering|wheel ?chairs?|ferris|car) ?wheels?\b|\bwheel of time\b|\bcolou?r wheel\b", re.IGNORECASE
)

MOST_OPTIONS = 24
LONGEST_OPTION = 60
USUAL = ["Yes", "No", "Maybe later"]

_AFTER_COLON = re.compile(r":(?!//)\s*(.+)", re.DOTALL)
_INTRODUCED = re.compile(
    r"\b(?:between|from|among|with(?: the)?(?: options?| choices?| names?)?"
    r"|options?|choices|names|out of|either|mit|zwischen|con|entre)"
    r"\b:?\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n{2,}")
_REQUEST = re.compile(
    r"^.{0,80}?\b(?:wheel|spinner|picker|chooser|(?:decide|choose|pick)(?: for (?:me|us))?|glücksrad|ruleta)\b"
    r"(?:\s+(?:for|to|that|which|app|please|me|us|what|where|who|we|should|decides?|chooses?|picks?|eat|have|go"
    r"|watch|play"
    r"|dinner|lunch|breakfast|tonight|today)\b)*[\s:?,-]*",
    re.IGNORECASE | re.DOTALL,
)
# "…, spin a wheel for us" is no option.
_ITSELF = re.compile(r"\b(?:spin(?:ner)?|wheel|glücksrad|ruleta)\b", re.IGNORECASE)
_TRAILING = re.compile(
    r"\s+(?:for (?:dinner|lunch|breakfast|tonight|today|us|me)|tonight|today|please)\s*[?.!]*$", re.I
)


def read(ask: str) -> Page:
    """The wheel that an ask describes; yes, no and maybe where it names no options."""
    options = _options(ask)
    found = len(options) > 1
    options = options if found else USUAL
    names = listed(options, "or")
    return Page(
        file="wheel.html",
        title=f"Decision wheel: {names}" if found and len(names) <= 45 else "Decision wheel",
        description=f"Spin it, and it picks one of {len(options)} options for you.",
        settings={"options": options},
    )


def _options(ask: str) -> list[str]:
    for pattern in (_AFTER_COLON, _INTRODUCED):
        if match := pattern.search(ask):
            options = _list(match[1])
            if len(options) > 1:
                return options
    sentences = [_list(_REQUEST.sub("", sentence, count=1)) for sentence in _SENTENCE.split(ask)]
    return max(sentences, key=len, default=[])


def _list(text: str) -> list[str]:
    first = _SENTENCE.split(text.strip())[0]
    found = things(_TRAILING.sub("", first), MOST_OPTIONS, LONGEST_OPTION)
    return [option for option in found if not _ITSELF.search(option)]
