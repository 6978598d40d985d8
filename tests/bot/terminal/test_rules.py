"""Showing the rules, and having them read anew."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from structlog.testing import capture_logs

from bot.api.app import admin_app
from bot.jobs.board import JobBoard
from bot.ledger.ledger import Ledger
from bot.rules import RulesFile
from guardrails.rules import Rules, read_rules
from tests.bot.serving import served
from tests.bot.terminal.prompt import Prompt

ONE, TWO = "[caps]\nauthor_per_hour = 1\n", "[caps]\nauthor_per_hour = 2\n"
AWAY = "http://127.0.0.1:1"
SQLITE = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "guardrails.toml"
    path.write_text(ONE)
    return path


@pytest.fixture
def ruled(file: Path) -> Prompt:
    """Somebody with a file of rules, and no bot that runs."""
    return Prompt({"SKYWRIGHT_RULES": str(file), "SKYWRIGHT_ADMIN_URL": AWAY})


@pytest.fixture
def running(ruled: Prompt, file: Path, ledger: Ledger) -> Iterator[Prompt]:
    """The same with a bot that has read the file."""
    app = admin_app(ledger, JobBoard(ledger.db.time), ledger.db.time, RulesFile(file))
    # It is in this process, and its log is not what the commands print.
    with capture_logs(), served(lambda _: app) as port:
        yield ruled.having(SKYWRIGHT_ADMIN_URL=f"http://127.0.0.1:{port}")


def test_every_rule_is_shown_as_a_file_would_have_it(ruled: Prompt) -> None:
    """What differs from what is built in stands beside that; the version goes where no script reads it."""
    result = ruled.run("rules")

    lines = [line.split("\t") for line in result.stdout.splitlines()]
    rows = {name: (value, usual) for name, value, usual in lines}
    text = "\n".join(f"{name} = {value}" for name, value, _ in lines[1:])
    assert ("1", "3") == rows["caps.author_per_hour"]
    assert ('"held"', "") == rows["approval.policy"]
    assert read_rules(ONE) == read_rules(text)
    assert f"rules {read_rules(ONE).version}, from " in result.stderr
    assert f"no bot answers at {AWAY}" in result.stderr


def test_the_built_in_ones_without_a_file() -> None:
    """And all of it for programs."""
    (line,) = Prompt({"SKYWRIGHT_ADMIN_URL": AWAY}).lines("rules", "--json")

    told = json.loads(line)
    assert (Rules().version, None, None) == (told["version"], told["file"], told["in_force"])
    assert Rules().model_dump(mode="json") == told["rules"]


def test_another_file_is_tried(ruled: Prompt, tmp_path: Path) -> None:
    """A bad one is a line for each wrong key, with the mend and the status of wrong settings; nothing is used."""
    other = tmp_path / "new.toml"
    other.write_text("[caps]\nauthor_per_our = 2\nall_per_day = 0\n")

    result = ruled.run("rules", "--file", str(other))

    assert (78, "") == (result.exit_code, result.stdout)
    assert f"  {other}: caps.author_per_our: no such key" in result.stderr
    assert f"  {other}: caps.all_per_day: " in result.stderr
    assert "guardrails.example.toml" in result.stderr


@SQLITE
def test_whether_the_bot_goes_by_them(running: Prompt, file: Path) -> None:
    """Until it is told to, it goes by those that it has read."""
    assert "the running bot goes by them\n" in running.run("rules").stderr

    file.write_text(TWO)
    assert f"goes by {read_rules(ONE).version}: `skywright reload`" in running.run("rules").stderr


@SQLITE
def test_the_bot_reads_them_anew(running: Prompt, file: Path) -> None:
    """The version in force is said; a second time it is as before."""
    file.write_text(TWO)

    version = read_rules(TWO).version
    assert [f"rules {version} are in force"] == running.lines("reload")
    assert [f"rules {version} are in force, as before"] == running.lines("reload")


@SQLITE
def test_bad_rules_are_told_and_change_nothing(running: Prompt, file: Path) -> None:
    """Each key, and what stays in force."""
    file.write_text("[caps]\nauthor_per_our = 2\n")

    result = running.run("reload")

    assert (78, "") == (result.exit_code, result.stdout)
    assert f"{file}: caps.author_per_our: no such key" in result.stderr
    assert f"{read_rules(ONE).version} stays in force" in result.stderr


def test_no_bot_that_could_read_them(ruled: Prompt) -> None:
    """It is looked for where the settings say, and how else it is done is told."""
    result = ruled.run("reload")

    assert (5, "") == (result.exit_code, result.stdout)
    assert f"no bot answers at {AWAY}" in result.stderr
    assert "SIGHUP" in result.stderr


def test_something_else_that_answers(ruled: Prompt) -> None:
    """It is no bot, whatever it says."""
    with served(lambda _: FastAPI(openapi_url=None)) as port:
        result = ruled.having(SKYWRIGHT_ADMIN_URL=f"http://127.0.0.1:{port}").run("reload")

    assert (5, True) == (result.exit_code, "is it the admin listener?" in result.stderr)


@SQLITE
def test_a_start_with_bad_rules_is_refused(host: Prompt, file: Path) -> None:
    """Before anything is opened."""
    file.write_text("[nonsense]\n")

    result = host.having(SKYWRIGHT_RULES=str(file)).run("run")

    assert (78, True) == (result.exit_code, f"{file}: nonsense: no such key" in result.stderr)
