"""Taking the history away: by sequence, resumed, and safe to open elsewhere."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from bot.clock import Clock
from bot.ledger.ledger import Ledger
from tests.bot.ledger.steps import received, replied, travel
from tests.bot.terminal.prompt import COMMAND, Prompt

pytestmark = pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)


def test_no_cell_is_a_formula(prompt: Prompt, ledger: Ledger) -> None:
    """What others wrote is text in a spreadsheet and on a terminal; every column has its name."""
    evil = ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\t=1", 'a "quoted", one\nof two \x1b[2J']
    for number, ask in enumerate(evil):
        received(ledger, f"3k{number}", ask=ask)

    result = prompt.run("export", "--format", "csv")

    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert [
        "'=HYPERLINK(1)",
        "'+1",
        "'-1",
        "'@SUM(1)",
        "\\x09=1",
        'a "quoted", one\\x0aof two \\x1b[2J',
    ] == [row["ask"] for row in rows]
    assert ["seq", "at", "document"] == list(rows[0])[:3]


def test_it_goes_on_where_it_ended(prompt: Prompt, ledger: Ledger) -> None:
    """The last number is told beside what programs read, also when nothing is new."""
    replied(ledger)
    first = prompt.run("export")
    last = first.stderr.split()[1].rstrip(";")
    received(ledger, "3knew")

    second, third = prompt.run("export", "--after", last), prompt.run("export", "--after", str(int(last) + 1))

    assert [5, 1, 0] == [len(each.stdout.splitlines()) for each in (first, second, third)]
    assert str(ledger.feed.last()) == third.stderr.split()[1].rstrip(";")


def test_only_what_filters_leave(prompt: Prompt, ledger: Ledger, ledger_clock: Clock) -> None:
    """By where a document stands now, its author, words, a move's reason and device, and from when on."""
    travel(ledger_clock, hours=-3)
    received(ledger, "3kold", ask="a dice roller")
    travel(ledger_clock, hours=3)
    replied(ledger)

    def exported(*filters: str) -> set[str]:
        lines = prompt.run("export", *filters).stdout.splitlines()
        return {str(json.loads(line)["document"]).rpartition(":")[2] for line in lines}

    assert {"3kold"} == exported("--status", "received") == exported("--text", "Dice roller")
    assert {"3kfirst"} == exported("--since", "1h") == exported("--reason", "sent") == exported("--lane", "lane-1")
    assert set() == exported("--author", "bob.test")


def test_a_reader_that_has_had_enough(prompt: Prompt, ledger: Ledger) -> None:
    """As in `skywright export | head -1`: no failure, and no traceback."""
    for number in range(3):
        received(ledger, f"3k{number}", ask="x" * 60_000)
    with prompt.started("export", "--format", "csv") as export:
        assert export.stdout is not None
        assert export.stderr is not None
        export.stdout.read(10)
        export.stdout.close()
        export.wait(20)
        told = export.stderr.read()

    assert (0, False) == (export.returncode, "Traceback" in told)


def test_a_full_disk(prompt: Prompt, ledger: Ledger) -> None:
    """A line says so, and a script sees that what it has is not all."""
    received(ledger)
    env = {"PATH": os.environ["PATH"], **prompt.env}
    with Path("/dev/full").open("wb") as full:
        export = subprocess.run(
            [*COMMAND, "export", "--format", "csv"],
            env=env,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=20,
        )

    assert (1, b"it cannot be written: No space left on device\n") == (export.returncode, export.stderr)


def test_bytes_that_are_no_text(prompt: Prompt, ledger: Ledger) -> None:
    """Wrong usage, of whatever command."""
    received(ledger)

    result = prompt.run("show", "\udcff")

    assert (2, "what was typed is not UTF-8 text\n") == (result.exit_code, result.stderr)
