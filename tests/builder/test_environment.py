"""A lane whose settings are in a file."""

import os
from pathlib import Path
from unittest.mock import patch

import pytest
from typer.testing import CliRunner, Result

from builder.cli import app
from tests.builder.fake_bot import TOKEN, FakeBot


def once(file: Path, **settings: str) -> Result:
    """`skywright-builder once` with this file; what it sets in the environment goes with it."""
    env = {f"SKYWRIGHT_LANE_{name}": value for name, value in settings.items()}
    with patch.dict(os.environ):
        return CliRunner().invoke(app, ["--env-file", str(file), "once"], env=env)


@pytest.fixture
def lane_file(bot: FakeBot, tmp_path: Path) -> Path:
    """The settings of a lane, for its owner only."""
    file = tmp_path / "lane.env"
    told = {"BOT_URL": bot.url, "TOKEN": TOKEN, "BROWSER": "off", "WORK_DIR": str(tmp_path)}
    file.write_text("".join(f"SKYWRIGHT_LANE_{name}={value}\n" for name, value in told.items()))
    file.chmod(0o600)
    return file


def test_a_lane_works_by_a_file(lane_file: Path) -> None:
    """Nothing waits, and nothing is wrong."""
    result = once(lane_file)

    assert (0, False) == (result.exit_code, "warning" in result.stderr)


def test_what_is_set_already_stands(lane_file: Path) -> None:
    """The environment counts before the file."""
    assert 77 == once(lane_file, TOKEN="sw_of_somebody_else").exit_code


def test_a_file_that_others_can_read_is_told_of(lane_file: Path) -> None:
    """It holds a token, which is not shown."""
    lane_file.chmod(0o644)
    result = once(lane_file)

    assert f"chmod 600 {lane_file}" in result.stderr
    assert TOKEN not in result.output


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    """In a line, and nothing else is looked at."""
    file = tmp_path / "lane.env"
    if content is not None:
        file.write_bytes(content)

    result = once(file)

    assert (2, True) == (result.exit_code, "cannot be read" in result.stderr)
