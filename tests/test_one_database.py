"""Each story is told on one database, and both have their share of them."""

from collections import Counter

import pytest

from tests.one_database import drawn_for

BY_HAND = """
import pytest

@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_url(request):
    return request.param

@pytest.mark.parametrize("n", range(8))
def test_on_either(ledger_url, n):
    pass

@pytest.mark.parametrize("ledger_url", ["sqlite"], indirect=True)
def test_where_it_says(ledger_url):
    pass
"""


def test_a_story_has_the_same_database_whichever_of_its_names_is_read() -> None:
    """Else it would be told on none of them."""
    pairs = [(f"tests/x.py::test_{n}[sqlite-{n}]", f"tests/x.py::test_{n}[postgresql-{n}]") for n in range(200)]
    drawn = [(drawn_for(one), drawn_for(other)) for one, other in pairs]

    assert all(one == other for one, other in drawn)
    assert min(Counter(one for one, _ in drawn).values()) > 60


def test_each_story_is_told_once_and_on_wish_twice(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """But where a story names its database, there it is told."""
    pytester.makepyfile(BY_HAND)
    monkeypatch.setattr("tests.one_database.STORIES", pytester.path)
    plugin = ("-p", "no:randomly", "-p", "no:xdist", "-p", "tests.one_database")

    pytester.runpytest_inprocess(*plugin).assert_outcomes(passed=9, deselected=8)
    pytester.runpytest_inprocess(*plugin, "--both-databases").assert_outcomes(passed=17)
