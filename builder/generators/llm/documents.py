"""Finds the documents in a text: fenced blocks with a name, or a page that stands there bare."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from guardrails.bundle import INDEX

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})\s*([A-Za-z0-9+]*)[ \t]*(.*)")
# A word that looks like the name of a file that we take, wherever it stands: FILE: a.html, **a.html**, title="a.html".
_NAME = re.compile(r"[A-Za-z0-9_./-]{1,110}\.(?:html|htm|css|js|mjs|json|svg|txt|csv|webmanifest)\b", re.IGNORECASE)
_DEFAULT_NAMES = {"html": INDEX, "css": "style.css", "js": "script.js", "javascript": "script.js", "svg": "picture.svg"}
_PAGE_BEGINS = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_PAGE_ENDS = re.compile(r"</html\s*>", re.IGNORECASE)


@dataclass
class _Block:
    language: str
    name: str
    closed: bool = False
    lines: list[str] = field(default_factory=list)

    @property
    def content(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def is_whole(self) -> bool:
        return self.closed or _PAGE_ENDS.search(self.content) is not None


def documents_in(text: str) -> list[tuple[str, str]]:
    """The files in a text's fenced blocks, by name, the later of two with one name; empty when no page is among them.

    A page that a block begins and never ends is none, unless its own last tag is there.
    """
    files = {block.name: block.content for block in _blocks(text) if block.name and block.is_whole}
    pages = [content for name, content in files.items() if name.lower().endswith((".html", ".htm"))]
    return list(files.items()) if any(content.lstrip().startswith("<") for content in pages) else []


def bare_page(text: str) -> str | None:
    """The last whole page that stands in a text without a fence, or None."""
    begins = [found.start() for found in _PAGE_BEGINS.finditer(text)]
    ends = [found.end() for found in _PAGE_ENDS.finditer(text)]
    if not begins or not ends:
        return None
    # A later page begins only where the one before has ended: a script may speak of pages as well.
    begin = begins[0]
    for other in begins[1:]:
        if any(begin < end <= other for end in ends) and other < ends[-1]:
            begin = other
    return text[begin : ends[-1]] + "\n" if begin < ends[-1] else None


def header(word: str, text: str) -> str:
    """What stands behind `WORD:` at the beginning of a line, before any block; empty when nothing does."""
    for line in text.splitlines():
        if _FENCE.fullmatch(line):
            return ""
        if line.strip().strip("*#").upper().startswith(f"{word}:"):
            return line.partition(":")[2].strip(" *")
    return ""


def _blocks(text: str) -> Iterator[_Block]:
    block: _Block | None = None
    fence = before = ""
    for line in text.splitlines():
        found = _FENCE.fullmatch(line)
        if block is None:
            if found is not None:
                fence, block = found[1], _Block(found[2].lower(), _name_of(found[2].lower(), found[3], before))
            elif line.strip():
                before = line
        elif found is not None and found[1].startswith(fence) and not found[2] and not found[3]:
            block.closed = True
            yield block
            block, before = None, ""
        else:
            block.lines.append(line)
    if block is not None:
        yield block


def _name_of(language: str, info: str, before: str) -> str:
    named = _NAME.search(info) or _NAME.search(before)
    return named[0] if named is not None else _DEFAULT_NAMES.get(language, "")
