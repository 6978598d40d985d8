"""The lane's clock beside the bot's, by the date of the bot's answer."""

import pytest

from builder.doctor import clock_finding
from guardrails.findings import State
from tests.clock import NOON


@pytest.mark.parametrize(
    ("date", "state"),
    [
        ("Mon, 02 Mar 2026 12:00:29 GMT", State.OK),
        ("Mon, 02 Mar 2026 11:59:29 GMT", State.WARN),
        ("Mon, 02 Mar 2026 12:00:00 -0000", State.OK),
        ("", State.WARN),
        ("yesterday", State.WARN),
        ("Mon, 02 Mar 99999999999999999999 12:00:00 GMT", State.WARN),
        ("Fri, 31 Dec 9999 23:59:59 -2300", State.WARN),
    ],
)
def test_whether_the_clocks_agree(date: str, state: State) -> None:
    """What is no date, or one of no calendar, is told as such."""
    assert state is clock_finding(date, NOON).state
