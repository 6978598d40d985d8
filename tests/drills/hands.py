"""One box as the runbook has it, and whoever carries out its commands there, each by the program that it names."""

import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from dotenv import dotenv_values

from tests.drills.runbook import parts_of, steps_of
from tests.postgres import PostgresServer, postgres_programs
from tests.scenarios.processes import TOKEN, Machine, Program, environment
from tests.scenarios.terminal import terminal

SETTINGS, LANE = "/etc/skywright/skywright.env", "/etc/skywright/lane.env"
# What a terminal runs is a Python; this one becomes another program.
_BECOME = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"
Writes = Callable[[Sequence[str]], Mapping[str, str]]


class Box(Machine):
    """A machine whose bot, lane and commands have no settings but those of the files that the runbook names."""

    def __init__(self, folder: Path, **settings: str) -> None:
        super().__init__(folder, **settings)
        self._files = {SETTINGS: folder / "skywright.env", LANE: folder / "lane.env"}
        self.write(SETTINGS, self.settings)

    def write(self, file: str, values: Mapping[str, str]) -> None:
        """Change some of the settings that a file holds."""
        place = self._files[file]
        lines = {**(dotenv_values(place, interpolate=False) if place.exists() else {}), **values}
        place.touch(0o600)
        place.write_text("".join(f"{name}={shlex.quote(value or '')}\n" for name, value in lines.items()))
        if file == SETTINGS:
            self.settings |= values

    def lane(self, url: str | None = None, token: str = TOKEN) -> Program:
        """Start the lane, with a token where it has none yet."""
        if not self._files[LANE].exists():
            quick = {"SKYWRIGHT_LANE_POLL_SECONDS": "0.2", "SKYWRIGHT_LANE_WORK_DIR": str(self.folder)}
            bot = {"SKYWRIGHT_LANE_BOT_URL": url or self.lane_url, "SKYWRIGHT_LANE_TOKEN": token}
            self.write(LANE, quick | bot | {"SKYWRIGHT_LANE_BROWSER": "off"})
        return self._started(["builder.cli", "--env-file", str(self._files[LANE]), "watch"], {})

    def skywright(self, *arguments: str, **settings: str) -> Program:
        """Start a command on the file of settings."""
        changed = {f"SKYWRIGHT_{name.upper()}": value for name, value in settings.items()}
        return self._started(["bot.cli", "--env-file", str(self._files[SETTINGS]), *arguments], changed, self.within)


class Hands:
    """Whoever carries out the runbook on a box. What it says and nobody here can do fails."""

    def __init__(self, box: Box, server: PostgresServer | None = None) -> None:
        self.box, self._server = box, server
        self.bot = box.bot()
        self._lane: Program | None = None

    @property
    def lane(self) -> Program:
        """The lane, once one was started."""
        assert self._lane is not None
        return self._lane

    def starts_the_lane(self) -> None:
        """Start it, anew where it runs, or where it has ended by itself since nobody takes its token."""
        if self._lane is not None:
            self._lane.end()
        self._lane = self.box.lane()

    def follow(self, anchor: str, part: str, writes: Writes, typed: str = "", **given: str) -> list[str]:
        """Carry out the commands of a part of a section, and say what each said.

        `writes`: what is set where a file is edited, by what was said until then; `typed`: a password asked for.
        """
        said: list[str] = []
        for words in steps_of(anchor, part):
            values = writes(said) if words[0] == "sudoedit" else {}
            assert all(name in parts_of(anchor)[part] for name in values), values
            said.append(self._does([given.get(word, word) for word in words], values, typed))
        return said

    def _does(self, words: Sequence[str], values: Mapping[str, str], typed: str) -> str:
        match words:
            case ["skywright", *command]:
                program = self.box.skywright(*command)
                assert program.status() in ((0, 1) if command == ["doctor"] else (0,)), (command, program.said)
                return program.said
            case ["sudoedit", file]:
                self.box.write(file, values)
            case ["systemctl", "restart", "skywright-builder@*"]:
                self.starts_the_lane()
            case ["systemctl", ("restart" | "stop" | "start") as verb, "skywright"]:
                self._bot_is_to(verb)
            case ["psql", *command] if self._server is not None:
                return _psql(self._server, command, typed, self.box.folder)
            case _:
                raise AssertionError(f"nobody here can do this: {words}")
        return ""

    def _bot_is_to(self, verb: str) -> None:
        if verb != "start":
            assert 0 == self.bot.stop(), self.bot.said
        if verb != "stop":
            self.bot = self.box.bot()


@contextmanager
def box(folder: Path, **settings: str) -> Iterator[Box]:
    """A box with these settings; every program that runs on it ends with the block."""
    made = Box(folder, **settings)
    try:
        yield made
    finally:
        made.end()


def _psql(server: PostgresServer, command: Sequence[str], typed: str, folder: Path) -> str:
    """As the server's owner; a password is typed at a terminal, where nobody sees it."""
    program = str(postgres_programs() / "psql")
    env = {**environment(folder), "PGHOST": str(server.home), "PGUSER": "postgres"}
    if not any("\\password" in word for word in command):
        done = subprocess.run([program, *command], env=env, capture_output=True, text=True, check=True, timeout=60)
        return done.stdout
    with terminal(["-c", _BECOME, program, *command], folder, env) as window:
        for question in ("Enter new password", "Enter it again"):
            window.asks(question)
            window.type(f"{typed}\n".encode())
        assert 0 == window.status(), window.screen
        assert typed not in window.screen
        return window.screen
