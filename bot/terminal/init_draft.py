"""What `skywright init` is about to write: the settings that stand already, and the answers over them."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.fernet import Fernet
from dotenv import dotenv_values
from pydantic import SecretStr, ValidationError

from bot.settings import PREFIX, Settings, load_settings
from bot.terminal.misspelt import setting_names

RULES_NAME, LEDGER_NAME, LANE_NAME = "guardrails.toml", "skywright.db", "lane.env"


@dataclass(frozen=True)
class Given:
    """What flags have answered already; None for what they leave open."""

    file: Path
    handle: str | None = None
    password: SecretStr | None = None
    database: str | None = field(default=None, repr=False)
    domain: str | None = None
    apps_url: str | None = None
    lane_url: str | None = None
    lanes: str | None = None
    repository: str | None = None
    purse: str | None = None
    contact: str | None = None
    profile: bool | None = None
    yes: bool = False
    listen: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Draft:
    """The settings of a bot to be, as texts by their fields' names; `earlier` is what the file had before."""

    file: Path
    values: dict[str, str] = field(repr=False)
    is_new: bool
    earlier: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def lane_file(self) -> Path:
        """The settings of a lane on this machine."""
        return lane_file_beside(self.file)

    @property
    def rules_file(self) -> Path:
        """The rules; beside the settings unless these say otherwise."""
        return Path(self.values.get("rules") or self.file.with_name(RULES_NAME))

    def value(self, name: str) -> str:
        """A setting as it will be: an answer, or the default."""
        default = Settings.model_fields[name].default
        return self.values.get(name) or ("" if default is None else str(default))

    def settings(self) -> Settings:
        """The settings as the bot would read them; BadSettings. What is not known yet has something in its place."""
        made_up = {"identifier": "nobody.invalid", "password": "none", "session_key": Fernet.generate_key().decode()}
        return load_settings(Settings, **{**made_up, **{name: text for name, text in self.values.items() if text}})

    def by_name(self) -> dict[str, str]:
        """What will stand in the file, by the settings' names."""
        fields = {field: name for name, field in setting_names().items()}
        return {fields[name]: text for name, text in self.values.items()}


def lane_file_beside(file: Path) -> Path:
    """Where the settings of a lane on this machine are."""
    return file.with_name(LANE_NAME)


def why_unreadable(file: Path) -> str | None:
    """Why a file that is there cannot be read as text; None when it can, or is not there."""
    try:
        file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except OSError as problem:
        return problem.strerror
    except UnicodeDecodeError:
        return "it is not UTF-8 text"
    return None


def drafted(file: Path) -> Draft:
    """What stands in a file and in the environment, which counts before it, as for `skywright run`."""
    filed = _filed(file) if file.exists() else {}
    here = {name.upper(): text for name, text in os.environ.items()}
    fields = setting_names().items()
    earlier = {field: text for name, field in fields if (text := filed.get(name))}
    values = earlier | {field: text for name, field in fields if (text := here.get(name))}
    return Draft(file, values, not file.exists(), earlier)


def _filed(file: Path) -> dict[str, str | None]:
    with file.open(encoding="utf-8") as lines:
        return dotenv_values(stream=lines, interpolate=False)


def why_not(name: str, text: str) -> str | None:
    """What is wrong with a value for a setting; None when it can be used."""
    made_up = {"identifier": "nobody.invalid", "password": "none", "session_key": Fernet.generate_key().decode()}
    try:
        Settings(**(made_up | {name: text}))  # type: ignore[arg-type]
    except ValidationError as problems:
        found = (problem["msg"] for problem in problems.errors() if problem["loc"][:1] == (name,))
        return next(found, None)
    return None


def outranked(draft: Draft) -> list[str]:
    """Names that are set in this environment to something else, which would stand before the file."""
    written = draft.by_name()
    return [name for name, text in os.environ.items() if name.startswith(PREFIX) and written.get(name, text) != text]
