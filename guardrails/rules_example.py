"""Prints deploy/guardrails.example.toml, every rule with its meaning and its default; `make rules` keeps it."""

import json
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from pydantic.fields import FieldInfo

from guardrails.rules import Rules

_TOP = (
    "# The rules of a bot: who may ask, how much, and for what. Set SKYWRIGHT_RULES to the path of your own copy.",
    "# Keep only what you change; what is left out is as built in, which is what stands here. People are no rules: see",
    "# `skywright deny` and `skywright allow`. Printed from guardrails/rules.py by `make rules`.",
)


def example(values: Mapping[tuple[str, str], Any] | None = None) -> str:
    """The example: each table, and in it each key behind a `#`, so that the file as it is changes nothing.

    `values` by table and key: those are set.
    """
    given = values or {}
    lines = list(_TOP)
    for name, table in Rules.model_fields.items():
        lines += ["", *_comment(type(table.default).__doc__ or ""), f"[{name}]"]
        for key, field in _fields(table).items():
            value = given.get((name, key))
            line = f"#{key} = {_toml(field.default)}" if value is None else f"{key} = {_toml(value)}"
            lines += [*_comment(_told(field)), line]
    return "\n".join(lines) + "\n"


def _fields(table: FieldInfo) -> dict[str, FieldInfo]:
    fields: dict[str, FieldInfo] = type(table.default).model_fields
    return fields


def _told(field: FieldInfo) -> str:
    """The meaning, and what may stand there: a choice of words, or the bounds of a number."""
    low, high = _bound(field, "ge", "gt"), _bound(field, "le")
    if isinstance(field.default, Enum):
        return f"{field.description} ({', '.join(each.value for each in type(field.default))})"
    return f"{field.description} ({low} to {high})" if low is not None else str(field.description)


def _bound(field: FieldInfo, *names: str) -> Any:  # noqa: ANN401 - a number, or None
    bounds = (getattr(each, name, None) for each in field.metadata for name in names)
    return next((bound for bound in bounds if bound is not None), None)


def _comment(text: str) -> Iterator[str]:
    return (f"# {line.strip()}" for line in text.splitlines() if line.strip())


def _toml(value: Any) -> str:  # noqa: ANN401 - a TOML value
    plain = value.value if isinstance(value, Enum) else value
    return json.dumps(list(plain) if isinstance(plain, tuple) else plain, ensure_ascii=False)


if __name__ == "__main__":
    sys.stdout.write(example())
