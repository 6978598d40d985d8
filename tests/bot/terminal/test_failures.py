"""What goes wrong is a line and an exit status."""

import os
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from bot.cli import EPILOG
from bot.holding import sole_holder
from bot.ledger.schema import head_revision
from bot.terminal.failures import Exit
from tests.bot.terminal.prompt import CANARY, Prompt

SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


@pytest.fixture
def taken() -> Iterator[str]:
    """An address that something else listens on."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield f"127.0.0.1:{other.getsockname()[1]}"


@pytest.fixture
def quiet(host: Prompt) -> Prompt:
    """A bot on free ports."""
    listens = {f"SKYWRIGHT_{name}_LISTEN": "127.0.0.1:0" for name in ("APPS", "LANE", "ADMIN")}
    return host.having(**listens)


def test_every_exit_status_is_documented() -> None:
    """In the last lines of `skywright --help`."""
    assert [str(status.value) for status in Exit] == re.findall(r"\b\d+\b", EPILOG)


@SQLITE
def test_each_wrong_setting_is_named(prompt: Prompt) -> None:
    """With what is wrong and what mends it."""
    result = prompt.having(SKYWRIGHT_SESSION_KEY="short", SKYWRIGHT_POLL_SECONDS="0").run("run")

    assert 78 == result.exit_code
    for name in ("IDENTIFIER: is not set", "PASSWORD: is not set", "SESSION_KEY: ", "POLL_SECONDS: ", "--env-file"):
        assert name in result.stderr
    assert "skywright new-key" in result.stderr


@pytest.mark.parametrize(
    "command",
    [["list"], ["tail", "--until-empty"], ["show", "x"], ["pause"], ["devices", "list"], ["sends"], ["skip", "x"]],
)
def test_a_ledger_that_is_not_there_is_not_made(tmp_path: Path, command: list[str]) -> None:
    """Whoever mistypes its address is told, and finds no new file."""
    file = tmp_path / "none.db"

    result = Prompt({"SKYWRIGHT_DATABASE_URL": f"sqlite:///{file}"}).run(*command)

    assert 78 == result.exit_code
    assert "skywright migrate" in result.stderr
    assert not file.exists()


def test_migrate_says_from_where_to_where(empty_url: str) -> None:
    """On either database; a second time there is nothing to do."""
    prompt = Prompt({"SKYWRIGHT_DATABASE_URL": empty_url})

    behind = prompt.run("list")
    first, second = prompt.lines("migrate"), prompt.lines("migrate")

    assert (78, True) == (behind.exit_code, "skywright migrate" in behind.stderr)
    assert f"from nothing to {head_revision()}" in first[0]
    assert "already" in second[0]
    assert 0 == prompt.run("list").exit_code


def test_migrate_says_which_database_it_has_made(empty_url: str) -> None:
    """Whoever misspells its address would not know of another; the password of one is nobody's to read."""
    prompt = Prompt({"SKYWRIGHT_DATABASE_URL": empty_url.replace("postgres@", f"postgres:{CANARY}@")})
    place = str(make_url(empty_url).database)

    first, second = prompt.lines("migrate"), prompt.lines("migrate")

    assert [(True, True), (True, False)] == [(place in told, "new" in told) for told in (first[0], second[0])]
    assert CANARY not in first[0] + second[0]


def test_migrate_names_a_setting_that_is_misspelt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By it the ledger may be elsewhere than was meant: the one that stands by default is made, and named."""
    monkeypatch.chdir(tmp_path)
    result = Prompt({"SKYWRIGHT_DATABSE_URL": f"sqlite:///{tmp_path}/meant.db"}).run("migrate")

    assert 0 == result.exit_code, result.output
    assert "SKYWRIGHT_DATABSE_URL is no setting; SKYWRIGHT_DATABASE_URL is" in result.stderr
    (made,) = tmp_path.glob("*.db")
    assert str(made.resolve()) in result.stdout


@SQLITE
def test_a_second_bot_on_the_ledger_does_not_start(quiet: Prompt) -> None:
    """It says who holds it."""
    with sole_holder(quiet.env["SKYWRIGHT_DATABASE_URL"]), quiet.started("run") as bot:
        _, told = bot.communicate(timeout=30)

    assert 4 == bot.returncode
    assert f"process {os.getpid()}" in told


@SQLITE
def test_a_taken_address_is_named(quiet: Prompt, taken: str) -> None:
    """With the listener that wanted it."""
    with quiet.having(SKYWRIGHT_LANE_LISTEN=taken).started("run") as bot:
        _, told = bot.communicate(timeout=30)

    assert 5 == bot.returncode
    assert f"the lane listener cannot have {taken}" in told
    assert "Traceback" not in told


@SQLITE
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_drains_the_bot(quiet: Prompt, number: signal.Signals) -> None:
    """It ends by itself, and well."""
    with quiet.having(SKYWRIGHT_LOG="json").started("run") as bot:
        assert bot.stderr is not None
        lines = iter(bot.stderr.readline, "")
        assert any('"event": "running"' in line for line in lines)
        bot.send_signal(number)
        rest = bot.stderr.read()
        bot.wait(30)

    assert 0 == bot.returncode
    assert '"event": "stopped"' in rest
