"""The check `browser` from the settings."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from builder.checks import browser
from builder.settings import BuildSettings


def why_not(settings: BuildSettings) -> str | None:
    """Why no app can be opened here, and the mend; None when it can be tried."""
    problem = browser.why_not(options_of(settings))
    off = "SKYWRIGHT_LANE_BROWSER=off builds without this check, SKYWRIGHT_LANE_BROWSER_SANDBOX=off without the sandbox"
    return None if problem is None else f"{problem} ({off})"


@contextmanager
def opened(settings: BuildSettings) -> Iterator[browser.BrowserCheck]:
    """One Chromium for all of a lane's builds; it starts with the first app and is ended with the block."""
    with closing(browser.BrowserCheck(options_of(settings))) as check:
        yield check


def options_of(settings: BuildSettings) -> browser.BrowserOptions:
    """The options of the check."""
    return browser.BrowserOptions(
        program=settings.browser_program,
        sandbox=settings.browser_sandbox == "on",
        seconds=settings.browser_seconds,
        memory_bytes=settings.browser_memory_mb * 1_000_000,
        parallel=settings.browser_parallel,
    )
