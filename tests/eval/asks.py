"""The forty asks, as data: asks.toml says what each key means."""

import re
import tomllib
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _compiles(text: str) -> str:
    re.compile(text)
    return text


Pattern = Annotated[str, AfterValidator(_compiles)]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fill(_Shape):
    fill: Pattern
    typed: str = Field(alias="with")


class Click(_Shape):
    click: Pattern


class Maybe(_Shape):
    maybe: Pattern


class Toggle(_Shape):
    toggle: Pattern


class Draw(_Shape):
    draw: Literal[True]


class Press(_Shape):
    press: str


class Pass(_Shape):
    seconds: int = Field(alias="pass")


class Shows(_Shape):
    shows: Pattern


class Now(_Shape):
    now: Pattern


class Between(_Shape):
    between: tuple[int, int]


Step = Fill | Click | Maybe | Toggle | Draw | Press | Pass | Shows | Now | Between


class Case(_Shape):
    """An ask, and what must be true of what comes of it."""

    text: str
    langs: tuple[str, ...] = ("en",)
    refuse: Literal[True] | None = None
    lang: str | None = None
    says: tuple[Pattern, ...] = ()
    do: tuple[Step, ...] = ()


def cases() -> list[Case]:
    """All of them, in their order."""
    table = tomllib.loads(files(__package__).joinpath("asks.toml").read_text("utf-8"))
    return [Case.model_validate(ask) for ask in table["ask"]]
