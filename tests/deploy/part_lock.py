"""Prints the lock of one half: of requirements.lock, what that half needs. `python -m tests.deploy.part_lock lane`."""

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LOCKS = {
    "bot": ROOT / "deploy" / "containers" / "bot.lock",
    "lane": ROOT / "deploy" / "github" / "lane.lock",
}
HEADS = {
    "bot": "# What the bot's image installs, versions and hashes as in requirements.lock.\n# Printed by `make lock`.\n",
    "lane": "# What a lane in CI installs, versions and hashes as in requirements.lock.\n# Printed by `make lock`.\n",
}


def part_lock(extra: str) -> str:
    """The pins of the project, of one of its extras and of what builds it, and of all that these need."""
    pins = _pins((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    wanted: set[str] = set()
    coming = _asked(extra)
    while coming:
        wanted |= coming
        coming = {name for name, (_, needed_by) in pins.items() if needed_by & coming} - wanted
    return HEADS[extra] + "".join(pins[name][0] for name in sorted(wanted))


def _asked(extra: str) -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    return _names([*project["build-system"]["requires"], *project["project"]["dependencies"], *extras[extra]])


def _names(requirements: Iterable[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9._-]", requirement)[0].lower() for requirement in requirements}


def _pins(lock: str) -> dict[str, tuple[str, set[str]]]:
    """Each package's lines with its pin and hashes, and the packages that need it."""
    found = {}
    for name, rest, comment in re.findall(
        r"^([a-z0-9._-]+)(==.*\n(?:    --.*\n)*)((?:    #.*\n)*)", lock, re.MULTILINE
    ):
        found[name] = name + rest, set(re.findall(r"^ +#(?: via)? +([a-z0-9._-]+)$", comment, re.MULTILINE))
    return found


if __name__ == "__main__":
    sys.stdout.write(part_lock(sys.argv[1]))
