"""Where every part is present, a skipped test is a failed one: a green run then means that everything ran."""

import os
from collections.abc import Generator
from typing import TypeVar

import pytest

from tests.missing import NOTHING_SKIPPED

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    return _failed_if_skipped(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    return _failed_if_skipped(report)


def _failed_if_skipped(report: Report) -> Report:
    if os.environ.get(NOTHING_SKIPPED) == "1" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: {reason} (with {NOTHING_SKIPPED}=1 nothing may be skipped)"
    return report
