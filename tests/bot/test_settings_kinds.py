"""What a setting takes, in words for people who write one."""

from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

from bot.addresses import Listen, SecretUrl, Url
from bot.notices import Shape
from bot.settings import Settings
from bot.settings_kinds import kinds_of
from builder.settings import Folder
from builder.settings import Settings as LaneSettings


class Every(BaseSettings):
    """One of each."""

    words: str
    few: str = Field(max_length=9)
    is_on: bool
    whole: int = Field(ge=1, le=9)
    many: int | None = Field(default=None, ge=3)
    some: float = Field(gt=0, le=9)
    more: float = Field(gt=0.5)
    any_number: int
    at: Url | None
    listens: Listen
    file: Path | None
    folder: Folder | None
    secret: SecretStr | None
    hook: SecretUrl | None
    either: Literal["a", "b"]
    shape: Shape | None


EXPECTED = {
    "words": "text",
    "few": "text, up to 9 characters",
    "is_on": "yes/no",
    "whole": "whole number, 1 to 9",
    "many": "whole number, 3 or more",
    "some": "number above 0, up to 9",
    "more": "number above 0.5",
    "any_number": "whole number",
    "at": "address",
    "listens": "HOST:PORT",
    "file": "file",
    "folder": "folder",
    "secret": "secret",
    "hook": "secret",
    "either": "one of a, b",
    "shape": "one of slack, discord, json",
}


def test_every_kind_has_plain_words() -> None:
    """With the range, where there is one; what may be left out is told as what it is."""
    assert EXPECTED == kinds_of(Every)


@pytest.mark.parametrize("settings", [Settings, LaneSettings])
def test_whatever_is_called_an_address_is_told_as_one(settings: type[BaseSettings]) -> None:
    """Or as a secret: nobody is told that a text is wanted, and then that this is no address."""
    kinds = kinds_of(settings)

    assert {"address", "secret"} >= {kind for name, kind in kinds.items() if name.endswith("_url")}
    assert settings.model_fields.keys() == kinds.keys()
