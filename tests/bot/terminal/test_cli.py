"""The command as a whole: quick to start, and settings from a file."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import typer
from cryptography.fernet import Fernet
from typer.testing import CliRunner

from bot.cli import app
from bot.ledger.ledger import Ledger
from bot.terminal.failures import Exit
from bot.terminal.moments import ago, duration, moment_back
from bot.terminal.options import ACCESS, DECIDE, LOOK, RULE, RUN
from guardrails.transitions import Status
from tests.bot.ledger.steps import build_failed
from tests.bot.terminal.commands import commands
from tests.bot.terminal.prompt import Prompt

HEAVY = ["alembic", "atproto_client", "cryptography", "fastapi", "httpx", "pydantic_settings", "sqlalchemy", "uvicorn"]
# What no command that only looks at a ledger has to wait for.
LATER = {"alembic", "apscheduler", "atproto_client", "fastapi", "httpx", "jinja2", "PIL", "pydantic_ai", "uvicorn"}
# Nor for what logs and moves, nor for the other database: each takes a good part of the look itself.
LATER |= {"structlog", "rich.traceback", "bot.ledger.store", "bot.ledger.people", "sqlalchemy.dialects.postgresql"}
LATER |= {"psycopg", "websockets"}
# Nor for what maps rows to objects, of which the ledger makes none, nor for what judges asks.
LATER |= {"sqlalchemy.orm", "guardrails.verdicts"}
# A list claims nothing, sends nothing and looks nothing up; nor does it show one document whole, or the bot as it is.
NEVER = {
    *("guardrails.rules", "bot.ledger.alerts", "bot.ledger.claims", "bot.ledger.conditions", "bot.ledger.dispatches"),
    *("bot.ledger.enrolments", "bot.ledger.figures", "bot.ledger.hosting", "bot.ledger.lanes", "bot.ledger.queries"),
    *("bot.ledger.sends", "bot.operations.books", "bot.operations.deeds", "bot.operations.doing"),
    *("bot.operations.enrolling", "bot.operations.naming", "bot.operations.persons", "bot.operations.present"),
    "bot.operations.stretches",
}
LISTS = [["list"], ["tail", "--until-empty"]]
LOOKS = [*LISTS, ["show", "3kfirst"], ["logs", "3kfirst"], ["sends"]]
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def loaded(*modules: str) -> set[str]:
    """Which heavy modules are there after an import, in a process of its own."""
    return set(HEAVY) & set(in_python(f"import sys, {', '.join(modules)}; print(*sys.modules)", {}).split())


def in_python(program: str, env: Mapping[str, str]) -> str:
    """What a program prints, in a process of its own."""
    path = {"PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**path, **env}
    ).stdout


def test_the_help_waits_for_nothing_heavy() -> None:
    """Each command imports what it needs when it runs."""
    assert set() == loaded("bot.cli")


@pytest.mark.parametrize(("looks", "later"), [(LOOKS, LATER), (LISTS, LATER | NEVER)], ids=["looks", "lists"])
@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_looking_waits_for_nothing_that_only_the_bot_needs(
    prompt: Prompt, ledger: Ledger, looks: list[list[str]], later: set[str]
) -> None:
    """Neither for its web servers and its account, nor for what migrates the ledger or asks a bot elsewhere."""
    build_failed(ledger)
    program = [
        "import sys",
        "from bot.cli import app",
        f"for command in {looks!r}:",
        "    try: app(command)",
        "    except SystemExit as end: assert not end.code",
        "print(*sys.modules)",
    ]

    assert set() == later & set(in_python("\n".join(program), prompt.env).splitlines()[-1].split())


def test_a_command_ends_at_once() -> None:
    """Python does not look through all that was loaded once more, only to give it back."""
    told = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 0))"

    assert "True" == in_python(f"{told}; from bot.begin import begin; begin()", {}).strip()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("skywright list --status ", {status.value for status in Status}),
        ("skywright retry --reason lab", {"labelled"}),
        ("skywright pause ", {"ingest", "builds", "replies", "all"}),
        ("skywright ta", {"tail", "takedown"}),
        ("skywright costs --by ", {"day", "author", "model", "lane"}),
    ],
)
def test_words_are_completed(words: str, expected: set[str]) -> None:
    """Commands, statuses, reasons, switches; nobody is asked for them."""
    count = len(words.split()) - (0 if words.endswith(" ") else 1)
    asked = {"_SKYWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(count)}

    result = CliRunner().invoke(app, [], env=asked, prog_name="skywright")

    assert expected == set(result.stdout.split())


def test_completing_waits_for_nothing_heavy() -> None:
    """Neither the ledger nor the network is touched: what would do it is not even loaded."""
    asked = {"_SKYWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": "skywright list --status ", "COMP_CWORD": "3"}
    run = "app(prog_name='skywright')"
    program = f"import sys; from bot.cli import app\ntry: {run}\nexcept SystemExit: print(*sys.modules)"

    assert set() == set(HEAVY) & set(in_python(program, asked).splitlines()[-1].split())


def test_the_help_names_every_command() -> None:
    """Under a heading that says what it is for; and what the exit statuses mean."""
    told = Prompt().run("--help").stdout
    headings = [heading for heading in re.findall(r"^╭─ ([\w ]+) ─", told, re.MULTILINE) if heading != "Options"]
    assert [RUN, LOOK, DECIDE, RULE, ACCESS] == headings

    commands = [
        "init",
        "run",
        "migrate",
        "backup",
        "restore",
        "migrate-ledger",
        "tail",
        "list",
        "show",
        "ask",
        "pause",
        "resume",
        "logs",
        "costs",
        "audit",
        "export",
        "delete",
        "takedown",
        "lanes",
        "login",
        "doctor",
        "sends",
        "parked",
        "resolve",
        "approve",
        "skip",
        "retry",
        "deny",
        "allow",
        "lift",
        "people",
        "forget",
        "unpublished",
        "rules",
        "reload",
        "replay",
        "profile",
        "devices",
        "new-key",
    ]
    for command in commands:
        assert f" {command} " in told
    for status in Exit:
        assert f" {status.value} " in " ".join(told.split())


def test_json_everywhere() -> None:
    """What looks or decides speaks to scripts; the rest says nothing to be read, or but one word of its own."""
    silent = {name for name, command in commands().items() if not any("--json" in each.opts for each in command.params)}

    assert silent == {
        *(
            "init",
            "run",
            "migrate",
            "backup",
            "restore",
            "migrate-ledger",
            "login",
            "new-key",
            "version",
            "demo",
            "demo say",
            "profile apply",
            "reload",
            "export",
        ),
        *("alerts test", "devices revoke", "console link", "console revoke"),
    }


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


@pytest.mark.parametrize("text", ["", "6", "-6h", "1h30m", "1e3s", "½h", "9999999d", "999999d"])
def test_no_durations(text: str) -> None:
    """Anything else is refused."""
    with pytest.raises(typer.BadParameter):
        duration(text)


def test_no_moment() -> None:
    """One before all time in UTC is refused, too."""
    with pytest.raises(typer.BadParameter):
        moment_back("0001-01-01T00:00+14:00", datetime.now(UTC))


@pytest.mark.parametrize(("seconds", "expected"), [(-5, "0s"), (59, "59s"), (60, "1m"), (7_300, "2h"), (90_000, "1d")])
def test_how_long_ago(seconds: int, expected: str) -> None:
    """In the largest unit; a clock that runs ahead is no matter."""
    assert expected == ago(NOON - timedelta(seconds=seconds), NOON)
