"""A bot's first day by the README's own words, on the real AT network."""

import sys
from pathlib import Path

import pytest

from tests.deploy.first_day import commands, first_day
from tests.network.net import Network


@pytest.mark.slow
def test_the_readme_leads_to_a_bot_that_answers(network: Network, tmp_path: Path) -> None:
    """Its commands are typed one after the other; the doctor has nothing to say, and an ask waits to be approved.

    The webhook that was named takes the message that tries it.
    """
    day = first_day(network, tmp_path, lambda line: print(line, file=sys.stderr))

    *before, last = day.times
    assert [*commands(), "alice asks"] == sorted(before, key=[*commands(), "alice asks"].index)
    assert last.startswith("alice reads http")
    assert ["test"] == day.alerts[:1]
