"""What holds for every test: no settings of a person's own bot, and no way off this machine."""

import gc
import os
from collections.abc import Iterator

import hypothesis
import pytest

pytest_plugins = [
    "tests.loopback",
    "tests.nothing_skipped",
    "tests.one_database",
    "tests.browser",
    "tests.postgres_fixtures",
    "tests.ledger_fixtures",
    "tests.network.fixtures",
    "pytester",
]

# A busy machine is no reason to fail; on CI Hypothesis takes its own profile, whose examples are always the same.
hypothesis.settings.register_profile("here", deadline=None)
if "CI" not in os.environ:
    hypothesis.settings.load_profile("here")


def pytest_configure() -> None:
    # Before anything is collected, so that a developer's own bot is never what a test talks to.
    for name in list(os.environ):
        if name.startswith("SKYWRIGHT_") and not name.startswith("SKYWRIGHT_TEST_"):
            del os.environ[name]


@pytest.fixture(autouse=True)
def _settings_stay() -> Iterator[None]:
    """A setting that a test leaves behind would hold for all after it."""
    before = _settings()
    yield
    assert before == _settings()


def _settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("SKYWRIGHT_")}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "browser" in fixtures:
            item.add_marker(pytest.mark.browser)
        if "pg_server" in fixtures:
            item.add_marker(pytest.mark.postgres)


def pytest_collection_finish() -> None:
    # What is there now stays to the end: not worth being looked through for garbage with every test.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
