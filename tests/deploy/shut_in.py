"""Starts what a unit file starts, shut in as systemd would: by bubblewrap and with the same filters of system calls.

It runs on its own words, from the paths that they name. What bubblewrap cannot do is left to systemd: processes of
others are seen, limits of memory and tasks do not hold, and the user is this test's own under another number.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from dotenv import dotenv_values

from tests.deploy import seccomp
from tests.deploy.actions import ROOT
from tests.deploy.bubblewrap import PROGRAM, walled
from tests.deploy.units import Unit
from tests.lifeline import spawn

SETTINGS = "/etc/skywright"
USER = "2001"
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Folders of which a unit sees nothing, or only what it is given.
_NEW = {"dev", "etc", "home", "opt", "proc", "root", "run", "tmp", "var", ROOT.parts[1]}
# A shell opens the filters, since what is started keeps no open file of ours.
_WITH_FILTERS = 'exec 5<"$1" 6<"$2" 7<"$3" 8<"$4"; shift 4; exec "$@"'


def missing_tools() -> list[str]:
    """What is not on this machine and is needed for it."""
    tools = [name for name in (PROGRAM, "systemd-analyze") if shutil.which(name) is None]
    return tools if seccomp.is_there() else [*tools, "libseccomp"]


def start(
    unit: Unit, settings: Path, state: Path, log: IO[bytes], words: Sequence[str] = (), instance: str = "1"
) -> subprocess.Popen[str]:
    """Start it, or other words in its place, with `settings` as /etc/skywright and what it keeps below `state`."""
    files = [_written(state, name, program) for name, program in _filters(unit).items()]
    filters = [word for number in range(5, 9) for word in ("--add-seccomp-fd", f"{number}")]
    command = walled(
        words or unit.command(instance),
        *("--unshare-user", "--uid", USER, "--gid", USER, "--unshare-ipc", "--cap-drop", "ALL"),
        *_places(unit, settings, state, instance),
        *filters,
        folder=unit.one("WorkingDirectory").replace("%i", instance),
        environment=dict(_environment(unit, settings, instance)),
    )
    whole = ["/bin/sh", "-c", _WITH_FILTERS, "sh", *files, *command]
    return spawn(whole, cwd=state, env={"PATH": _PATH}, stdout=log, stderr=subprocess.STDOUT)


def _filters(unit: Unit) -> Mapping[str, bytes]:
    allowed = set() if unit.one("RestrictNamespaces") == "yes" else set(unit.words("RestrictNamespaces"))
    code = seccomp.no_writable_code() if unit.one("MemoryDenyWriteExecute") == "yes" else seccomp.nothing()
    return {
        "calls": seccomp.only(unit.system_calls()),
        "code": code,
        "namespaces": seccomp.namespaces(allowed),
        "families": seccomp.families(unit.words("RestrictAddressFamilies")),
    }


def _written(state: Path, name: str, program: bytes) -> str:
    file = state / f".{name}.bpf"
    file.write_bytes(program)
    return str(file)


def _environment(unit: Unit, settings: Path, instance: str) -> Iterator[tuple[str, str]]:
    yield from {"PATH": _PATH, "HOME": unit.one("WorkingDirectory").replace("%i", instance)}.items()
    yield from unit.environment(instance).items()
    for file in unit.all("EnvironmentFile"):
        for name, value in dotenv_values(settings / Path(file).name, interpolate=False).items():
            yield name, value or ""


def _places(unit: Unit, settings: Path, state: Path, instance: str) -> Iterator[str]:
    yield from system()
    if unit.one("ProtectKernelTunables") == "yes":
        yield from ("--ro-bind", "/proc/sys", "/proc/sys")
    if f"-{SETTINGS}" not in unit.words("InaccessiblePaths"):
        yield from ("--ro-bind", str(settings), SETTINGS)
    for name in unit.words("StateDirectory"):
        kept = state / name.replace("%i", instance)
        kept.mkdir(parents=True, exist_ok=True, mode=int(unit.one("StateDirectoryMode"), 8))
        yield from ("--bind", str(kept), f"/var/lib/{name.replace('%i', instance)}")


def system() -> Iterator[str]:
    """Bubblewrap's options for this machine's own system, read-only, with Skywright in it and nothing of anybody's."""
    for entry in sorted(Path("/").iterdir()):
        if entry.name not in _NEW:
            yield from _as_it_is(entry)
    for entry in sorted(Path("/etc").iterdir()):
        if entry.name not in {"caddy", "skywright", "systemd"}:
            yield from _as_it_is(entry)
    yield from ("--bind", "/proc", "/proc", "--dev", "/dev", "--dir", "/run", "--dir", "/home")
    for folder in ("/tmp", "/var/tmp"):  # noqa: S108 - a new and empty one
        yield from ("--perms", "1777", "--tmpfs", folder)
    # What was installed, which in the place of /opt/skywright is the environment of the tests.
    for folder in (sys.base_prefix, str(ROOT)):
        yield from ("--ro-bind", folder, folder)
    yield from ("--ro-bind", sys.prefix, "/opt/skywright")


def _as_it_is(path: Path) -> list[str]:
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind-try", str(path), str(path)]
