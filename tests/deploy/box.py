"""A box that is set up by the words of deploy/systemd/README.md, as far as goes without a system of its own."""

import os
import re
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import psutil

from tests.deploy.actions import ROOT
from tests.deploy.bubblewrap import walled
from tests.deploy.shut_in import USER, start, system
from tests.deploy.units import FOLDER, Unit
from tests.lifeline import end
from tests.waiting import SECONDS, until

README = FOLDER / "README.md"
# A browser and a bot begin, which takes its time on a busy machine.
PATIENCE = 4 * SECONDS
PROGRAM = "/opt/skywright/bin/skywright --env-file /etc/skywright/skywright.env"
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What is not done: there are no other users and no systemd here, and it is installed already.
_ELSEWHERE = ("useradd ", "systemctl ", "python3 -m venv ", "/opt/skywright/bin/pip ")
# One user is all that there is.
_OTHER_USER = re.compile(r"^runuser -u \S+ -- | --(?:owner|group)=\S+")


def commands() -> list[str]:
    """The commands that the README gives, in their order."""
    return [line for block in _BLOCK.findall(README.read_text()) for line in block.splitlines()]


class Box:
    """What is kept of a machine is in one folder; its programs end with it."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        self._running = ExitStack()
        self._numbers = count(1)
        for name in ("etc/skywright", "etc/systemd/system", "etc/caddy", "var/lib"):
            (folder / name).mkdir(parents=True)

    def path(self, name: str) -> Path:
        """Where a path of the box is outside of it."""
        installed = name.removeprefix("/opt/skywright/")
        return Path(ROOT, ".venv", installed) if installed != name else self._folder / name.lstrip("/")

    def does(self, command: str, *more: str) -> str:
        """Do what the README says, `more` behind it; what it printed. What cannot be done here is passed over."""
        if command.startswith(_ELSEWHERE):
            return ""
        options = [*system()]
        # What steers the tests steers nothing of what they look at.
        for name in (name for name in os.environ if name.startswith("SKYWRIGHT_TEST_")):
            options += ["--unsetenv", name]
        for name in ("etc/skywright", "etc/systemd", "etc/caddy", "var/lib"):
            options += ["--bind", str(self._folder / name), f"/{name}"]
        for pair in self._environment.items():
            options += ["--setenv", *pair]
        words = " ".join([_OTHER_USER.sub("", command), *more])
        told = walled(["/bin/sh", "-c", words], "--unshare-user", "--uid", USER, *options, folder=str(ROOT))
        done = subprocess.run(told, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert 0 == done.returncode, f"{words}\n{done.stdout}{done.stderr}"
        return done.stdout

    def starts(self, unit: Unit, *words: str) -> "Running":
        """Start what a unit starts, or other `words` in its place, shut in as it says."""
        log = self._running.enter_context((self._folder / f"{next(self._numbers)}.log").open("w+b"))
        process = start(unit, self._folder / "etc/skywright", self._folder / "var/lib", log, words)
        self._running.callback(end, process)
        return Running(process, Path(log.name))

    def close(self) -> None:
        """End whatever runs."""
        self._running.close()


class Running:
    """A unit that was started."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def said(self) -> str:
        """What it has written so far."""
        return self._log.read_text(errors="replace")

    def says(self, words: str) -> None:
        """Wait until it has written this; AssertionError if it has ended without."""

        def has_said() -> bool:
            assert self._process.poll() is None or words in self.said, self.said
            return words in self.said

        until(has_said, PATIENCE, told=lambda: self.said)

    def ends(self) -> int:
        """Wait until it ends by itself; its exit status."""
        return self._process.wait(SECONDS)

    def stop(self) -> int:
        """Ask it to end, as systemd does: the program, not what shuts it in; its exit status."""
        descendants = psutil.Process(self._process.pid).children(recursive=True)
        program = next(each for each in descendants if each.name().startswith("skywright"))
        program.terminate()
        return self.ends()
