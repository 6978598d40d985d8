"""For how long the demo runs; `tests/scenarios/test_demo.py` runs it."""

import sys

import pytest

from bot.terminal.demo import goes_on_after_a_reply


@pytest.mark.parametrize(
    ("terminal", "once", "goes_on"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_it_goes_on_where_somebody_may_ask_for_more(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, once: bool, goes_on: bool
) -> None:
    """On a terminal, unless one reply is enough; FORCE_COLOR makes no terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)

    assert goes_on is goes_on_after_a_reply(once=once)
