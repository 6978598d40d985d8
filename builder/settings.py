"""The lane's settings, from environment variables that begin with SKYWRIGHT_LANE_."""

import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, SecretStr, ValidationError, WithJsonSchema, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from builder.errors import BadSettings

PREFIX = "SKYWRIGHT_LANE_"
_TOKEN = re.compile(r"[\x21-\x7e]+")
_URL = re.compile(r"https?://[^/?#@\s]+(/[^?#\s]*)?", re.IGNORECASE)

Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
Dollars = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]


def _bot_url(url: str) -> str:
    if not _URL.fullmatch(url):
        raise ValueError("not an address like https://bot.example (no user name, query or fragment)")
    return url.rstrip("/")


OnOff = Literal["on", "off"]
AN_ADDRESS = Field(json_schema_extra={"format": "uri"})
Folder = Annotated[Path, WithJsonSchema({"type": "string", "format": "directory-path"})]


class _LaneSettings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, hide_input_in_errors=True, extra="ignore", frozen=True
    )

    def __repr_args__(self) -> Iterable[tuple[str | None, object]]:
        """What is set, by name alone: any value may be, or hold, what nobody is to read."""
        return [(None, name) for name in type(self).model_fields if name in self.model_fields_set]


class BuildSettings(_LaneSettings):
    """What building needs, without a bot; a missing or wrong value is told by the setting's name only."""

    generator: Literal["template", "llm", "command"] = Field("template", description="What builds the apps")
    repairs: int = Field(2, ge=0, le=10, description="How often the checks' findings go back to the generator")
    build_seconds: Seconds = Field(900, description="Time for one build, its checks and repairs included")
    build_tokens: int = Field(400_000, gt=0, le=10**9, description="Tokens in and out for one build, repairs included")
    build_cost_usd: float = Field(
        1.0, gt=0, le=1000, allow_inf_nan=False, description="US dollars for one build; the bot may allow less"
    )
    work_dir: Folder | None = Field(None, description="Where the temporary folders go; the system's place by default")
    as_root: Literal["refuse", "allow"] = Field(
        "refuse", description="Whether a lane of root's may open apps in a browser or run a command"
    )

    llm_models: str = Field(
        "", description="`llm`: models in the order to try, with commas: `anthropic:…`, `openai:…`, `compatible:…`"
    )
    llm_anthropic_key: SecretStr | None = Field(None, description="`llm`: the key for `anthropic:` models")
    llm_openai_key: SecretStr | None = Field(None, description="`llm`: the key for `openai:` models")
    llm_compatible_url: Annotated[str, AN_ADDRESS] | None = Field(
        None, description="`llm`: where an OpenAI-compatible server's API begins, such as http://127.0.0.1:11434/v1"
    )
    llm_compatible_key: SecretStr | None = Field(None, description="`llm`: that server's key, if it wants one")
    llm_answer: Literal["tool", "text"] = Field(
        "tool", description="`llm`: whether a model calls a tool or answers in text, for servers without tools"
    )
    llm_output_tokens: int = Field(32_000, ge=1000, le=1_000_000, description="`llm`: the longest answer of one call")
    llm_first_byte_seconds: Seconds = Field(120, description="`llm`: how long the first byte of an answer may take")
    llm_call_seconds: Seconds = Field(420, description="`llm`: how long one call may take")
    llm_price_in: Dollars | None = Field(
        None, description="`llm`: US dollars per million tokens in, for models that the price list does not know"
    )
    llm_price_out: Dollars | None = Field(None, description="`llm`: the same for tokens out")

    command: str = Field("", description="`command`: the program and its words; no shell reads them")
    command_allow: str = Field("", description="`command`: variables that the program gets too, names with commas")
    command_isolation: Literal["bubblewrap", "none"] = Field(
        "bubblewrap", description="`command`: how the program is kept apart; with `none` it can read what the lane can"
    )
    command_network: OnOff = Field("off", description="`command`: whether the program has a network")
    command_read_only: str = Field("", description="`command`: files and folders it may read too, paths with commas")
    command_memory_mb: int = Field(4096, ge=16, le=1_000_000, description="`command`: memory for all its processes")
    command_tasks: int = Field(512, ge=1, le=100_000, description="`command`: processes and threads at a time")

    browser: OnOff = Field("on", description="Whether each app is opened in Chromium before it is published")
    browser_program: Path | None = Field(None, description="The Chromium; else the one on PATH, else Playwright's")
    browser_sandbox: OnOff = Field("on", description="Chromium's own sandbox; it does not work for root")
    browser_seconds: Seconds = Field(60, description="Time for one look at an app in the browser")
    browser_memory_mb: int = Field(600, ge=100, le=64_000, description="Memory that an open app may take")
    browser_parallel: int = Field(2, ge=1, le=64, description="How many apps are open at a time")

    publisher: Literal["hosted", "folder", "object-store"] = Field("hosted", description="Where apps are published")
    publish_folder: Folder | None = Field(
        None, description="`folder`: the folder that a web server shows to the public"
    )
    publish_store: Annotated[str, AN_ADDRESS] = Field(
        "", description="`object-store`: s3://bucket/prefix, or gs:, or az:"
    )
    publish_url: Annotated[str, AN_ADDRESS] = Field(
        "", description="`folder`, `object-store`: the public address that it is served under"
    )


class BotSettings(_LaneSettings):
    """Where the bot is."""

    bot_url: Annotated[str, AfterValidator(_bot_url), AN_ADDRESS] = Field(
        description="Address of the bot's lane listener"
    )
    call_deadline_seconds: Seconds = Field(30, description="Total time of one call to the bot, its repeats included")


class Settings(BuildSettings, BotSettings):
    """What a lane needs to know to work for a bot."""

    token: SecretStr | None = Field(None, description="The device token that `skywright devices add` printed")
    token_file: Path | None = Field(None, description="A file with the token, readable by its owner only")
    lease_seconds: int | None = Field(
        None, ge=10, le=86_400, description="A longer lease than the bot's own, up to what the device may have"
    )
    poll_seconds: Seconds = Field(5, description="Pause of `watch` when nothing waits")
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
