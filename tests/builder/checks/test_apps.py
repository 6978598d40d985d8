"""Good apps pass every check, and each broken one is found by the check that it was broken for, and by no other."""

import pytest

from builder.checks.static import static_checks
from builder.stopping import Stop
from guardrails.wire import CheckReport, Limits
from tests.builder.checks.apps.table import IN_A_BROWSER, STATIC, WARNED, Broken, good_apps
from tests.builder.checks.looking import snapshot_of


def static_reports(files: dict[str, bytes] | dict[str, str]) -> dict[str, CheckReport]:
    snapshot = snapshot_of(files)
    reports = (check.check(snapshot, Limits(), Stop()).report for check in static_checks())
    return {report.check: report for report in reports}


def test_there_are_enough_of_them() -> None:
    """Thirty good ones, and more than thirty broken ones, no two of a name."""
    broken = {each.name for each in (*STATIC, *IN_A_BROWSER)}

    assert len(broken) == len(STATIC) + len(IN_A_BROWSER) > 30
    assert len(good_apps()) >= 30


@pytest.mark.parametrize("name", sorted(good_apps()))
def test_a_good_app_passes_what_only_reads(name: str) -> None:
    """No finding, and no warning either."""
    reports = static_reports(good_apps()[name])

    assert [()] * 2 == [report.findings + report.warnings for report in reports.values()]


@pytest.mark.parametrize("broken", STATIC, ids=lambda broken: broken.name)
def test_a_broken_app_is_found_by_reading(broken: Broken) -> None:
    """By its check alone, which names what is wrong and nothing else."""
    files = {name: text for name, text in broken.files.items() if text or name != "index.html"}

    reports = static_reports(files)

    assert [broken.check] == [name for name, report in reports.items() if not report.passed], reports
    assert all(broken.told in finding for finding in reports[broken.check].findings), reports


@pytest.mark.parametrize("broken", IN_A_BROWSER, ids=lambda broken: broken.name)
def test_reading_does_not_find_what_only_shows_when_it_runs(broken: Broken) -> None:
    """So that the browser is what finds it."""
    assert all(report.passed for report in static_reports(broken.files).values())


@pytest.mark.parametrize("warned", WARNED, ids=lambda warned: warned.name)
def test_what_is_only_unwise_passes_with_a_warning(warned: Broken) -> None:
    """With that one, where reading shows it."""
    reports = static_reports(warned.files)

    assert all(report.passed for report in reports.values()), reports
    assert ["page"] * (warned.check == "page") == [name for name, report in reports.items() if report.warnings]
    assert all(warned.told in warning for report in reports.values() for warning in report.warnings), reports
