"""Finds what a page would fetch or open from outside its bundle.

The content security policy that an app is served with is what stops a request. This finds the app that would be dead
under it before anyone sees it; a reference that is put together at run time is the browser check's to find.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from builder.checks.markup import Element
from builder.checks.references import css_references, srcset_references

_INSIDE_SCHEMES: Final = frozenset({"data", "blob", "about", "javascript", "mailto", "tel", "sms"})
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
ADDRESS_ATTRIBUTES: Final = frozenset(
    ["src", "href", "action", "formaction", "poster", "data", "background", "cite", "ping", "manifest", "xlink:href"]
)
_SETS: Final = ("srcset", "imagesrcset")
# Possessive, so that no text makes a search go back over it.
_SAID_ADDRESS: Final = re.compile(
    r"""\s*+((?:https?|wss?|ftp):[\\/]{2}(?:[^'"`\s]++|(?=['"`]\s*+\+))|[\\/]{2}[\w-]++\.[^'"`\s]++)""", re.IGNORECASE
)
_SCRIPT_ADDRESS: Final = re.compile(f"['\"`]{_SAID_ADDRESS.pattern}", re.IGNORECASE)
# Names of vocabularies, and the names that stand for no real host (RFC 2606): nothing is fetched from either.
_NO_PLACE: Final = re.compile(
    r"https?://(?:www\.w3\.org/(?:1998|1999|2000|XML)/|(?:www\.)?+example\.(?:com|org|net)(?![\w.-]))",
    re.IGNORECASE,
)
_LONGEST_SHOWN: Final = 80


def element_problems(element: Element) -> Iterator[str]:
    """Every outside address among an element's attributes, and what moves a page's other addresses."""
    tag = element.tag[:20]
    for name, value in element.attributes.items():
        addresses = [value] if name in ADDRESS_ATTRIBUTES else srcset_references(value) if name in _SETS else ()
        for address in addresses:
            if is_outside(address):
                yield f"<{tag} {name}> refers to {_shown(address)}"
        if name == "style":
            yield from css_problems(value)
    if tag == "base":
        yield "a <base> element"
    if tag == "meta" and element.get("http-equiv").strip().lower() == "refresh":
        yield "a <meta> refresh"


def css_problems(text: str) -> list[str]:
    """Every outside reference in a style sheet."""
    return [f"a style refers to {_shown(found)}" for found in css_references(text) if is_outside(found)]


def script_problems(text: str, strings: Iterable[str]) -> list[str]:
    """Every outside address in a script's text, and among its strings as they are read when it runs.

    A mere `https://` is none: it is what an address is looked at for, unless something is added to it.
    """
    found = [each.replace("\\/", "/") for each in _SCRIPT_ADDRESS.findall(text)]
    found += (said[1] for said in map(_SAID_ADDRESS.match, strings) if said)
    return [f"a script refers to {_shown(each)}" for each in found if not _NO_PLACE.match(each)]


def is_outside(address: str) -> bool:
    """Whether a browser would leave the bundle for this address; reads it as leniently as browsers do."""
    read = as_read(address).replace("\\", "/")
    if read.startswith("//"):
        return True
    scheme = _SCHEME.match(read)
    return scheme is not None and scheme[1].lower() not in _INSIDE_SCHEMES


def as_read(address: str) -> str:
    """An address without what browsers leave out of it before they read it."""
    return re.sub(r"[\t\n\r]", "", address).strip("".join(map(chr, range(0x21))))


def _shown(address: str) -> str:
    return ascii(address.strip()[:_LONGEST_SHOWN])
