"""A bot's first day by the README's own words on the real AT network, timed: `python -m tests.deploy.first_day`.

The commands are read from the code blocks of its section and typed one after the other; what is asked is answered as
a person would. So a README that has rotted fails.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bot.hook import Hook, hooked
from tests.network.install import NotInstallable, install
from tests.network.net import Account, Network, running_network
from tests.postgres import running_postgres
from tests.scenarios.links import link_of
from tests.scenarios.processes import QUICK, Program, end_all, environment, free_ports
from tests.scenarios.terminal import terminal
from tests.waiting import until

README = Path(__file__).resolve().parent.parent.parent / "README.md"
MODULES = {"skywright": "bot.cli", "skywright-builder": "builder.cli"}
# What is installed here already.
INSTALLING = (
    "python3 -m venv ~/skywright && . ~/skywright/bin/activate",
    "pip install '.[bot,lane]'",
)
ASK = "@{} make me a pomodoro timer"
Say = Callable[[str], None]


@dataclass
class Day:
    """What happened, and when."""

    say: Say
    began: float = field(default_factory=time.monotonic)
    times: dict[str, float] = field(default_factory=dict)
    alerts: list[str] = field(default_factory=list)

    def note(self, what: str) -> None:
        """Say what is done now, and how long after the beginning."""
        self.times[what] = time.monotonic() - self.began
        self.say(f"{self.times[what]:6.1f} s  {what}")


def commands() -> list[str]:
    """The commands of the README's section, in their order, those that install left out."""
    section = README.read_text(encoding="utf-8").partition("\n## First day\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^ *```\n(.*?)^ *```$", section, re.MULTILINE | re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line not in INSTALLING]


def first_day(network: Network, folder: Path, say: Say) -> Day:
    """Set a bot up, run it and a lane, and have it answer one ask that waited for a person."""
    wright, alice = (network.create_account(network.fresh_handle(name)) for name in ("wright", "alice"))
    made = network.procedure(wright.did, "com.atproto.server.createAppPassword", {"name": "skywright"})
    day = Day(say)
    setting_up, running, lane, doctor, listing, approving = commands()
    with hooked() as hook, Box(folder, network, hook).closed_at_the_end() as box:
        box.set_up(setting_up, wright, str(made["password"]))
        day.note(setting_up)
        bot = box.started(running)
        until(lambda: " running " in bot.said, told=box.logs)
        day.note(running)
        box.started(lane)
        network.process()
        day.note(lane)
        until(lambda: box.finds_nothing_wrong(doctor), told=lambda: box.told(doctor))
        day.note(doctor)
        ask = network.post(alice.did, ASK.format(wright.handle), mentions=[wright.did])
        network.process()
        day.note("alice asks")
        (held,) = until(lambda: box.told(listing).splitlines()[1:], told=box.logs)
        day.note(listing)
        box.told(approving.replace("ID", held.split("\t")[1]))
        day.note(approving)
        (reply,) = until(lambda: _replies(network, ask.uri, alice), told=box.logs)
        day.note(f"alice reads {link_of(reply['post']['record'])}")
        day.alerts.extend(each["event"] for each in hook.told)
    return day


class Box:
    """A server with nothing on it but the program."""

    def __init__(self, folder: Path, network: Network, hook: Hook) -> None:
        self.folder = folder
        ports = dict(zip(("APPS", "LANE", "ADMIN"), free_ports(3), strict=True))
        # What a person would not set: where this network is, and what lets a test be quick and alone here.
        self.env = {
            **environment(folder),
            **QUICK,
            **{f"SKYWRIGHT_{name}_LISTEN": f"127.0.0.1:{port}" for name, port in ports.items()},
            "SKYWRIGHT_PDS_URL": network.endpoints.pds,
            "SKYWRIGHT_PLC_URL": network.endpoints.plc,
            "SKYWRIGHT_CALL_DEADLINE_SECONDS": "15",
            "SKYWRIGHT_ALERT_URL": hook.url,
            "SKYWRIGHT_LANE_POLL_SECONDS": "0.2",
            "SKYWRIGHT_LANE_BROWSER": "off",
            "TERM": "dumb",
        }
        self._programs: list[Program] = []

    def set_up(self, command: str, account: Account, password: str) -> None:
        """Answer what is asked, as a person does."""
        answers = {
            "handle, as": f"@{account.handle}",
            "ledger is kept": "",
            "app password, which is not shown": password,
            "Your domain": "",
            "Who builds": "",
            "in a day": "",
            "Who answers": "ops@example.org",
            "Write it, at the end?": "",
            "A webhook": "",
            "and what belongs to it?": "",
            "Try the webhook": "",
        }
        with terminal(["-m", *_words(command)], self.folder, self.env) as window:
            for question, answer in answers.items():
                window.asks(question)
                window.type(f"{answer}\n".encode())
            assert 0 == window.status(), window.screen
            assert password not in window.screen

    def started(self, command: str) -> Program:
        """Start what is to be left running."""
        log = self.folder / f"{len(self._programs)}.log"
        self._programs.append(Program(_words(command), self.folder, self.env, log))
        return self._programs[-1]

    def told(self, command: str) -> str:
        """What a command prints; it ends well."""
        done = self._run(command)
        assert 0 == done.returncode, done.stderr
        return done.stdout

    def logs(self) -> str:
        """What the bot and the lane have said."""
        return "\n".join(program.said for program in self._programs)

    def finds_nothing_wrong(self, command: str) -> bool:
        """Whether each line of the doctor is ok."""
        return {"ok"} == {line.split()[0] for line in self._run(command).stdout.splitlines()}

    def _run(self, command: str) -> subprocess.CompletedProcess[str]:
        whole = [sys.executable, "-m", *_words(command)]
        return subprocess.run(
            whole, cwd=self.folder, env=self.env, check=False, capture_output=True, text=True, timeout=60
        )

    @contextmanager
    def closed_at_the_end(self) -> Iterator["Box"]:
        """Whatever runs ends with the block."""
        try:
            yield self
        finally:
            end_all(self._programs)


def _words(command: str) -> list[str]:
    """A command as it is run from this clone, by the modules behind its names."""
    program, *words = shlex.split(command)
    return [MODULES[program], *words]


def _replies(network: Network, uri: str, reader: Account) -> list[dict[str, Any]]:
    network.process()
    found: list[dict[str, Any]] = network.get_post_thread(uri, reader.did).get("replies", [])
    return found


def main() -> int:
    """Run it on a network of its own; 69 when that cannot be had here."""
    try:
        installed = install(os.environ)
    except NotInstallable as problem:
        print(problem, file=sys.stderr)
        return 69
    with ExitStack() as stack:
        server = stack.enter_context(running_postgres())
        network = stack.enter_context(running_network(installed, server))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="skywright-first-day-")))
        first_day(network, folder, lambda line: print(line, flush=True))
    return 0


if __name__ == "__main__":
    sys.exit(main())
