"""Worlds of their own for a program: a small disk, names that do not resolve, a clock that is set."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.missing import missing

# Debian keeps it in a folder of the machine's kind, others beside their libraries.
_FAKETIME = ("*/faketime/libfaketimeMT.so.1", "faketime/libfaketimeMT.so.1")


def in_namespace(*mounts: Sequence[str | Path]) -> Sequence[str]:
    """What starts a program in a mount namespace of its own, as its root, with these mounts."""
    if not _has_namespaces():
        missing("no mount namespaces: `unshare` of util-linux, and leave to make user namespaces")
    steps = [*(shlex.join(["mount", *(str(word) for word in mount)]) for mount in mounts), 'exec "$@"']
    return ["unshare", "-rm", "/bin/sh", "-c", " && ".join(steps), "sh"]


def beside(pid: int) -> Sequence[str]:
    """What starts a program in the namespaces of another."""
    return ["nsenter", "--target", str(pid), "--user", "--mount", "--preserve-credentials", "--wd=/", "--"]


def small_disk(place: Path, size: str) -> Sequence[str]:
    """What starts a program that finds a disk of this size, and nothing on it, in that place."""
    place.mkdir(exist_ok=True)
    return in_namespace(["-t", "tmpfs", "-o", f"size={size},mode=0700", "none", place])


def names(hosts: Path) -> Sequence[str]:
    """What starts a program for which this file has all names that there are."""
    silent = hosts.with_name("resolv.conf")
    silent.write_text("nameserver 127.0.0.1\noptions attempts:1 timeout:1\n")
    return in_namespace(["--bind", hosts, "/etc/hosts"], ["--bind", silent, "/etc/resolv.conf"])


class SetClock:
    """A clock that a running program goes by, and that can be set."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.set("+0")

    def set(self, away: str) -> None:
        """Set it so far from the machine's: `-1d`, `+3h`."""
        new = self._file.with_name("clock.new")
        new.write_text(f"{away}\n")
        new.replace(self._file)

    @property
    def within(self) -> Sequence[str]:
        """What starts a program that goes by it."""
        shifting = {
            "LD_PRELOAD": str(_faketime()),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",  # of seconds, in which the file is not read again
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        return ["env", *(f"{name}={value}" for name, value in shifting.items())]


@cache
def _faketime() -> Path:
    for folder in ("/usr/lib", "/usr/local/lib", "/opt/homebrew/lib"):
        for pattern in _FAKETIME:
            for found in Path(folder).glob(pattern):
                return found
    missing("libfaketime is missing: apt install libfaketime")


@cache
def _has_namespaces() -> bool:
    if shutil.which("unshare") is None or shutil.which("nsenter") is None:
        return False
    made = subprocess.run(["unshare", "-rm", "true"], env={"PATH": os.defpath}, capture_output=True, check=False)
    return made.returncode == 0
