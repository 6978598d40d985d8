"""A folder in which a bot is set up, and the ways to do it."""

import os
import stat
from pathlib import Path

import pytest
from dotenv import dotenv_values
from typer.testing import Result

from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from tests.bot.terminal.prompt import CANARY, Prompt
from tests.scenarios.processes import free_ports

LOGIN = "com.atproto.server.createSession"
MADE = ["guardrails.toml", "lane.env", "skywright.db", "skywright.env"]
OWN_PASSWORD = f"{CANARY}-own"
# What somebody types who agrees with everything, from the handle on.
HANDLE, LEDGER, PASSWORD = "wright.test\n", "\n", f"{CANARY}\n"
REST = "\n\n\nops@wright.example\n\n\n\n"


class Folder:
    """The folder, and what somebody has in it."""

    def __init__(self, path: Path, prompt: Prompt, account: SandboxAccount, sandbox: SandboxServer) -> None:
        self.path = path
        self.prompt = prompt
        self.account = account
        self.network = sandbox.network

    def answering(self, words: str, *flags: str, **env: str) -> Result:
        """`skywright init` with somebody at the keyboard."""
        return self.prompt.having(**env).typing(words, "init", *flags)

    def by_flags(self, *flags: str, **env: str) -> Result:
        """The same with nobody there, and whatever it needs."""
        given = {"SKYWRIGHT_PASSWORD": CANARY, **env}
        usual = ("--yes", "--handle", "wright.test", "--contact", "ops@wright.example")
        return self.prompt.having(**given).run("init", *usual, *flags)

    def files(self) -> list[str]:
        """All that is there, but for what is about the test itself."""
        return sorted(each.name for each in self.path.iterdir() if each.name != "skywright.db.lock")

    def settings(self, name: str = "skywright.env") -> dict[str, str]:
        """What a settings file sets."""
        return {key: value for key, value in dotenv_values(self.path / name, interpolate=False).items() if value}

    def mode(self, name: str) -> int:
        """Who may read a file."""
        return stat.S_IMODE((self.path / name).stat().st_mode)

    @property
    def logins(self) -> int:
        """How many logins there were."""
        return len(self.network.calls_to(LOGIN))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: SandboxServer, wright: SandboxAccount) -> Folder:
    """An empty folder, and an account with an app password."""
    wright.app_passwords["bot"], wright.password = CANARY, OWN_PASSWORD
    path = tmp_path / "box"
    path.mkdir()
    monkeypatch.chdir(path)
    for name in [name for name in os.environ if name.startswith("SKYWRIGHT_") and "_TEST_" not in name]:
        monkeypatch.delenv(name)
    listen = dict(zip(("APPS", "LANE", "ADMIN"), free_ports(3), strict=True))
    env = {f"SKYWRIGHT_{name}_LISTEN": f"127.0.0.1:{port}" for name, port in listen.items()}
    network = {"SKYWRIGHT_PDS_URL": sandbox.url, "SKYWRIGHT_PLC_URL": f"{sandbox.url}/plc"}
    return Folder(path, Prompt({**env, **network}), wright, sandbox)
