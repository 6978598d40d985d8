"""What Compose makes of a service of compose.yaml: its environment, and the folders of the machine that it sees."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from tests.deploy.part_lock import ROOT

DEPLOY = ROOT / "deploy"
WHOLE = DEPLOY / "compose.yaml"
_ASSIGNED = re.compile(r"(?:export )?(\w+)=(?:'([^']*)'|\"([^\"]*)\"|([^'\"\s#][^#]*?)?)(?: +#.*)?")
_VARIABLE = re.compile(r"\$\{(\w+):\?[^}]*\}")


def loaded(file: Path) -> Any:
    """A compose file as data."""
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def environment_of(service: Any, folder: Path, shell: Mapping[str, str]) -> dict[str, str]:
    """What it is told: what stands in the file counts before its env files, of which each line has to be plain."""
    told: dict[str, str] = {}
    for name in service.get("env_file", ()):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                told.update([_assigned(line)])
    for name, value in service.get("environment", {}).items():
        told[name] = _VARIABLE.sub(lambda each: shell[each[1]], value)
    return told


def mounts_of(service: Any, folder: Path) -> list[str]:
    """Bubblewrap's options for the folders of the machine that it is given."""
    given = [each for each in service.get("volumes", ()) if isinstance(each, dict) and each["type"] == "bind"]
    return [
        word
        for each in given
        for word in ("--ro-bind" if each.get("read_only") else "--bind", str(folder / each["source"]), each["target"])
    ]


def _assigned(line: str) -> tuple[str, str]:
    found = _ASSIGNED.fullmatch(line)
    assert found is not None, f"Compose may read this line otherwise: {line}"
    name, single, double, bare = found.groups()
    value = next((each for each in (single, double, bare) if each is not None), "")
    # Without single quotes a variable's value would be put in.
    assert single is not None or ("$" not in value and "\\" not in value), line
    return name, value
