"""The command as a whole: quick to start, and settings from a file."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import typer
from cryptography.fernet import Fernet

from bot.terminal.moments import ago, duration
from tests.bot.terminal.prompt import Prompt

HEAVY = ["alembic", "atproto_client", "cryptography", "fastapi", "httpx", "pydantic_settings", "sqlalchemy", "uvicorn"]
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def loaded(*modules: str) -> set[str]:
    """Which heavy modules are there after an import, in a process of its own."""
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(HEAVY) & set(told.stdout.split())


def test_the_help_waits_for_nothing_heavy() -> None:
    """Each command imports what it needs when it runs."""
    assert set() == loaded("bot.cli")


def test_the_tail_waits_for_no_web_server() -> None:
    """Nor for what only the running bot needs."""
    assert set() == loaded("bot.cli", "bot.terminal.tail") & {"fastapi", "uvicorn"}


def test_the_help_names_every_command() -> None:
    """In the order in which one needs them."""
    told = Prompt().run("--help").stdout

    commands = [
        "run",
        "migrate",
        "tail",
        "list",
        "show",
        "ask",
        "pause",
        "resume",
        "login",
        "doctor",
        "sends",
        "resolve",
        "approve",
        "skip",
        "retry",
        "deny",
        "allow",
        "lift",
        "people",
        "forget",
        "rules",
        "reload",
        "replay",
        "profile",
        "devices",
        "new-key",
    ]
    for command in commands:
        assert f" {command} " in told


def test_a_new_key_is_one() -> None:
    """A script captures it."""
    (key,) = Prompt().lines("new-key")

    Fernet(key)  # it raises for anything else
    assert 44 == len(key)


@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_settings_come_from_a_file(ledger_url: str, tmp_path: Path) -> None:
    """What is set in the environment already stands; a file that others cannot read is no matter."""
    file = tmp_path / "bot.env"
    file.write_text(f'# ours\nSKYWRIGHT_DATABASE_URL="{ledger_url}"\nSKYWRIGHT_APPS_URL=nonsense\n')
    file.chmod(0o600)

    with Prompt({"SKYWRIGHT_APPS_URL": "https://apps.example"}).started("--env-file", str(file), "list") as command:
        told = command.communicate(timeout=30)

    assert (0, ("created\tid\tstatus\treason\tauthor\task\n", "")) == (command.returncode, told)


def test_a_file_that_others_can_read_is_warned_of(tmp_path: Path) -> None:
    """It holds secrets."""
    file = tmp_path / "bot.env"
    file.write_text("SKYWRIGHT_CALL=1\n")
    file.chmod(0o644)

    with Prompt().started("--env-file", str(file), "version") as command:
        _, told = command.communicate(timeout=30)

    assert 0 == command.returncode
    assert f"chmod 600 {file}" in told


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    """Rather than a bot without its settings."""
    assert 2 == Prompt().run("--env-file", str(tmp_path / "none"), "version").exit_code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90s", timedelta(seconds=90)),
        ("10m", timedelta(minutes=10)),
        (" 6H", timedelta(hours=6)),
        ("2d", timedelta(days=2)),
    ],
)
def test_durations(text: str, expected: timedelta) -> None:
    """As people write them."""
    assert expected == duration(text)


@pytest.mark.parametrize("text", ["", "6", "-6h", "1h30m", "1e3s", "½h", "9999999d"])
def test_no_durations(text: str) -> None:
    """Anything else is refused."""
    with pytest.raises(typer.BadParameter):
        duration(text)


@pytest.mark.parametrize(("seconds", "expected"), [(-5, "0s"), (59, "59s"), (60, "1m"), (7_300, "2h"), (90_000, "1d")])
def test_how_long_ago(seconds: int, expected: str) -> None:
    """In the largest unit; a clock that runs ahead is no matter."""
    assert expected == ago(NOON - timedelta(seconds=seconds), NOON)
