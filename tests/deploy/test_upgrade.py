"""An upgrade, and the way back, by the runbook: installed as at first, from the version that its lines lead to."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.deploy.box import commands
from tests.drills.runbook import RUNBOOK, lines_of

PIP = "/opt/skywright/bin/pip "


def steps() -> tuple[list[str], list[str]]:
    """The lines of both: there, and back."""
    lines = lines_of("upgrade-and-roll-back")
    back = [number for number, line in enumerate(lines) if line.startswith("systemctl stop")][1]
    return lines[:back], lines[back:]


def installing(lines: list[str]) -> list[str]:
    """What installs the program and its units."""
    return [line for line in lines if line.startswith(PIP) or (line.startswith("install ") and "/etc/systemd/" in line)]


@pytest.mark.parametrize("way", [0, 1], ids=["there", "back"])
def test_what_is_installed_is_what_was_installed_at_first(way: int) -> None:
    """By the same commands as deploy/systemd/README.md: bot and lane, with the hashes of the lock."""
    lines = steps()[way]
    pip = [line for line in lines if line.startswith(PIP)]

    assert installing(commands()) == installing(lines)
    assert 3 == len(pip)
    assert [] == [
        line for line in pip if "--require-hashes" not in line and "--no-deps --no-build-isolation" not in line
    ]
    assert "systemctl daemon-reload" in lines


@pytest.mark.parametrize("way", [0, 1], ids=["there", "back"])
def test_what_was_started_at_first_is_started_again(way: int) -> None:
    first = next(line for line in commands() if line.startswith("systemctl enable --now "))

    assert first.replace("enable --now", "start") in steps()[way]


def test_no_page_installs_in_another_way() -> None:
    """Without hashes, or from a place that nothing has made."""
    pages = [*RUNBOOK.parent.rglob("*.md"), *RUNBOOK.parent.rglob("*.yml")]
    told = [line for page in pages for line in re.findall(r"pip install [^\n`]+", page.read_text(encoding="utf-8"))]

    assert 6 < len(told)
    assert [] == [line for line in told if not re.search("--require-hashes|--no-deps", line)]


def test_the_way_back_leads_to_what_ran_before(tmp_path: Path) -> None:
    """In a clone by itself, whatever its branch is called, and twice, too."""
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    env = {"HOME": str(tmp_path), "PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}

    def run(command: str, folder: Path = clone) -> str:
        words = ["/bin/sh", "-ec", command]
        return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=True).stdout.strip()

    def release(version: str) -> None:
        told = "-c user.name=tests -c user.email=tests@example.org commit --quiet --allow-empty"
        run(f"git {told} --message {version}", origin)

    origin.mkdir()
    run("git init --quiet --initial-branch=trunk", origin)
    release("first")
    run(f"git clone --quiet {origin} {clone}", tmp_path)
    there, back = ([line for line in lines if line.startswith("git ")] for lines in steps())
    for before, after in (("first", "second"), ("first", "third")):
        release(after)
        run("\n".join(there))
        upgraded = run("git log -1 --format=%s")
        run("\n".join(back))
        assert (after, before) == (upgraded, run("git log -1 --format=%s"))
