"""Settings files as they are written: whoever reads them reads the same, and what was not asked stays."""

import io
import shlex
import subprocess
from pathlib import Path

import pytest
from dotenv import dotenv_values

from bot.settings import Settings
from bot.settings_file import assignment, changed, settings_lines
from bot.terminal.init_files import BOT_URL, LANE_TOKEN
from builder.settings import Settings as LaneSettings

VALUES = [
    "plain",
    "https://hooks.example/a?b=1&c=~",
    "sqlite:////srv/a b.db",
    "$HOME `id` # no comment",
    "it's",
    'a "quote"',
    "back\\slash",
    "é“”",
    "",
]


def read(text: str) -> dict[str, str | None]:
    return dotenv_values(stream=io.StringIO(text), interpolate=False)


@pytest.mark.parametrize("value", VALUES)
def test_a_value_is_read_as_it_was_written(value: str) -> None:
    """Whatever signs are in it; nothing is taken for a name in it or for a comment."""
    assert {"NAME": value} == read(assignment("NAME", value))


@pytest.mark.parametrize("value", VALUES)
def test_a_shell_reads_the_same(value: str, tmp_path: Path) -> None:
    """Where somebody sources the file."""
    file = tmp_path / "env"
    file.write_text(assignment("NAME", value) + "\n")
    said = subprocess.run(
        ["sh", "-c", f'. {shlex.quote(str(file))}; printf %s "$NAME"'], check=True, capture_output=True, text=True
    )

    assert value == said.stdout


@pytest.mark.parametrize("value", ["two\nlines", "\x1b[2J", "a\x00b"])
def test_a_value_of_several_lines_is_refused(value: str) -> None:
    """It could set something else."""
    with pytest.raises(ValueError, match="NAME"):
        assignment("NAME", value)


def test_a_new_file_says_what_each_does_and_sets_what_is_given() -> None:
    """What is not given stands there with its default, as a comment."""
    text = "\n".join(settings_lines(Settings, {"SKYWRIGHT_CONTACT": "me@wright.example"}))

    assert {"SKYWRIGHT_CONTACT": "me@wright.example"} == {name: value for name, value in read(text).items() if value}
    assert "# Who answers for this bot: a mail address or a link (text)\nSKYWRIGHT_CONTACT=me@wright.example" in text
    assert "#SKYWRIGHT_POLL_SECONDS=5" in text


BEFORE = """# mine
export SKYWRIGHT_CONTACT='old one'

#SKYWRIGHT_POLL_SECONDS=5
OTHER=1 # kept
SKYWRIGHT_LIKES=no"""
AFTER = """# mine
export SKYWRIGHT_CONTACT='new one'

SKYWRIGHT_POLL_SECONDS=7
OTHER=1 # kept
SKYWRIGHT_LIKES=no
SKYWRIGHT_NOTES=no
"""


def test_what_is_changed_goes_where_it_stands_and_the_rest_stays() -> None:
    """In its place, in the place of its comment, or at the end; the same again changes nothing."""
    values = {"SKYWRIGHT_CONTACT": "new one", "SKYWRIGHT_POLL_SECONDS": "7", "SKYWRIGHT_NOTES": "no"}

    assert AFTER == changed(BEFORE, values)
    assert AFTER == changed(AFTER, values)


def test_the_file_of_a_lane_names_settings_of_a_lane() -> None:
    """The bot does not know them otherwise."""
    names = {f"SKYWRIGHT_LANE_{name}".upper() for name in LaneSettings.model_fields}

    assert {BOT_URL, LANE_TOKEN, "SKYWRIGHT_LANE_GENERATOR"} <= names
