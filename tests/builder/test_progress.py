"""The display of a lane at work: what stands, kept by the log's own events."""

import io

import pytest
from rich.console import Console

from builder.logs import make_log
from builder.terminal.progress import Board, progress_on


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def shown(board: Board) -> list[list[str]]:
    """The display's lines as words, without the spinner."""
    out = io.StringIO()
    Console(file=out, width=100).print(board)
    return [line.split()[1:] for line in out.getvalue().splitlines() if line.strip()]


def test_each_claim_has_a_line_with_its_step_and_its_time() -> None:
    """The time is that since the claim, and not since the step."""
    seconds = [0.0]
    board = Board(lambda: seconds[0])
    log = make_log(io.StringIO(), as_json=True, observe=board.observe)
    one, other = (log.bind(document=f"doc-{number}", claim=f"claim-{number}") for number in (1, 2))

    log.info("ready")
    one.info("claimed")
    seconds[0] = 61.0
    other.info("claimed")
    one.info("repairing")
    seconds[0] = 65.0
    at_work = shown(board)
    other.info("late")
    one.info("checked", check="files")
    left = shown(board)
    one.info("reported")

    assert [["repairing", "1:05", "doc-1"], ["claimed", "0:04", "doc-2"]] == at_work
    assert [["repairing", "1:05", "doc-1"]] == left
    assert [] == shown(board)


@pytest.mark.parametrize(("out", "as_json"), [(io.StringIO(), False), (Terminal(), True)])
def test_a_pipe_gets_lines_and_no_display(out: io.StringIO, *, as_json: bool) -> None:
    """One line an event; with `--json` on a terminal as well."""
    with progress_on(out, as_json=as_json) as (where, observe):
        make_log(where, as_json=as_json, observe=observe).bind(claim="claim-1").info("claimed")

    assert (1, False) == (len(out.getvalue().splitlines()), "\x1b[?25l" in out.getvalue())


def test_a_terminal_gets_the_display_below_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """And is left with the log alone: the display is wiped at the end."""
    monkeypatch.setenv("TERM", "xterm")
    out = Terminal()
    with progress_on(out, as_json=False) as (where, observe):
        make_log(where, as_json=False, observe=observe).bind(claim="claim-1", document="doc-1").info("generating")

    assert "generating" in out.getvalue()
    assert "0:00" in out.getvalue()
    assert out.getvalue().rstrip().endswith("\x1b[2K")
