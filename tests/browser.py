"""A real browser for the tests that look at pages: the system's Chromium, or Playwright's own."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

from builder.checks.chromium import FEATURES_OFF
from tests.missing import missing

CHROMIUM = "SKYWRIGHT_TEST_CHROMIUM"
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    FEATURES_OFF,
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Like the tests themselves, a page reaches nothing but this machine.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
)


class NoChromium(Exception):
    """There is none on this machine; its text says what was looked for, and the mend."""


@contextmanager
def started_chromium() -> Iterator[Browser]:
    """A running Chromium; NoChromium where there is none. Playwright keeps an event loop on this thread meanwhile."""
    with sync_playwright() as playwright:
        program = os.environ.get(CHROMIUM) or next(filter(None, map(shutil.which, NAMES)), None)
        if not Path(program or playwright.chromium.executable_path).exists():
            raise NoChromium(
                f"no Chromium at {program}"
                if program
                else "no Chromium: install your system's package `chromium`, or run `make browser`"
            )
        # Its sandbox refuses to run as root; only there is it given up.
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS, *root])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A running Chromium, for one module: Playwright keeps an event loop on this thread that others must not meet."""
    with ExitStack() as stack:
        try:
            started = stack.enter_context(started_chromium())
        except NoChromium as problem:
            missing(str(problem))
        yield started


@pytest.fixture
def page_errors() -> list[str]:
    """What went wrong in the page of this test; a test that expects an error looks at it and clears it."""
    return []


@pytest.fixture
def page(browser: Browser, page_errors: list[str]) -> Iterator[Page]:
    """A page in a fresh profile; an error that its scripts did not catch fails the test."""
    with browser.new_context() as context:
        page = context.new_page()
        page.on("pageerror", lambda error: page_errors.append(_told(error)))
        yield page
    assert [] == page_errors


def _told(error: Error) -> str:
    return error.stack or error.message
