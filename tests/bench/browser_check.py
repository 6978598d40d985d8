"""What the browser check takes for an app: python -m tests.bench.browser_check [apps].

One app at a time, against a bare load of the same page in a fresh profile of Chromium, in the same run. As root
the sandbox is given up, which Chromium asks for; so no hostile app is tried here.
"""

import os
import statistics
import sys
import time

from playwright.sync_api import Browser, Route, sync_playwright

from builder.checks.browser import BrowserCheck, BrowserOptions
from builder.checks.chromium import arguments_of, program_of
from builder.stopping import Stop
from guardrails.bundle import content_type
from guardrails.wire import Limits
from tests.builder.checks.apps.table import good_apps
from tests.builder.checks.looking import snapshot_of

PLACE = "https://app.invalid/"


def main() -> None:
    apps = dict(list(good_apps().items())[: int(sys.argv[1]) if len(sys.argv) > 1 else None])
    options = BrowserOptions(sandbox=os.geteuid() != 0)
    checked = seconds_of_checks(apps, options)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program_of(options), args=arguments_of(options), chromium_sandbox=options.sandbox
        )
        loaded = {name: measured(browser, files) for name, files in apps.items()}
        browser.close()
    for name in apps:
        print(f"{name:20} {checked[name]:6.2f} s, {checked[name] / loaded[name]:5.1f} times a bare load")
    ratio = statistics.median(checked[name] / loaded[name] for name in apps)
    median = statistics.median(checked.values())
    print(f"browser check: median {median:.2f} s for each of {len(apps)} apps, {ratio:.1f} times a bare load")


def seconds_of_checks(apps: dict[str, dict[str, bytes]], options: BrowserOptions) -> dict[str, float]:
    """Each app's, the first one's start of the browser left out."""
    check = BrowserCheck(options)
    look = {name: snapshot_of(files) for name, files in apps.items()}
    check.check(next(iter(look.values())), Limits(), Stop())
    taken = {}
    for name, snapshot in look.items():
        began = time.perf_counter()
        check.check(snapshot, Limits(), Stop())
        taken[name] = time.perf_counter() - began
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


def measured(browser: Browser, files: dict[str, bytes]) -> float:
    began = time.perf_counter()
    load(browser, files)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
