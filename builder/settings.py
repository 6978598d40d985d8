"""The lane's settings, from environment variables that begin with SKYWRIGHT_LANE_."""

import re
import stat
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from builder.errors import BadSettings

PREFIX = "SKYWRIGHT_LANE_"
_TOKEN = re.compile(r"[\x21-\x7e]+")
_URL = re.compile(r"https?://[^/?#@\s]+(/[^?#\s]*)?", re.IGNORECASE)

Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


def _bot_url(url: str) -> str:
    if not _URL.fullmatch(url):
        raise ValueError("not an address like https://bot.example (no user name, query or fragment)")
    return url.rstrip("/")


class BuildSettings(BaseSettings):
    """What building needs, without a bot; a missing or wrong value is told by the setting's name only."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, hide_input_in_errors=True, extra="ignore", frozen=True
    )

    generator: Literal["template"] = Field("template", description="What builds the apps")
    publisher: Literal["hosted"] = Field("hosted", description="Where the apps are published")
    repairs: int = Field(2, ge=0, le=10, description="How often the checks' findings go back to the generator")
    build_seconds: Seconds = Field(900, description="Time for one build, its checks and repairs included")
    build_tokens: int = Field(400_000, gt=0, le=10**9, description="Tokens in and out for one build, repairs included")
    build_cost_usd: float = Field(
        1.0, gt=0, le=1000, allow_inf_nan=False, description="US dollars for one build; the bot may allow less"
    )
    browser: Literal["on", "off"] = Field(
        "on", description="Whether each app is opened in Chromium before it is published"
    )
    browser_program: Path | None = Field(
        None, description="The Chromium; by default the one on PATH, else Playwright's"
    )
    browser_sandbox: Literal["on", "off"] = Field(
        "on", description="Chromium's own sandbox; with `on` a lane of root's refuses to start"
    )
    browser_seconds: Seconds = Field(60, description="Time for one look at an app in the browser")
    browser_memory_mb: int = Field(600, ge=100, le=64_000, description="Memory that an open app may take")
    browser_parallel: int = Field(2, ge=1, le=64, description="How many apps are open at a time")
    work_dir: Path | None = Field(None, description="Where the temporary folders go; the system's place by default")


class Settings(BuildSettings):
    """What a lane needs to know to work for a bot."""

    bot_url: Annotated[str, AfterValidator(_bot_url)] = Field(description="Address of the bot's lane listener")
    token: SecretStr | None = Field(None, description="The device token that `skywright devices add` printed")
    token_file: Path | None = Field(None, description="A file with the token, readable by its owner only")
    lease_seconds: int | None = Field(
        None, ge=10, le=86_400, description="A longer lease than the bot's own, up to what the device may have"
    )
    poll_seconds: Seconds = Field(5, description="Pause of `watch` when nothing waits")
    call_deadline_seconds: Seconds = Field(30, description="Total time of one call to the bot, its repeats included")
    report_patience_seconds: Seconds = Field(300, description="How long a finished build's report is worth repeating")
    grace_seconds: Seconds = Field(20, description="After SIGTERM: time to finish a document before it is released")

    @model_validator(mode="after")
    def _one_token(self) -> Self:
        if (self.token is None) == (self.token_file is None):
            raise ValueError(f"set either {PREFIX}TOKEN or {PREFIX}TOKEN_FILE")
        return self


S = TypeVar("S", bound=BaseSettings)


def read_settings(shape: type[S]) -> S:
    """The settings from the environment; BadSettings names each wrong one and quotes no value."""
    try:
        return shape()
    except ValidationError as problem:
        lines = [_sentence(tuple(error["loc"]), error["msg"]) for error in problem.errors(include_input=False)]
    raise BadSettings("\n".join(lines))


def read_token(settings: Settings) -> SecretStr:
    """The device token, from the setting or its file; BadSettings when the file is open to others or holds none."""
    name = f"{PREFIX}TOKEN"
    text = settings.token.get_secret_value() if settings.token else ""
    if settings.token_file is not None:
        name = f"{PREFIX}TOKEN_FILE"
        text = _read_private(name, settings.token_file)
    if not _TOKEN.fullmatch(text.strip()):
        raise BadSettings(f"{name}: holds no token (one word of plain characters)")
    return SecretStr(text.strip())


def _read_private(name: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(path.stat().st_mode)
            content = file.read(4096)
    except OSError as problem:
        raise BadSettings(f"{name}: cannot be read ({type(problem).__name__})") from None
    if mode & 0o077:
        raise BadSettings(f"{name}: other users may read it; run: chmod 600 on that file")
    return content.decode("ascii", "replace")


def _sentence(location: tuple[int | str, ...], message: str) -> str:
    if not location:
        return message.removeprefix("Value error, ")
    return f"{PREFIX}{str(location[0]).upper()}: {message.removeprefix('Value error, ')}"
