"""The same apps in one real browser: the good ones pass, each broken one is found for what is wrong with it."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from builder.checks.browser import BrowserCheck
from builder.outcomes import Checked
from builder.stopping import Stop
from guardrails.pictures import SCREENSHOT_BYTES, picture_type
from guardrails.wire import Limits
from tests.builder.checks.apps.table import IN_A_BROWSER, WARNED, Broken, good_apps
from tests.builder.checks.looking import snapshot_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    # The table runs once, in one browser.
    pytest.mark.xdist_group("apps in a browser"),
]
PNG_SIZE = slice(16, 24)
RUN_AND_WARNED = [each for each in WARNED if each.check == "browser"]


@pytest.fixture(scope="module")
def checked(browser_check: BrowserCheck) -> Mapping[str, Checked]:
    """What the check says of every app, all of them asked for at once."""
    apps = {name: snapshot_of(files) for name, files in good_apps().items()}
    apps.update((each.name, snapshot_of(each.files)) for each in (*IN_A_BROWSER, *RUN_AND_WARNED))
    with ThreadPoolExecutor(len(apps)) as threads:
        waiting = {name: threads.submit(browser_check.check, app, Limits(), Stop()) for name, app in apps.items()}
        return {name: each.result() for name, each in waiting.items()}


@pytest.mark.parametrize("name", sorted(good_apps()))
def test_a_good_app_passes(checked: Mapping[str, Checked], name: str) -> None:
    """Without a finding, without a warning, and with a picture of the size of a link card."""
    told = checked[name]

    assert ((), ()) == (told.report.findings, told.report.warnings)
    assert told.screenshot is not None
    assert "image/png" == picture_type(told.screenshot)
    assert (1200).to_bytes(4, "big") + (630).to_bytes(4, "big") == told.screenshot[PNG_SIZE]
    assert len(told.screenshot) <= SCREENSHOT_BYTES


@pytest.mark.parametrize("broken", IN_A_BROWSER, ids=lambda broken: broken.name)
def test_a_broken_app_is_found(checked: Mapping[str, Checked], broken: Broken) -> None:
    """For what is wrong with it, and for nothing else."""
    findings = checked[broken.name].report.findings

    assert findings
    assert all(broken.told in finding for finding in findings), findings


@pytest.mark.parametrize("warned", RUN_AND_WARNED, ids=lambda warned: warned.name)
def test_what_is_only_unwise_passes_with_a_warning(checked: Mapping[str, Checked], warned: Broken) -> None:
    """With that one."""
    report = checked[warned.name].report

    assert report.passed, report
    assert [True] == [warned.told in warning for warning in report.warnings], report
