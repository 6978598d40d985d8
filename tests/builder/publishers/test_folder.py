import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import LaneUnfit
from builder.publishers.elsewhere import PlaceAway
from builder.publishers.folder import FolderPlace
from tests.builder.publishers.sites import APP, OTHER


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "apps").mkdir()
    return tmp_path / "apps"


@pytest.fixture(autouse=True)
def a_narrow_umask() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_web_server_can_read_it(root: Path) -> None:
    """Whatever the lane's umask is; and nothing is left beside it."""
    assert FolderPlace(root).store("app-1", 1, APP)

    found = [root / "app-1", *(root / "app-1").rglob("*")]
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in found}
    assert {(True, 0o755), (False, 0o644)} == modes
    assert ["app-1"] == names_in(root)


def test_what_a_crash_has_left_is_cleared_away(root: Path) -> None:
    """By the next try, and by a take-down; no reader has ever seen it."""
    for version in (1, 2):
        (root / f".app-1.{version}").mkdir(0o700)
        (root / f".app-1.{version}" / "half.html").write_text("half")
    place = FolderPlace(root)

    assert place.store("app-1", 1, APP)
    assert files_in(root / "app-1" / "1") == APP
    place.bury("app-1", b"gone")
    assert ["app-1"] == names_in(root)
    assert {"index.html": b"gone"} == files_in(root / "app-1")


def test_versions_stand_side_by_side(root: Path) -> None:
    """One that goes leaves the other."""
    place = FolderPlace(root)
    assert place.store("app-1", 1, APP)
    assert place.store("app-1", 2, OTHER)
    place.remove("app-1", 1)
    place.remove("app-1", 1)
    place.remove("app-9", 1)

    assert ["2"] == names_in(root / "app-1")


def test_no_link_is_followed(root: Path, tmp_path: Path) -> None:
    """Neither in the place of an app nor in that of a version; what it leads to is left alone."""
    precious = tmp_path / "precious"
    (precious / "1").mkdir(parents=True)
    (precious / "1" / "index.html").write_text("precious")
    (root / "app-1").symlink_to(precious)
    (root / "app-2").mkdir()
    (root / "app-2" / "1").symlink_to(precious / "1")
    place = FolderPlace(root)

    for act in (
        lambda: place.store("app-1", 1, APP),
        lambda: place.bury("app-1", b"gone"),
        lambda: place.remove("app-1", 1),
        lambda: place.is_buried("app-1"),
        lambda: place.store("app-2", 1, APP),
    ):
        with pytest.raises(PlaceAway):
            act()
    place.bury("app-2", b"gone")

    assert {"1/index.html": b"precious"} == files_in(precious)
    assert {"index.html": b"gone"} == files_in(root / "app-2")


def test_a_link_within_a_version_is_another_content(root: Path) -> None:
    """Even one to the very bytes."""
    place = FolderPlace(root)
    assert place.store("app-1", 1, APP)
    (root / "app-1" / "1" / "a.js").unlink()
    (root / "app-1" / "1" / "a.js").symlink_to(root / "app-1" / "1" / "index.html")

    assert not place.store("app-1", 1, APP)


def test_a_folder_that_is_not_there_ends_the_lane(tmp_path: Path) -> None:
    """Somebody has to make it, and the error says so without its name."""
    with pytest.raises(LaneUnfit, match=r"cannot be opened \(No such file or directory\)$"):
        FolderPlace(tmp_path / "nowhere").is_buried("app-1")
