"""Runs built images as containers: a read-only root, the image's user as process 1, no capability, one network."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.deploy import seccomp
from tests.deploy.bubblewrap import INFO, begun, walled
from tests.deploy.building import Image
from tests.deploy.part_lock import ROOT
from tests.missing import missing

SECCOMP = ROOT / "deploy" / "containers" / "lane-seccomp.json"


@dataclass(frozen=True)
class Network:
    """A network of its own for some containers, whose only machine they are."""

    pid: int
    world: subprocess.Popen[str]

    def say(self) -> None:
        """Have somebody mention the bot."""
        assert self.world.stdin is not None
        assert self.world.stdout is not None
        print(file=self.world.stdin, flush=True)
        assert "said\n" == self.world.stdout.readline()


@dataclass(frozen=True)
class Container:
    """A command of an image that runs."""

    process: subprocess.Popen[str]
    first: int

    def stopped(self, name: str) -> int:
        """The exit status after the signal that an engine sends to process 1."""
        os.kill(self.first, signal.Signals[name])
        return self.process.wait(timeout=60)


@contextmanager
def network() -> Iterator[Network]:
    """A small Bluesky in a network namespace."""
    world = [sys.executable, "-m", "tests.deploy.small_world"]
    command = walled(world, "--dev-bind", "/", "/", "--unshare-net", *INFO, folder=f"{ROOT}")
    process, pid = begun(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        assert "ready\n" == process.stdout.readline()
        yield Network(pid, process)


def ran(
    image: Image, network: Network, command: list[str], *mounts: str, user: str = "", **settings: str
) -> subprocess.CompletedProcess[str]:
    """A command in a container of its own, until it ends, as another user than the image's if one is given."""
    told = _in(image, network, command, settings, *mounts, user=user)
    return subprocess.run(told, capture_output=True, text=True, timeout=120, check=False)


@contextmanager
def running(image: Image, network: Network, log: Path, *mounts: str, **settings: str) -> Iterator[Container]:
    """What the image runs if nobody says otherwise; killed at the end, if it still runs."""
    with log.open("w") as out:
        told = _in(image, network, image.stage.command, settings, *mounts, *INFO)
        process, first = begun(told, stdout=out, stderr=subprocess.STDOUT)
        with process:
            try:
                yield Container(process, first)
            finally:
                process.kill()


@contextmanager
def filtered(*without: str) -> Iterator[int]:
    """The lane's seccomp profile as an engine loads it, as a file descriptor for bubblewrap."""
    if not seccomp.is_there():
        missing("no libseccomp, which compiles seccomp profiles")
    profile = json.loads(SECCOMP.read_text(encoding="utf-8"))
    names = {name for rule in profile["syscalls"] for name in rule["names"]} - set(without)
    compiled = os.memfd_create("seccomp", 0)
    try:
        os.write(compiled, seccomp.only(names, profile["defaultErrnoRet"]))
        os.lseek(compiled, 0, os.SEEK_SET)
        yield compiled
    finally:
        os.close(compiled)


def confined(image: Image, network: Network, command: list[str], filter_fd: int, **settings: str) -> list[str]:
    """The words that run a command in a container whose calls of the kernel are filtered."""
    return _in(image, network, command, settings, "--seccomp", f"{filter_fd}")


def _in(
    image: Image, network: Network, command: list[str], settings: dict[str, str], *more: str, user: str = ""
) -> list[str]:
    number, _, group = (user or image.stage.last("USER")).partition(":")
    as_user = ["setpriv", "--reuid", number, "--regid", group, "--clear-groups"]
    as_user += ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
    apart = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--as-pid-1")
    walls = walled(
        [*as_user, *command],
        *image.mounts,
        *more,
        *apart,
        folder=image.stage.last("WORKDIR"),
        environment={**image.environment, **settings},
    )
    return ["nsenter", "--target", f"{network.pid}", "--net", *walls]
