"""The printed picture of the table: every row, every status, and nothing that Mermaid would choke on."""

import re
import runpy
from pathlib import Path

import pytest

from guardrails import lifecycle as module
from guardrails.documents import Kind
from guardrails.lifecycle import lifecycle
from guardrails.transitions import TABLES, Status

PRINTED = lifecycle(Kind.MENTION)


def test_every_row_of_the_table_is_printed() -> None:
    """One line each, with who and when."""
    rows = [line for line in PRINTED.splitlines() if re.match(r"\| \S+ \| \S+ \| `", line)]

    assert len(TABLES[Kind.MENTION]) == len(rows)
    assert "| (none) | received | `receive` | bot |" in PRINTED


@pytest.mark.parametrize("move", TABLES[Kind.MENTION], ids=lambda m: f"{m.name}-{m.source or 'none'}")
def test_every_move_is_an_arrow(move: object) -> None:
    """The picture has it, with its name."""
    source = getattr(move, "source", None)
    start = source.value.replace("-", "_") if source else "[*]"
    target = getattr(move, "target", Status.RECEIVED).value.replace("-", "_")

    assert re.search(rf"{re.escape(start)} --> {target} : .*\b{getattr(move, 'name', '')} \(", PRINTED)


def test_every_status_has_an_owner_or_is_terminal() -> None:
    """An open status belongs to one actor."""
    owners = dict(re.findall(r"^\| ([a-z-]+) \| ([a-z: ]+) \|$", PRINTED, re.MULTILINE))

    assert {status.value for status in Status} == set(owners) - {"status"}
    assert {"bot", "builder", "operator", "nobody: terminal"} == set(owners.values()) - {"owned by"}


def test_run_as_a_program_it_prints_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """What `make lifecycle` keeps."""
    runpy.run_path(str(Path(module.__file__)), run_name="__main__")

    assert PRINTED == capsys.readouterr().out
