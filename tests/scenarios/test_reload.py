"""The rules are changed while the bot runs, and the terminal that it runs in is closed."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.jobs.reload import RULES
from guardrails.rules import read_rules
from tests.scenarios.processes import Machine, environment, machine
from tests.scenarios.terminal import terminal
from tests.waiting import until

pytestmark = pytest.mark.slow
ONE, TWO = "[caps]\nauthor_per_hour = 1\n", "[caps]\nauthor_per_hour = 2\n"
AWAY = {
    "identifier": "did:plc:wright",
    "password": "pw",
    "pds_url": "http://127.0.0.1:1",
    "plc_url": "http://127.0.0.1:1",
}


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "guardrails.toml"
    file.write_text(ONE)
    return file


@pytest.fixture
def here(tmp_path: Path, rules: Path) -> Iterator[Machine]:
    """A bot's machine, its network away."""
    with machine(tmp_path, rules=str(rules), **AWAY) as here:
        yield here


def in_force(here: Machine) -> object:
    return (here.health() or {}).get("rules")


def test_a_hang_up_reads_the_rules_anew(here: Machine, rules: Path) -> None:
    """A good file is in force then; a bad one is told, and changes nothing."""
    bot = here.bot()
    rules.write_text(TWO)
    assert read_rules(ONE).version == in_force(here)

    bot.send(signal.SIGHUP)
    until(lambda: read_rules(TWO).version == in_force(here), told=lambda: bot.said)

    rules.write_text("nonsense = 1\n")
    bot.send(signal.SIGHUP)
    with here.ledger() as ledger:
        until(lambda: ledger.conditions.stands(RULES), told=lambda: bot.said)
    assert read_rules(TWO).version == in_force(here)
    assert "nonsense: no such key" in bot.said
    assert 0 == bot.stop()


def test_a_start_over_bad_rules_is_refused(here: Machine, rules: Path) -> None:
    """With the key, the mend and the exit status of wrong settings."""
    rules.write_text("[money]\nday_usd = 'much'\n")

    bot = here.skywright("run")

    assert 78 == bot.status()
    assert f"{rules}: money.day_usd: " in bot.said
    assert "guardrails.example.toml" in bot.said


def test_a_bot_whose_terminal_is_closed_ends_in_order(here: Machine, tmp_path: Path) -> None:
    """A hang-up of its own terminal is no wish for other rules."""
    env = {**environment(tmp_path), **here.settings, "PYTHONUNBUFFERED": "1"}
    with terminal(["-m", "bot.cli", "run"], tmp_path, env) as window:
        window.shows("running")
        until(lambda: here.health() is not None)

        window.hang_up()

    assert 0 == window.status()
