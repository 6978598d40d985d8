"""Reads a container file: its stages, and what stands in each."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

_KNOWN = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "LABEL", "ENV", "USER", "VOLUME", "EXPOSE"} | {
    "HEALTHCHECK",
    "STOPSIGNAL",
    "ENTRYPOINT",
    "CMD",
}
_PAIR = re.compile(r'([\w.]+)=("[^"]*"|\S+)')


@dataclass
class Stage:
    """One stage, whose instructions are words and the rest of their line."""

    base: str
    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def last(self, word: str) -> str:
        """What the last such instruction says."""
        return [rest for each, rest in self.steps if each == word][-1]

    def all(self, word: str) -> list[str]:
        """What each such instruction says."""
        return [rest for each, rest in self.steps if each == word]

    @property
    def command(self) -> list[str]:
        """What is run if nobody says otherwise."""
        return [*words(self.last("ENTRYPOINT")), *words(self.last("CMD"))]

    @property
    def health_check(self) -> list[str]:
        """The command that tells whether the container is well."""
        return words(self.last("HEALTHCHECK").partition("CMD ")[2])

    @property
    def environment(self) -> dict[str, str]:
        """What its ENV instructions set, unexpanded."""
        return {name: value.strip('"') for rest in self.all("ENV") for name, value in _PAIR.findall(rest)}


def stages(file: Path) -> dict[str, Stage]:
    """The stages by name, in order; the last one, which has none, under the empty name."""
    found: dict[str, Stage] = {}
    arguments: dict[str, str] = {}
    stage = Stage("", "")
    for line in _lines(file.read_text(encoding="utf-8")):
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        assert word in _KNOWN, line
        if word == "ARG":
            name, _, default = rest.partition("=")
            arguments[name] = default
        elif word == "FROM":
            base, _, name = re.sub(r"\$\{(\w+)\}", lambda each: arguments[each[1]], rest).partition(" AS ")
            stage = found[name] = Stage(base, name)
        else:
            stage.steps.append((word, rest))
    return found


def words(rest: str) -> list[str]:
    """The words of an instruction in the exec form, the only one in which signals come through."""
    told = json.loads(rest)
    assert isinstance(told, list)
    return told


def _lines(text: str) -> list[str]:
    """Whole instructions, without comments."""
    bare = "\n".join(line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return [re.sub(r"\s+", " ", line) for line in bare.replace("\\\n", " ").splitlines()]
