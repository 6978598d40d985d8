"""After `skywright init` for public names, with Caddy before the bot and alerts that arrive: nothing is wrong."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from bot.clock import Clock
from bot.sandbox.network import SandboxNetwork
from bot.sandbox.server import SandboxServer
from tests.bot.hook import Hook, hooked
from tests.bot.terminal.prompt import Prompt
from tests.deploy.front import APPS, LANES, caddy_before, caddy_program
from tests.scenarios.processes import QUICK, Machine, Program, end_all, environment, free_ports
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
PASSWORD = "app-pass-word-1234"
USUAL = ("--yes", "--handle", "wright.test", "--contact", "ops@example.org")
LANE = {"SKYWRIGHT_LANE_BROWSER": "off", "SKYWRIGHT_LANE_POLL_SECONDS": "0.2"}


class Box:
    """A server with nothing on it but the program: what runs there has no settings but those that init writes."""

    def __init__(self, folder: Path, sandbox: SandboxServer) -> None:
        self.here = Machine(folder)
        # What a person would not set: where this network is, what lets a test be quick, and ports of its own.
        listen = {name: value for name, value in self.here.settings.items() if name.endswith("_LISTEN")}
        network = {"SKYWRIGHT_PDS_URL": sandbox.url, "SKYWRIGHT_PLC_URL": f"{sandbox.url}/plc"}
        self.env = {**environment(folder), **QUICK, **listen, **network}
        self.settings = folder / "skywright.env"
        self.programs: list[Program] = []

    def starts(self, module: str, *words: str, **more: str) -> Program:
        """What is left running."""
        log = self.here.folder / f"{len(self.programs)}.log"
        self.programs.append(Program([module, *words], self.here.folder, {**self.env, **more}, log))
        return self.programs[-1]

    def does(self, *words: str, **more: str) -> str:
        """What a command says, which ends well."""
        program = self.starts("bot.cli", *words, **more)
        assert 0 == program.status(), program.said
        return program.said

    def looks(self, authority: Path) -> Mapping[str, dict[str, str]]:
        """The doctor's lines by their names; of several with one, the gravest."""
        said = self.starts("bot.cli", "--env-file", "skywright.env", "doctor", "--json", SSL_CERT_FILE=str(authority))
        said.status()
        grave = sorted(json.loads(said.said)["findings"], key=lambda each: ["ok", "warn", "fail"].index(each["state"]))
        return {each["name"]: each for each in grave}


@pytest.fixture
def hook() -> Iterator[Hook]:
    with hooked() as hook:
        yield hook


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    network = SandboxNetwork(Clock())
    account = network.create_account("wright.test")
    account.app_passwords["bot"], account.password = PASSWORD, "its own"
    with SandboxServer(network) as sandbox:
        box = Box(tmp_path, sandbox)
        try:
            yield box
        finally:
            end_all(box.programs)


def test_nothing_is_wrong_behind_caddy(box: Box, hook: Hook) -> None:
    """Every listener is looked at by the address that others come by, through TLS; the webhook takes the message."""
    caddy_program()
    port, plain_port = free_ports(2)
    urls = ("--apps-url", f"https://{APPS}:{port}", "--lane-url", f"https://{LANES}:{port}")
    box.does("init", *USUAL, *urls, SKYWRIGHT_PASSWORD=PASSWORD, SKYWRIGHT_ALERT_URL=hook.url)
    running = box.starts("bot.cli", "--env-file", "skywright.env", "run")
    with caddy_before(box.here, port, plain_port) as front:
        until(lambda: " running " in running.said, told=lambda: running.said)
        lane = box.starts("builder.cli", "--env-file", "lane.env", "watch", **LANE)
        until(lambda: "event=watching" in lane.said, told=lambda: lane.said)
        assert "took the message" in Prompt(box.env).run("--env-file", str(box.settings), "alerts", "test").output
        found: Mapping[str, dict[str, str]] = {}

        def wrong() -> list[dict[str, str]]:
            nonlocal found
            found = box.looks(front.authority)
            return [each for each in found.values() if each["state"] != "ok"]

        until(lambda: not wrong(), told=lambda: f"{found}")

    assert ["test"] == [each["event"] for each in hook.told]
    assert f"*.{APPS}:{port} leads to the apps listener" == found["app hosts"]["told"]
    assert f"https://{LANES}:{port} wants a token" == found["lane listener"]["told"]
