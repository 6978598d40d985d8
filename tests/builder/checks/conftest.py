"""The browser check at work: one Chromium for the tests of a module."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.checks.browser import BrowserCheck, BrowserOptions, why_not
from tests.browser import CHROMIUM
from tests.missing import missing

PARALLEL = 3


@pytest.fixture(scope="session")
def browser_options() -> BrowserOptions:
    """Those for this machine; the sandbox is given up only where Chromium refuses it, which is as root."""
    program = os.environ.get(CHROMIUM)
    options = BrowserOptions(
        program=Path(program) if program else None,
        sandbox=os.geteuid() != 0,
        seconds=300.0,
        yield_seconds=3.0,
        memory_bytes=400_000_000,
        parallel=PARALLEL,
    )
    why = why_not(options)
    if why is not None:
        missing(why)
    return options


@pytest.fixture(scope="module")
def browser_check(browser_options: BrowserOptions) -> Iterator[BrowserCheck]:
    check = BrowserCheck(browser_options)
    yield check
    check.close()
