from pathlib import Path

import pytest

from tests.missing import NOTHING_SKIPPED

ROOT = Path(__file__).parent.parent
SKIPPING = """
import pytest

@pytest.mark.skipif(True, reason="no teapot")
def test_tea(): ...

def test_coffee():
    pytest.skip("no beans")

@pytest.mark.xfail(strict=True)
def test_known_bug():
    assert False
"""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A place for a test-suite of its own, with our plugins at hand."""
    pytester.syspathinsert(ROOT)
    pytester.makefile(".ini", pytest="[pytest]\naddopts = -p tests.nothing_skipped -p tests.loopback")
    return pytester


def test_a_skipped_test_fails_where_everything_is_present(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By mark (an error) or by word (a failure); each names the test and the reason. A known bug stays one."""
    monkeypatch.setenv(NOTHING_SKIPPED, "1")
    suite.makepyfile(SKIPPING)

    result = suite.runpytest_inprocess("-p", "no:randomly")

    result.assert_outcomes(failed=1, errors=1, xfailed=1)
    result.stdout.fnmatch_lines(["*::test_tea: *no teapot*", "*::test_coffee: *no beans*"])


def test_a_skipped_file_fails_where_everything_is_present(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole file that is left out is no different."""
    monkeypatch.setenv(NOTHING_SKIPPED, "1")
    suite.makepyfile("import pytest\npytest.importorskip('no_such_module')")

    suite.runpytest_inprocess().assert_outcomes(errors=1)


def test_a_skipped_test_is_only_named_elsewhere(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person without the part is not told that something broke."""
    monkeypatch.delenv(NOTHING_SKIPPED, raising=False)
    suite.makepyfile(SKIPPING)

    suite.runpytest_inprocess().assert_outcomes(skipped=2, xfailed=1)


def test_a_swallowed_attempt_to_leave_the_machine_fails_the_test(suite: pytest.Pytester) -> None:
    """An `except Exception` in between hides the refusal from the test, but not from its end."""
    suite.makepyfile(
        """
        import contextlib, socket

        def test_swallows():
            with contextlib.suppress(Exception):
                socket.create_connection(("192.0.2.1", 80), timeout=1)
        """
    )

    result = suite.runpytest_inprocess()

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*tried to leave this machine*192.0.2.1*"])
