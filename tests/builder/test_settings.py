"""The lane's settings: errors name the setting and never quote a value."""

import os
from pathlib import Path

import pytest

from builder.errors import BadSettings
from builder.settings import Settings, read_settings, read_token

CANARY = "canary-4711"


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("SKYWRIGHT_LANE_BOT_URL", "https://bot.example/")
    monkeypatch.setenv("SKYWRIGHT_LANE_TOKEN", CANARY)
    return monkeypatch


def private_file(path: Path, text: str, mode: int = 0o600) -> str:
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_an_address_and_a_token_are_enough(env: pytest.MonkeyPatch) -> None:
    """The rest has defaults."""
    settings = read_settings(Settings)

    assert "https://bot.example" == settings.bot_url
    assert CANARY == read_token(settings).get_secret_value()
    assert CANARY not in repr(settings)


def test_a_token_may_come_from_a_private_file(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its line end does not count."""
    env.delenv("SKYWRIGHT_LANE_TOKEN")
    env.setenv("SKYWRIGHT_LANE_TOKEN_FILE", private_file(tmp_path / "token", f"{CANARY}\n"))

    assert CANARY == read_token(read_settings(Settings)).get_secret_value()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BOT_URL", f"ftp://{CANARY}"),
        ("BOT_URL", f"https://user:{CANARY}@bot.example"),
        ("BOT_URL", f"https://bot.example/?{CANARY}"),
        ("POLL_SECONDS", CANARY),
        ("POLL_SECONDS", "0"),
        ("POLL_SECONDS", "nan"),
        ("GENERATOR", CANARY),
        ("CALL_DEADLINE_SECONDS", "-1"),
    ],
)
def test_a_wrong_setting_is_named_and_not_quoted(env: pytest.MonkeyPatch, name: str, value: str) -> None:
    """The value may be a secret that was pasted into the wrong place."""
    env.setenv(f"SKYWRIGHT_LANE_{name}", value)

    with pytest.raises(BadSettings, match=f"SKYWRIGHT_LANE_{name}: ") as problem:
        read_settings(Settings)
    assert CANARY not in str(problem.value)
    assert problem.value.__cause__ is None
    assert problem.value.__context__ is None


def test_a_missing_setting_is_named(env: pytest.MonkeyPatch) -> None:
    """An empty one counts as missing."""
    env.setenv("SKYWRIGHT_LANE_BOT_URL", "")

    with pytest.raises(BadSettings, match="SKYWRIGHT_LANE_BOT_URL: Field required"):
        read_settings(Settings)


def test_one_of_the_two_ways_to_give_a_token_is_needed(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """None and both are told alike."""
    env.setenv("SKYWRIGHT_LANE_TOKEN_FILE", str(tmp_path))
    with pytest.raises(BadSettings, match="TOKEN or SKYWRIGHT_LANE_TOKEN_FILE"):
        read_settings(Settings)

    env.delenv("SKYWRIGHT_LANE_TOKEN_FILE")
    env.delenv("SKYWRIGHT_LANE_TOKEN")
    with pytest.raises(BadSettings, match="TOKEN or SKYWRIGHT_LANE_TOKEN_FILE"):
        read_settings(Settings)


@pytest.mark.parametrize(
    ("text", "mode", "mend"),
    [
        (CANARY, 0o640, "chmod 600"),
        (CANARY, 0o604, "chmod 600"),
        (f"{CANARY} {CANARY}", 0o600, "holds no token"),
        ("", 0o600, "holds no token"),
        (f"{CANARY}é", 0o600, "holds no token"),
    ],
)
def test_a_token_file_that_cannot_be_used_is_refused(
    env: pytest.MonkeyPatch, tmp_path: Path, text: str, mode: int, mend: str
) -> None:
    """Open to others, or without one plain word."""
    env.delenv("SKYWRIGHT_LANE_TOKEN")
    env.setenv("SKYWRIGHT_LANE_TOKEN_FILE", private_file(tmp_path / "token", text, mode))

    with pytest.raises(BadSettings, match=f"SKYWRIGHT_LANE_TOKEN_FILE: .*{mend}") as problem:
        read_token(read_settings(Settings))
    assert CANARY not in str(problem.value)


def test_a_token_file_that_is_missing_is_named_by_its_setting(env: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No traceback, no path."""
    env.delenv("SKYWRIGHT_LANE_TOKEN")
    env.setenv("SKYWRIGHT_LANE_TOKEN_FILE", os.fspath(tmp_path / CANARY))

    with pytest.raises(BadSettings, match="SKYWRIGHT_LANE_TOKEN_FILE: cannot be read"):
        read_token(read_settings(Settings))
