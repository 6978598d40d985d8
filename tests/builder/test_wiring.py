"""From settings to parts: what a lane works with, and what keeps it from working."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from builder.checks.static import static_checks
from builder.errors import BadSettings, LaneUnfit
from builder.outcomes import Budget
from builder.settings import BuildSettings, read_settings
from builder.wiring.parts import budget_of, generator_module, open_tools, opened_publisher, why_not_as_root
from tests.builder.conftest import MakeClient

LLM = {"LLM_MODELS": "anthropic:claude-sonnet-4-5, compatible:m", "LLM_ANTHROPIC_KEY": "canary-key"}
LOCAL = {"LLM_COMPATIBLE_URL": "http://127.0.0.1:9/v1", "LLM_PRICE_IN": "0", "LLM_PRICE_OUT": "0"}


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Any:
    def settings(**given: str) -> BuildSettings:
        for name, value in given.items():
            monkeypatch.setenv(f"SKYWRIGHT_LANE_{name}", value)
        return read_settings(BuildSettings)

    return settings


@pytest.mark.parametrize(
    ("given", "generator", "publisher"),
    [
        ({}, "template", "hosted"),
        ({"GENERATOR": "llm", **LLM, **LOCAL}, "llm", "hosted"),
        (
            {"GENERATOR": "command", "COMMAND": "true", "COMMAND_ISOLATION": "none", "AS_ROOT": "allow"},
            "command",
            "hosted",
        ),
        (
            {"PUBLISHER": "folder", "PUBLISH_FOLDER": "/srv/apps", "PUBLISH_URL": "https://apps.example"},
            "template",
            "folder",
        ),
        (
            {"PUBLISHER": "object-store", "PUBLISH_STORE": "s3://apps/there", "PUBLISH_URL": "https://apps.example"},
            "template",
            "object-store",
        ),
    ],
)
def test_every_part_is_chosen_by_its_name(
    settings: Any, make_client: MakeClient, given: dict[str, str], generator: str, publisher: str
) -> None:
    """And is given its own settings."""
    with open_tools(settings(BROWSER="off", **given), make_client()) as tools:
        assert (generator, publisher) == (tools.generator.name, tools.publisher.name)
        assert [type(check) for check in static_checks()] == [type(check) for check in tools.checks]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"GENERATOR": "llm"}, "SKYWRIGHT_LANE_LLM_MODELS"),
        ({"GENERATOR": "llm", **LLM}, "SKYWRIGHT_LANE_LLM_COMPATIBLE_URL"),
        ({"GENERATOR": "command", "COMMAND": "it's", "AS_ROOT": "allow"}, "SKYWRIGHT_LANE_COMMAND: .*quot"),
        ({"PUBLISHER": "folder"}, "SKYWRIGHT_LANE_PUBLISH_FOLDER"),
        ({"PUBLISHER": "folder", "PUBLISH_FOLDER": "/srv", "PUBLISH_URL": "x"}, "SKYWRIGHT_LANE_PUBLISH_URL"),
        ({"PUBLISHER": "object-store", "PUBLISH_URL": "https://apps.example"}, "SKYWRIGHT_LANE_PUBLISH_STORE"),
    ],
)
def test_what_a_part_lacks_is_told_by_the_settings_name(
    settings: Any, make_client: MakeClient, given: dict[str, str], problem: str
) -> None:
    """Before the first claim."""
    with pytest.raises(BadSettings, match=problem), open_tools(settings(BROWSER="off", **given), make_client()):
        pytest.fail("there are tools")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"GENERATOR": "command", "COMMAND": "no-such-program", "AS_ROOT": "allow"}, "no-such-program.*install"),
        (
            {"GENERATOR": "llm", "LLM_MODELS": "compatible:m", "LLM_COMPATIBLE_URL": "http://127.0.0.1:9/v1"},
            "SKYWRIGHT_LANE_LLM_PRICE_IN",
        ),
        (
            {"BROWSER": "on", "BROWSER_PROGRAM": "/no/chromium", "BROWSER_SANDBOX": "off", "AS_ROOT": "allow"},
            "no Chromium at",
        ),
    ],
)
def test_a_lane_that_could_build_nothing_does_not_begin(
    settings: Any, make_client: MakeClient, given: dict[str, str], problem: str
) -> None:
    """It says what to do."""
    with (
        pytest.raises(LaneUnfit, match=problem),
        open_tools(settings(**{"BROWSER": "off", **given}), make_client()),
    ):
        pytest.fail("there are tools")


@pytest.mark.parametrize(
    ("given", "user_id", "refused"),
    [
        ({"BROWSER": "off"}, 0, False),
        ({"BROWSER": "on"}, 0, True),
        ({"BROWSER": "on"}, 1000, False),
        ({"BROWSER": "on", "AS_ROOT": "allow"}, 0, False),
        ({"BROWSER": "off", "GENERATOR": "command"}, 0, True),
    ],
)
def test_root_runs_nothing_of_strangers_unasked(
    settings: Any, given: dict[str, str], user_id: int, *, refused: bool
) -> None:
    """A browser or a command: only with an explicit setting."""
    assert refused is (why_not_as_root(settings(**given), user_id) is not None)


def test_the_budget_is_the_settings(settings: Any) -> None:
    """Dollars become millionths."""
    given = settings(BUILD_SECONDS="60", BUILD_TOKENS="1000", BUILD_COST_USD="0.25")

    assert Budget(60.0, 1000, 250_000) == budget_of(given)


def test_a_secret_is_in_no_text_of_the_settings(settings: Any) -> None:
    """Nor of the generator that got it."""
    given = settings(GENERATOR="llm", **LLM, **LOCAL)

    assert "canary-key" not in repr(given) + repr(generator_module(given).make(given))


def test_a_publisher_needs_no_generator(settings: Any, make_client: MakeClient) -> None:
    """For the commands that only take down."""
    with opened_publisher(settings(GENERATOR="llm"), make_client()) as publisher:
        assert "hosted" == publisher.name


def test_a_lane_loads_only_what_it_works_with() -> None:
    """No model client, no browser and no object store for a lane with templates."""
    program = (
        "import builder.cli, builder.main, builder.wiring.template, builder.wiring.hosted, sys;"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}"
        " & {'pydantic_ai', 'anthropic', 'openai', 'playwright', 'obstore', 'genai_prices'}))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], env={}, capture_output=True, text=True, timeout=50, check=True
    )

    assert "" == result.stdout.strip()


@pytest.mark.parametrize("name", ["SKYWRIGHT_LANE_TOKEN_FILE", "skywright_lane_token_file"])
def test_a_command_that_could_read_the_token_is_refused(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """However the setting is spelt: settings are read without regard to case."""
    (tmp_path / "token").write_text("canary-token")
    monkeypatch.setenv(name, str(tmp_path / "token"))
    given = settings(GENERATOR="command", COMMAND="true", COMMAND_READ_ONLY=str(tmp_path))

    assert "the program could read" in str(generator_module(given).why_not(given))
