"""Reads systemd's unit files: sections of settings, each of them a list, since most may be said more than once."""

import re
import shlex
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from tests.deploy.actions import ROOT

FOLDER = ROOT / "deploy" / "systemd"
_SET = re.compile(r"(@[a-z-]+)")


class Unit:
    """A unit file, with what was put beside it to change it."""

    def __init__(self, name: str, *more: str) -> None:
        self.name = name
        self._sections: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for file in (name, *more):
            self._read((FOLDER / file).read_text())

    def all(self, setting: str, section: str = "Service") -> list[str]:
        """Every value that a setting is given, as it stands there."""
        return list(self._sections[section].get(setting, []))

    def words(self, setting: str, section: str = "Service") -> list[str]:
        """The words of all its values."""
        return [word for value in self.all(setting, section) for word in value.split()]

    def one(self, setting: str, section: str = "Service") -> str:
        """The last value, which counts; empty when there is none."""
        return (self.all(setting, section) or [""])[-1]

    def command(self, instance: str = "1") -> list[str]:
        """What it starts."""
        return shlex.split(self.one("ExecStart").replace("%i", instance))

    def environment(self, instance: str = "1") -> dict[str, str]:
        """What it is told beside a file of settings."""
        pairs = (value.replace("%i", instance).partition("=") for value in self.all("Environment"))
        return {name: value for name, _, value in pairs}

    def system_calls(self) -> set[str]:
        """The names of the calls that it may make: the first line says whether they are a list of those, and it is."""
        found = set(system_call_sets()["@default"])
        for value in self.all("SystemCallFilter"):
            calls = {call for word in value.removeprefix("~").split() for call in _calls(word)}
            found = found - calls if value.startswith("~") else found | calls
        return found

    def _read(self, text: str) -> None:
        section = ""
        for line in text.splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line and not line.startswith("#"):
                name, _, value = line.partition("=")
                values = self._sections[section][name]
                values.append(value)
                if not value:
                    values.clear()


@cache
def system_call_sets() -> Mapping[str, set[str]]:
    """What systemd means by each @set; a set may name others."""
    said = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager"], capture_output=True, text=True, check=True, timeout=60
    )
    sets: dict[str, set[str]] = defaultdict(set)
    name = ""
    for line in said.stdout.splitlines():
        if line.startswith("@"):
            name = line.strip()
        elif line.startswith("    ") and not line.strip().startswith("#"):
            sets[name].add(line.strip())
        elif line.startswith("#"):
            break
    return sets


def _calls(word: str) -> set[str]:
    if not word.startswith("@"):
        return {word}
    return {call for each in system_call_sets()[word] for call in _calls(each)}
