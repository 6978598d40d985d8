"""What `make` says on a machine that lacks something: what it is, and what mends it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.missing import missing

ROOT = Path(__file__).parent.parent


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A place where nothing was set up yet."""
    if not shutil.which("make"):
        missing("no make on PATH")
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def python_that(folder: Path, body: str) -> Path:
    """An interpreter that answers as a script does."""
    program = folder / "python-there"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return program


def set_up(clone: Path, python: str) -> str:
    """What is said on standard error, once it has failed; nothing was made then."""
    command = ["make", "demo", f"PYTHON={python}"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, timeout=30, check=False)

    assert 0 != done.returncode
    assert not (clone / ".venv").exists()
    return done.stderr


def test_no_python_is_named_with_its_mend(clone: Path) -> None:
    """For each system that this runs on."""
    said = set_up(clone, "no-such-python")

    for part in ("needs Python 3.11 or newer", "no-such-python", "sudo apt install python3", "brew install", "PYTHON="):
        assert part in said


def test_a_python_that_is_too_old_is_told_with_its_version(clone: Path) -> None:
    """So that nobody looks for one that is there."""
    old = python_that(clone, '[ "$1" = --version ] && echo "Python 3.9.2" && exit 0; exit 1')

    assert f"({old} is Python 3.9.2)" in set_up(clone, str(old))


def test_a_missing_venv_module_is_named_with_its_mend(clone: Path) -> None:
    """As on a bare Debian or Ubuntu."""
    bare = python_that(clone, 'case "$*" in *ensurepip*) exit 1;; esac')

    said = set_up(clone, str(bare))

    assert "its venv module is missing" in said
    assert "sudo apt install python3-venv" in said


def test_another_make_is_told_to_be_one(clone: Path) -> None:
    """The first rule is one that a BSD make stops at and prints; it cannot be run here, so it is read."""
    first = next(line for line in (clone / "Makefile").read_text().splitlines() if not line.startswith("#"))

    assert first.startswith(".error : ")
    assert "needs GNU make" in first
