"""The lane's log: for people on a terminal, for scripts as JSON, and never a trick on either."""

import io
import json

from builder.logs import BuildLog, make_log
from guardrails.wire import LOG_TAIL_CHARS


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_json_lines_carry_event_level_and_time() -> None:
    """One object a line."""
    out = io.StringIO()

    make_log(out, as_json=True).info("claimed", document="d", claim="c")

    line = json.loads(out.getvalue())
    assert ("claimed", "info", "d", "c") == (line["event"], line["level"], line["document"], line["claim"])
    assert line["timestamp"].endswith("Z")


def test_a_terminal_gets_colours() -> None:
    """And nobody else does."""
    terminal, plain = Terminal(), io.StringIO()

    for out in (terminal, plain):
        make_log(out, as_json=False).info("claimed")

    assert "\x1b[" in terminal.getvalue()
    assert "\x1b[" not in plain.getvalue()


def test_escapes_in_other_peoples_text_are_spelled_out() -> None:
    """Neither the terminal nor the next line can be forged."""
    out = io.StringIO()

    make_log(out, as_json=False).info("late", problem="\x1b[2J\u202eevil\nevent=done")

    assert "x1b[2J" in out.getvalue()
    assert not {"\x1b", "\u202e"} & set(out.getvalue())
    assert 1 == out.getvalue().count("\n")


def test_the_tail_fits_a_report() -> None:
    """The last lines are kept, with the seconds since the claim."""
    moments = iter(range(10_000))
    log = BuildLog(make_log(io.StringIO(), as_json=False), lambda: float(next(moments)))

    for number in range(300):
        log.say("step", number=number, text="x" * 100)

    assert len(log.tail()) <= LOG_TAIL_CHARS
    assert log.tail().endswith(f"step number=299 text={'x' * 100}")
