"""A claim's folder: nothing steps out of it, and its zip is the same bytes everywhere."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.errors import UnsafeName
from builder.workspace import Workspace, open_workspace, pack, sha256_of
from guardrails.bundle import BundleFiles, read_bundle
from guardrails.wire import Limits

LIMITS = Limits(files=4, file_bytes=100, total_bytes=150)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(tmp_path) as workspace:
        yield workspace


def test_what_is_written_is_in_the_snapshot(workspace: Workspace) -> None:
    """Names, sizes and contents."""
    workspace.write("index.html", b"<p>")
    workspace.write("js/lib/a.js", b"1;")

    snapshot = workspace.snapshot(LIMITS)

    assert {"index.html": b"<p>", "js/lib/a.js": b"1;"} == snapshot.files
    assert (("index.html", 3), ("js/lib/a.js", 2)) == snapshot.entries
    assert () == snapshot.problems


@pytest.mark.parametrize("name", ["../x.js", "/x.js", "a/../../x.js", ".hidden.js", "con.js", "x\u202e.js"])
def test_a_name_that_steps_out_is_refused(workspace: Workspace, tmp_path: Path, name: str) -> None:
    """And nothing is written anywhere."""
    with pytest.raises(UnsafeName):
        workspace.write(name, b"x")

    assert {workspace.folder.parent, workspace.folder} == set(tmp_path.rglob("*"))


def test_a_link_in_the_way_is_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    """Neither as a folder nor as the file itself."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (workspace.folder / "a").symlink_to(outside)
    (workspace.folder / "b.js").symlink_to(outside / "b.js")

    for name in ("a/x.js", "b.js"):
        with pytest.raises(UnsafeName):
            workspace.write(name, b"x")
    assert [] == list(outside.iterdir())


def test_a_file_is_written_once(workspace: Workspace) -> None:
    """A second write under the name is refused."""
    workspace.write("index.html", b"1")

    with pytest.raises(UnsafeName):
        workspace.write("index.html", b"2")


def test_links_and_pipes_are_named_and_not_read(workspace: Workspace, tmp_path: Path) -> None:
    """A program that leaves them gets a finding; nothing behind them gets into the bundle."""
    (tmp_path / "secret.txt").write_text("canary")
    (workspace.folder / "img").symlink_to("/")
    (workspace.folder / "s.txt").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(workspace.folder / "p.js")

    snapshot = workspace.snapshot(LIMITS)

    assert {} == snapshot.files
    assert {"'img': a symbolic link", "'s.txt': a symbolic link", "'p.js': not a plain file"} == set(snapshot.problems)


def test_what_is_too_large_is_listed_and_not_read(workspace: Workspace) -> None:
    """The sizes are known to the check, the memory is not spent."""
    for name, size in (("a.js", 101), ("b.js", 60)):
        (workspace.folder / name).write_bytes(b"x" * size)

    snapshot = workspace.snapshot(LIMITS)

    assert (("a.js", 101), ("b.js", 60)) == snapshot.entries
    assert snapshot.files.keys() <= {"b.js"}


def test_a_flood_of_entries_is_cut_off(workspace: Workspace) -> None:
    """Empty folders count as well."""
    for number in range(40):
        (workspace.folder / f"d{number}").mkdir()

    assert ["far more entries than are allowed"] == list(workspace.snapshot(LIMITS).problems)


def test_a_staircase_of_folders_is_cut_off(workspace: Workspace) -> None:
    """Depth is bounded before the recursion is."""
    deep = workspace.folder.joinpath(*"abcdefghijklmnopqrstuvw")
    deep.mkdir(parents=True)

    assert any("far too deep" in problem for problem in workspace.snapshot(Limits(files=40)).problems)


def test_the_same_files_give_the_same_bytes() -> None:
    """Order and clock do not matter, so a repeated upload is the same upload."""
    one = pack({"b.js": b"2", "index.html": b"1"})
    other = pack({"index.html": b"1", "b.js": b"2"})

    assert one == other
    assert "8c005814959e44d85d812e5b3d42f75e5496096bc6b0e4629290f04d42960867" == sha256_of(one)


def test_a_packed_bundle_keeps_the_rules_of_the_other_side() -> None:
    """What the lane packs, the bot reads."""
    files = {"a/b.css": b"p{}", "index.html": b"<p>"}

    assert BundleFiles(files) == read_bundle(pack(files), LIMITS)


def test_a_cleared_folder_is_empty_and_usable(workspace: Workspace, tmp_path: Path) -> None:
    """A repair begins anew; a link is removed, never followed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    workspace.write("js/a.js", b"1")
    (workspace.folder / "out").symlink_to(outside)

    workspace.clear()
    workspace.write("js/a.js", b"2")

    assert {"js/a.js": b"2"} == workspace.snapshot(LIMITS).files
    assert (outside / "kept.txt").exists()


def test_the_folder_is_gone_in_the_end(tmp_path: Path) -> None:
    """Also after an exception."""

    def fail() -> None:
        with open_workspace(tmp_path) as workspace:
            workspace.write("index.html", b"x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [] == list(tmp_path.iterdir())
