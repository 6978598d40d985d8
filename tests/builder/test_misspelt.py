"""Names that look like settings of a lane and are none are told of, in the environment and in the file."""

from pathlib import Path
from unittest.mock import patch

import pytest
from typer.testing import CliRunner, Result

from bot.settings import PREFIX as BOT_PREFIX
from bot.settings import Settings as BotSettings
from bot.terminal.misspelt import BESIDE
from builder.cli import app
from builder.settings import PREFIX, Settings
from builder.terminal.misspelt import misspelt
from guardrails.misspelt import Misspelt

CANARY = "canary-4711"
TOLD = "SKYWRIGHT_LANE_TOKN is no setting; SKYWRIGHT_LANE_TOKEN is"
MEND = "write SKYWRIGHT_LANE_TOKEN, if that is meant"


def run(*words: str, **env: str) -> Result:
    """A command of a lane with this environment."""
    with patch.dict("os.environ", {"SKYWRIGHT_LANE_BROWSER": "off", **env}, clear=True):
        return CliRunner().invoke(app, words)


@pytest.mark.parametrize("command", [["once"], ["watch"], ["unpublish", "slug", "--reason", "x"], ["enrol", "x"]])
def test_every_command_tells_of_a_misspelt_setting(command: list[str]) -> None:
    """By its name, never its value, before whatever else is wrong."""
    said = run(*command, SKYWRIGHT_LANE_TOKN=CANARY)

    assert said.stderr.startswith(f"warning: {TOLD}: {MEND}\n")
    assert CANARY not in said.output


def test_one_in_the_file_is_told_too(tmp_path: Path) -> None:
    """The file is read as the environment is."""
    file = tmp_path / "lane.env"
    file.write_text(f"SKYWRIGHT_LANE_TOKN={CANARY}\n")
    file.chmod(0o600)

    assert f"warning: {TOLD}: {MEND}\n" in run("--env-file", str(file), "once").stderr


def test_the_doctor_has_it_among_its_findings() -> None:
    """Once, and with the mend."""
    said = run("doctor", SKYWRIGHT_LANE_TOKN=CANARY)

    assert f"{TOLD}  → {MEND}" in said.stdout
    assert "" == said.stderr


def test_a_setting_of_the_bot_is_none_of_a_lanes_misspelt() -> None:
    """Both may stand in one environment."""
    names = [*(f"{BOT_PREFIX}{field.upper()}" for field in BotSettings.model_fields), *BESIDE]

    assert [] == list(misspelt(dict.fromkeys(names, "")))


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("SKYWRIGHT_LANE_LLM_MODEL", "SKYWRIGHT_LANE_LLM_MODELS"),
        ("skywright_lane_bot_ulr", "SKYWRIGHT_LANE_BOT_URL"),
        ("SKYWRIGHT_LANES_BOT_URL", "SKYWRIGHT_LANE_BOT_URL"),
        ("SKYWRITE_LANE_BOT_URL", "SKYWRIGHT_LANE_BOT_URL"),
        ("SKYWRIGHT_LANE_FAVOURITE", None),
    ],
)
def test_a_misspelt_name_and_the_nearest(name: str, nearest: str | None) -> None:
    """Whichever letter is wrong; what is like none is named alone."""
    assert [Misspelt(name, nearest)] == list(misspelt({name: ""}))


def test_names_that_are_none_of_it() -> None:
    """Settings, what CI and clusters put there, and everything that is not ours."""
    settings = [f"{PREFIX}{name.upper()}" for name in Settings.model_fields]
    others = [f"{PREFIX}AUDIENCE", "SKYWRIGHT_LANE_HOST", "SKYLINE_URL", "HOME", "SKYWRIGHT"]
    of_a_service = {"SKYWRIGHT_LANE_PORT": "tcp://10.96.0.12:8101", "SKYWRIGHT_LANE_SERVICE_PORT": "8101"}

    assert [] == list(misspelt(dict.fromkeys([*settings, *others], "") | of_a_service))


def test_a_port_that_somebody_meant_to_set_is_named() -> None:
    """A lane has none; what a cluster says of a service is an address."""
    meant = Misspelt("SKYWRIGHT_LANE_BOT_PORT", "SKYWRIGHT_LANE_BOT_URL")

    assert [meant] == list(misspelt({"SKYWRIGHT_LANE_BOT_PORT": "8101"}))
    assert [Misspelt("SKYWRIGHT_LANE_PORT", None)] == list(misspelt({"SKYWRIGHT_LANE_PORT": "8101"}))
