from pathlib import Path

import pytest

SUITE = """
import os, pathlib, pytest

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("number", range(6))
def test_grouped(number):
    pathlib.Path(os.environ["PYTEST_XDIST_WORKER"]).touch()
"""


@pytest.mark.slow
def test_a_group_of_tests_stays_in_one_worker(pytester: pytest.Pytester) -> None:
    """Else the real network would start once per worker."""
    pytester.makepyfile(SUITE)

    pytester.runpytest_inprocess("-n2", "--dist=loadgroup").assert_outcomes(passed=6)

    assert 1 == len(list(Path(pytester.path).glob("gw?")))
