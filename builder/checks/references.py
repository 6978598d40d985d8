"""Follows a reference within an app's files, as a browser would at the address where they are served."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from guardrails.bundle import INDEX, printable

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_CSS_ADDRESS: Final = re.compile(
    r"""(?:\burl\(\s*+|@import\s*+|image-set\(\s*+)(?:"([^"\n]*+)"|'([^'\n]*+)'|(?<=[(\s])([^'")\s(]++)\s*+\))""",
    re.IGNORECASE,
)


def reference_problem(base: str, reference: str, names: frozenset[str]) -> str | None:
    """Why a reference in the file `base` finds none of the files, or None; outside addresses are not looked at.

    An app may be served below a folder: what starts at the host's root leads elsewhere there.
    """
    read = re.sub(r"[\t\n\r]", "", reference).strip().replace("\\", "/")
    path = re.split(r"[?#]", read, maxsplit=1)[0]
    if _SCHEME.match(read) or read.startswith("//") or not path:
        return None
    if path.startswith("/"):
        return (
            f"{printable(read)} starts at the root of the host, and apps are served below a folder: write it relative"
        )
    segments = base.split("/")[:-1]
    for segment in unquote(path).split("/"):
        if segment == ".." and not segments:
            return f"{printable(read)} leads out of the app's folder"
        if segment == "..":
            segments.pop()
        elif segment != ".":
            segments.append(segment)
    name = "/".join(segments)
    return _missing(name, read, names)


def _missing(name: str, read: str, names: frozenset[str]) -> str | None:
    if name in names or (name in ("", "/") and INDEX in names):
        return None
    if name.endswith("/") or f"{name}/{INDEX}" in names:
        return f"{printable(read)} is a folder: name the page in it"
    alike = next((each for each in sorted(names) if each.casefold() == name.casefold()), None)
    if alike is not None:
        return f"{printable(read)} is not there: the file is spelled {printable(alike)}"
    return f"{printable(read)} is not there"


def css_references(text: str) -> list[str]:
    """The addresses in a style sheet, comments aside."""
    return [next(filter(None, found), "") for found in _CSS_ADDRESS.findall(without_comments(text))]


def without_comments(text: str) -> str:
    """A style sheet without its comments; an unfinished one takes the rest with it."""
    parts, at = [], 0
    while (start := text.find("/*", at)) >= 0:
        parts.append(text[at:start])
        end = text.find("*/", start + 2)
        if end < 0:
            return " ".join(parts)
        at = end + 2
    return " ".join([*parts, text[at:]])


def srcset_references(value: str) -> Iterator[str]:
    """The addresses in a `srcset`, in which an address may hold commas and not end with one."""
    is_address = True
    for word in value.split():
        address = word.strip(",") if is_address else word.partition(",")[2].strip(",")
        if address:
            yield address
        is_address = word.endswith(",")
