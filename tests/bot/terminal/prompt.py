"""A person at a prompt: runs commands in this process, or starts them as a person's shell would."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import cache
from unittest.mock import patch

import pytest
from cryptography.fernet import Fernet
from typer.main import get_command
from typer.testing import CliRunner, Result

from bot.cli import app
from bot.sandbox.server import SandboxServer
from bot.sandbox.state import SandboxAccount
from guardrails.findings import State

CANARY = "canary-7f3a9c"
COMMAND = [sys.executable, "-m", "bot.cli"]
# All the commands, put together once and not for each call: that takes longer than many a command.
_whole = cache(get_command)


class Keyboard(io.BytesIO):
    """What a person types at a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Prompt:
    """Commands with an environment of their own."""

    env: Mapping[str, str] = field(default_factory=dict)

    def having(self, **env: str) -> "Prompt":
        """The same with more in the environment."""
        return replace(self, env={**self.env, **env})

    def run(self, *command: str) -> Result:
        """What a command prints into a pipe, and its exit status; what it sets in the environment goes with it.

        What steers the tests, as CI does, is no setting of a person's.
        """
        with patch.dict(os.environ), patch("typer.testing._get_command", _whole):
            for name in [name for name in os.environ if name.startswith("SKYWRIGHT_TEST_")]:
                del os.environ[name]
            # Which bot a command works on is known to its context, and to no command after it.
            here = copy_context()
            return here.run(CliRunner().invoke, app, command, env=self.env, catch_exceptions=False)

    def typing(self, words: str, *command: str) -> Result:
        """The same with somebody at the keyboard, who answers what they are asked."""
        with pytest.MonkeyPatch.context() as keyboard:
            keyboard.setattr("typer.testing.make_input_stream", lambda *_: Keyboard(words.encode()))
            return self.run(*command)

    def on_terminal(self, *command: str, columns: int = 80) -> str:
        """What a terminal so wide shows, where it knows no colours; the environment may say that it does."""
        with pytest.MonkeyPatch.context() as window:
            window.setattr("typer.testing.BytesIOCopy.isatty", lambda _: True)
            env = {"TERM": "dumb", "COLUMNS": str(columns), "LINES": "25", **self.env}
            return replace(self, env=env).run(*command).stdout

    def lines(self, *command: str) -> list[str]:
        """The lines that a command prints; it ends well."""
        result = self.run(*command)
        assert (0, "") == (result.exit_code, result.stderr)
        return result.stdout.splitlines()

    @contextmanager
    def started(self, *command: str) -> Iterator[subprocess.Popen[str]]:
        """A command as a process of its own, its output in pipes; ended with the block if it has not ended itself."""
        env = {"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1", **self.env}
        pipe = subprocess.PIPE
        with subprocess.Popen([*COMMAND, *command], env=env, stdout=pipe, stderr=pipe, text=True) as process:
            try:
                yield process
            finally:
                process.kill()


def on_the_sandbox(sandbox: SandboxServer, account: SandboxAccount) -> dict[str, str]:
    """The settings of a bot with this account."""
    return {
        "SKYWRIGHT_IDENTIFIER": account.handle,
        "SKYWRIGHT_PASSWORD": account.password,
        "SKYWRIGHT_SESSION_KEY": Fernet.generate_key().decode(),
        "SKYWRIGHT_PDS_URL": sandbox.url,
        "SKYWRIGHT_PLC_URL": f"{sandbox.url}/plc",
        "SKYWRIGHT_CALL_DEADLINE_SECONDS": "15",
    }


def findings(prompt: Prompt) -> dict[str, dict[str, str]]:
    """What the doctor says of each thing; of several lines about one, the gravest."""
    told = json.loads(prompt.run("doctor", "--json").stdout)
    grave = sorted(told["findings"], key=lambda finding: list(State).index(State(finding["state"])))
    return {finding["name"]: finding for finding in grave}
