"""Listing documents."""

import json

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from guardrails.transitions import Reason
from tests.bot.ledger.steps import held, received, refuse, skipped, travel
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

    coloured = prompt.having(TERM="xterm-256color").on_terminal("list")
    plain = prompt.having(TERM="xterm-256color", NO_COLOR="1").on_terminal("list")

    assert "\x1b[2mskipped" in coloured
    assert "\x1b[3" not in plain
    assert "\t" not in plain


@pytest.mark.parametrize("forced", ["FORCE_COLOR", "TTY_COMPATIBLE"])
def test_who_wants_colours_has_no_terminal_yet(prompt: Prompt, ledger: Ledger, forced: str) -> None:
    """CI systems set these: a pipe stays one."""
    skipped(ledger)

    assert prompt.run("list").stdout == prompt.having(**{forced: "1"}).run("list").stdout


def test_on_a_usual_terminal_ids_and_statuses_stay_whole(prompt: Prompt, ledger: Ledger) -> None:
    """What has no room beside them stands beneath its row."""
    ask = "make me a tip splitter for four people who all had something else"
    refuse(ledger, received(ledger, "3n3kmv2kc4i22", ask=ask), Reason.NOTHING_TO_BUILD)

    head, row, *beneath = prompt.on_terminal("list").splitlines()

    assert ["created", "id", "status", "reason", "author"] == head.split()
    assert ["3n3kmv2kc4i22", "skipped", "nothing_to_build", "alice.test"] == row.split()[2:]
    assert ["    ask: make me a tip splitter for four people who all had somethin…"] == [
        line.rstrip() for line in beneath
    ]


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
