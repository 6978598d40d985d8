"""Listing documents."""

import json

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from tests.bot.ledger.steps import held, received, skipped, travel
from tests.bot.terminal.prompt import Prompt
from tests.mentions import BOB

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def keys(lines: list[str]) -> list[str]:
    """The record keys of the listed documents."""
    return [line.split("\t")[1].rpartition(":")[2] for line in lines[1:]]


def test_a_pipe_gets_tabs_and_whole_ids(prompt: Prompt, ledger: Ledger) -> None:
    """What `cut` and `sort` can work on."""
    document = skipped(ledger)

    head, line = prompt.lines("list")

    assert ["created", "id", "status", "reason", "author", "ask"] == head.split("\t")
    assert [
        document.created_at.isoformat(),
        "mention:did:plc:alice:3kfirst",
        "skipped",
        "nothing_to_build",
        "alice.test",
        "make me a tip splitter",
    ] == line.split("\t")


def test_a_terminal_gets_a_table(prompt: Prompt, ledger: Ledger) -> None:
    """Aligned, in colours unless they are not wanted."""
    skipped(ledger)

    coloured = prompt.having(FORCE_COLOR="1", COLUMNS="120").run("list").stdout
    plain = prompt.having(FORCE_COLOR="1", COLUMNS="120", NO_COLOR="1").run("list").stdout

    assert "\x1b[2mskipped" in coloured
    assert "\x1b[3" not in plain
    assert "\t" not in plain


def test_the_newest_first_and_at_most_so_many(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """The last ones are what one looks for."""
    for rkey in ("3ka", "3kb", "3kc"):
        received(ledger, rkey)
        travel(ledger_clock, seconds=1)

    assert ["3kc", "3kb"] == keys(prompt.lines("list", "--limit", "2"))


def test_only_what_was_asked_for(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """By status, by author and by time."""
    travel(ledger_clock, hours=-2)
    received(ledger, "3kold")
    travel(ledger_clock, hours=2)
    held(ledger, "3kheld")
    received(ledger, "3kbob", author=BOB)

    assert ["3kheld"] == keys(prompt.lines("list", "--status", "awaiting-approval"))
    assert ["3kbob"] == keys(prompt.lines("list", "--author", "@bob.test"))
    assert ["3kbob"] == keys(prompt.lines("list", "--author", BOB))
    assert ["3kbob", "3kheld"] == sorted(keys(prompt.lines("list", "--since", "1h")))


def test_json_holds_the_whole_document(prompt: Prompt, ledger: Ledger) -> None:
    """One object a line."""
    document = skipped(ledger)

    (line,) = prompt.lines("list", "--json")

    told = json.loads(line)
    assert (document.id, "skipped", document.body) == (told["id"], told["status"], told["body"])


def test_an_unknown_status_is_wrong_usage(prompt: Prompt) -> None:
    """And the known ones are named."""
    result = prompt.run("list", "--status", "done")

    assert 2 == result.exit_code
    assert "replied" in result.stderr
