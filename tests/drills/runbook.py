"""The runbook as data: its sections, and the commands that each gives."""

import re
import shlex
from functools import cache

from tests.deploy.part_lock import ROOT

RUNBOOK = ROOT / "deploy" / "README.md"
_HEADING = re.compile(r"^(#+) (.*)$")


def anchor_of(heading: str) -> str:
    """What GitHub calls a heading in links."""
    return re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")


@cache
def sections() -> dict[str, str]:
    """The text below each heading, by its anchor."""
    found: dict[str, list[str]] = {}
    here: list[str] = []
    in_code = False
    for line in RUNBOOK.read_text().splitlines():
        in_code ^= line.strip().startswith("```")
        heading = None if in_code else _HEADING.match(line)
        if heading:
            here = found.setdefault(anchor_of(heading[2]), [])
        else:
            here.append(line)
    return {anchor: "\n".join(lines) for anchor, lines in found.items()}


def lines_of(anchor: str) -> list[str]:
    """The commands of a section's code blocks, without what is said beside them."""
    return _commands(sections()[anchor])


def parts_of(anchor: str) -> dict[str, str]:
    """The text of each part of a section that begins in bold, by the words that are."""
    _, *parts = re.split(r"^\*\*(.+?)\*\*", sections()[anchor], flags=re.MULTILINE)
    return dict(zip((words.rstrip(".") for words in parts[::2]), parts[1::2], strict=True))


def steps_of(anchor: str, part: str) -> list[list[str]]:
    """The words of every command of such a part."""
    return [shlex.split(line) for line in _commands(parts_of(anchor)[part])]


def _commands(text: str) -> list[str]:
    blocks = re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line.partition("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def commands_of(anchor: str, **given: str) -> list[list[str]]:
    """The arguments of every `skywright …` of a section, with what is given in the place of its capitals."""
    found = []
    for line in lines_of(anchor):
        program, *words = shlex.split(line)
        if program == "skywright":
            found.append([given.get(word, word) for word in words])
    return found
