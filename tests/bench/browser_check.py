"""What the browser check takes for an app.

One app at a time, against a bare load of the same page in a fresh profile of Chromium, in the same run. As root
the sandbox is given up, which Chromium asks for; so no hostile app is tried here.
"""

import os
from collections.abc import Iterator
from functools import partial

from playwright.sync_api import Browser, Route, sync_playwright

from builder.checks.browser import BrowserCheck, BrowserOptions
from builder.checks.chromium import arguments_of, program_of
from builder.stopping import Stop
from guardrails.bundle import content_type
from guardrails.wire import Limits
from tests.bench.table import Line, compared, seconds
from tests.builder.checks.apps.table import good_apps
from tests.builder.checks.looking import snapshot_of

PLACE = "https://app.invalid/"
QUICK_APPS = 3


def lines(quick: bool) -> Iterator[Line]:
    """One line, each app a round; a few of them for a short look."""
    apps = dict(list(good_apps().items())[: QUICK_APPS if quick else None])
    options = BrowserOptions(sandbox=os.geteuid() != 0)
    checked = seconds_of_checks(apps, options)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program_of(options), args=arguments_of(options), chromium_sandbox=options.sandbox
        )
        rounds = [(checked[name], seconds(partial(load, browser, files))) for name, files in apps.items()]
        browser.close()
    yield compared("an app looked at, against a bare load of it", "-", "s", rounds)


def seconds_of_checks(apps: dict[str, dict[str, bytes]], options: BrowserOptions) -> dict[str, float]:
    """Each app's, the first one's start of the browser left out."""
    check = BrowserCheck(options)
    look = {name: snapshot_of(files) for name, files in apps.items()}
    check.check(next(iter(look.values())), Limits(), Stop())
    taken = {}
    for name, snapshot in look.items():
        taken[name] = seconds(partial(check.check, snapshot, Limits(), Stop()))
    check.close()
    return taken


def load(browser: Browser, files: dict[str, bytes]) -> None:
    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(PLACE).partition("?")[0] or "index.html"
        route.fulfill(body=files.get(name, b""), content_type=content_type(name))

    with browser.new_context() as context:
        page = context.new_page()
        page.route("**/*", answer)
        page.goto(PLACE)
