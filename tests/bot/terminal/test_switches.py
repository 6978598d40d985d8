"""Pausing and resuming."""

import pytest

from bot.ledger.ledger import Ledger
from guardrails.switches import Switch
from tests.bot.terminal.prompt import Prompt

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def paused(ledger: Ledger) -> set[Switch]:
    return {switch for switch, *_ in ledger.desk.switches_on()}


def test_one_kind_of_work_is_paused_with_the_reason(prompt: Prompt, ledger: Ledger) -> None:
    """Who did it and why is there for the next person."""
    lines = prompt.lines("pause", "builds", "--why", "the purse is empty")

    ((switch, device, why, _),) = ledger.desk.switches_on()
    assert (Switch.PAUSE_BUILDS, "the purse is empty") == (switch, why)
    assert device.startswith("cli:")
    assert [["ingest", "runs"], ["builds", "paused"], ["replies", "runs"]] == [
        line.split("\t")[:2] for line in lines[1:]
    ]


def test_all_of_it(prompt: Prompt, ledger: Ledger) -> None:
    """And back, one by one or at once."""
    prompt.run("pause", "all", "--why", "moving")
    assert set(Switch) == paused(ledger)

    prompt.run("resume", "replies")
    assert set(Switch) - {Switch.PAUSE_REPLIES} == paused(ledger)

    prompt.run("resume", "all")
    assert set() == paused(ledger)


def test_a_pause_needs_its_reason(prompt: Prompt, ledger: Ledger) -> None:
    """Nothing is paused without one."""
    result = prompt.run("pause", "all")

    assert 2 == result.exit_code
    assert "--why" in result.stderr
    assert set() == paused(ledger)


def test_pause_alone_shows_the_switches(prompt: Prompt, ledger: Ledger) -> None:
    """And changes none."""
    lines = prompt.lines("pause")

    assert ["runs"] * 3 == [line.split("\t")[1] for line in lines[1:]]
    assert set() == paused(ledger)
