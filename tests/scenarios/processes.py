"""A machine that a bot and its lanes run on: the real commands as processes, each of them ended with the test."""

import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import httpx
import psutil
from cryptography.fernet import Fernet

from bot.clock import Clock
from bot.ledger.ledger import Ledger, open_ledger
from bot.ledger.policy import LedgerPolicy
from bot.ledger.views import Document
from guardrails.access import Caller, Role
from guardrails.documents import DeviceId
from guardrails.transitions import Status
from tests.documents import newest
from tests.ledger_fixtures import slug_for
from tests.lifeline import end, spawn
from tests.waiting import SECONDS, until

TOKEN = "sw_" + "t" * 43
OPERATOR = Caller(Role.OPERATOR, DeviceId("test"))
# Below what the system gives to outgoing connections, so that none of those takes a port before its listener does.
PORTS = range(20_000, 32_000)
_given: set[int] = set()
QUICK = {
    "SKYWRIGHT_POLL_SECONDS": "0.2",
    "SKYWRIGHT_TICK_SECONDS": "0.2",
    "SKYWRIGHT_CALL_DEADLINE_SECONDS": "2",
    "SKYWRIGHT_LEASE_SECONDS": "1",
}


class Program:
    """One command as a process; under the lifeline, so that it ends with the test runner, too."""

    def __init__(
        self, command: Sequence[str], folder: Path, env: Mapping[str, str], log: Path, within: Sequence[str] = ()
    ) -> None:
        self._log = log
        with log.open("wb") as said:
            self._watcher = spawn(
                [*within, sys.executable, "-m", *command],
                cwd=folder,
                env={**environment(folder), **env},
                stdout=said,
                stderr=subprocess.STDOUT,
            )

    @property
    def said(self) -> str:
        """What it has written so far."""
        return self._log.read_text(errors="replace")

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._watcher.poll() is not None

    @property
    def itself(self) -> psutil.Process:
        """The program, not its watcher."""
        (itself,) = until(lambda: psutil.Process(self._watcher.pid).children())
        return itself

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.itself.send_signal(number)

    def kill(self) -> None:
        """End it as a crash would, with no word of warning."""
        self.send(signal.SIGKILL)
        self.status()

    def stop(self) -> int:
        """Ask it to end, as a supervisor does; its exit status."""
        self.send(signal.SIGTERM)
        return self.status()

    def status(self) -> int:
        """Wait for its end; the exit status."""
        return self._watcher.wait(SECONDS)

    def let_go(self) -> None:
        """Begin to be rid of it, whatever it does."""
        if self._watcher.stdin is not None:
            self._watcher.stdin.close()

    def end(self) -> None:
        """Be rid of it."""
        end(self._watcher)


class Machine:
    """A folder, three ports and the settings of one bot; its ledger may be read beside it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        apps, lane, admin = free_ports(3)
        self.folder = folder
        self.apps_port, self.lane_port, self.admin_port = apps, lane, admin
        self.apps_url = f"http://localhost:{apps}"
        self.lane_url = f"http://127.0.0.1:{lane}"
        self.settings = {
            "SKYWRIGHT_SESSION_KEY": Fernet.generate_key().decode(),
            "SKYWRIGHT_DATABASE_URL": f"sqlite:///{folder / 'ledger.db'}",
            "SKYWRIGHT_APPS_URL": self.apps_url,
            "SKYWRIGHT_APPS_LISTEN": f"127.0.0.1:{apps}",
            "SKYWRIGHT_LANE_LISTEN": f"127.0.0.1:{lane}",
            "SKYWRIGHT_ADMIN_LISTEN": f"127.0.0.1:{admin}",
            **QUICK,
            **{f"SKYWRIGHT_{name.upper()}": value for name, value in settings.items()},
        }
        # What starts the bot and its commands, and becomes them: it may put them into a world of their own.
        self.within: Sequence[str] = ()
        self._programs: list[Program] = []
        self._numbers = count(1)

    def bot(self, *arguments: str, **settings: str) -> Program:
        """Start the bot, and wait until it answers for its health."""
        program = self.skywright("run", *arguments, **settings)

        def answers() -> bool:
            assert not program.has_ended, program.said
            return self.health() is not None

        until(answers, told=lambda: program.said)
        return program

    def lane(self, url: str | None = None, token: str = TOKEN) -> Program:
        """Start a lane for the bot, or for what stands before it."""
        env = {
            "SKYWRIGHT_LANE_BOT_URL": url or self.lane_url,
            "SKYWRIGHT_LANE_TOKEN": token,
            "SKYWRIGHT_LANE_POLL_SECONDS": "0.2",
            "SKYWRIGHT_LANE_WORK_DIR": str(self.folder),
            "SKYWRIGHT_LANE_BROWSER": "off",
        }
        return self._started(["builder.cli", "watch"], env)

    def skywright(self, *arguments: str, **settings: str) -> Program:
        """Start a command with the bot's settings, some of them changed."""
        changed = {f"SKYWRIGHT_{name.upper()}": value for name, value in settings.items()}
        return self._started(["bot.cli", *arguments], self.settings | changed, self.within)

    def enrol(self, name: str = "lane", token: str = TOKEN) -> None:
        """Let a lane with this token in."""
        with self.ledger() as ledger:
            ledger.desk.add_device(OPERATOR, DeviceId(name), name, Role.LANE, self.apps_url, token)

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """The bot's ledger, opened beside it for as long as the block lasts."""
        url, direct = (self.settings.get(f"SKYWRIGHT_DATABASE_{name}") for name in ("URL", "DIRECT_URL"))
        ledger = open_ledger(str(url), Clock(), LedgerPolicy(), slug_for, direct)
        try:
            yield ledger
        finally:
            ledger.close()

    def document(self, uri: str, status: Status) -> Document:
        """The document of a post, once it has this status."""
        with self.ledger() as ledger:

            def found() -> Document | None:
                documents = [each for each in newest(ledger, 100) if each.source_uri == uri]
                return documents[0] if documents and documents[0].status is status else None

            return until(found, told=lambda: "\n".join(program.said for program in self._programs))

    def lose_the_ledger(self) -> None:
        """Delete the ledger's files."""
        files = list(self.folder.glob("ledger.db*"))
        assert files
        for file in files:
            file.unlink()

    def health(self) -> dict[str, object] | None:
        """What the bot says of itself; None while nothing answers."""
        try:
            told: dict[str, object] = self.get("127.0.0.1", self.admin_port, "/health").json()
        except httpx.TransportError:
            return None
        return told

    def page(self, path: str, app: str | None = None) -> httpx.Response:
        """What the apps listener answers to a browser: under its own name, or under an app's."""
        return self.get(f"{app}.localhost" if app else "localhost", self.apps_port, path)

    def get(self, host: str, port: int, path: str) -> httpx.Response:
        """The answer of a port here when it is called by that host name, which need not resolve."""
        headers = {"Host": f"{host}:{port}"}
        return httpx.get(f"http://127.0.0.1:{port}{path}", headers=headers, trust_env=False, timeout=SECONDS)

    def end(self) -> None:
        """End whatever runs."""
        end_all(self._programs)

    def _started(self, command: list[str], env: Mapping[str, str], within: Sequence[str] = ()) -> Program:
        log = self.folder / f"{next(self._numbers)}-{command[0]}.log"
        self._programs.append(Program(command, self.folder, env, log, within))
        return self._programs[-1]


def end_all(programs: Sequence[Program]) -> None:
    """Be rid of them: all begin to end before any is waited for."""
    for program in programs:
        program.let_go()
    for program in programs:
        program.end()


@contextmanager
def machine(folder: Path, **settings: str) -> Iterator[Machine]:
    """A machine with these SKYWRIGHT_ settings on top; every program that runs on it ends with the block."""
    made = Machine(folder, **settings)
    try:
        yield made
    finally:
        made.end()


def environment(home: Path) -> dict[str, str]:
    """What a program is told besides its settings: nothing of the person's who runs the tests."""
    coverage = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(home), "TMPDIR": str(home)} | coverage


def free_ports(number: int) -> list[int]:
    """Ports that nobody listens on now, and that were given to nobody else here."""
    with ExitStack() as held:
        found: list[int] = []
        while len(found) < number:
            port = random.SystemRandom().choice(PORTS)
            if port in _given:
                continue
            try:
                held.enter_context(socket.create_server(("127.0.0.1", port)))
            except OSError:
                continue
            found.append(port)
            _given.add(port)
        return found
