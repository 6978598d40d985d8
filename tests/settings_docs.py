"""Prints what README.md and deploy/env.example say of the settings, from the settings classes: `make settings`."""

import re
from collections.abc import Iterable
from pathlib import Path

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from pydantic_settings import BaseSettings

from bot.settings import Settings as BotSettings
from builder.settings import Settings as LaneSettings

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
ENV_EXAMPLE = ROOT / "deploy" / "env.example"
KINDS: dict[str, type[BaseSettings]] = {"bot": BotSettings, "lane": LaneSettings}


def readme_with_settings(text: str) -> str:
    """The README with its tables of settings printed anew between their marks."""
    for kind, settings in KINDS.items():
        table = "\n".join(_table(settings))
        text = re.sub(
            rf"(<!-- settings: {kind} -->\n).*?(<!-- /settings -->)",
            lambda marks, table=table: f"{marks[1]}{table}\n{marks[2]}",  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
    return text


def env_example() -> str:
    """A file to start from: what has to be set, then everything else with its default, commented out."""
    lines = [
        "# Settings of a bot, for `skywright --env-file FILE`. Keep the file to yourself: chmod 600.",
        "# Printed from the settings classes by `make settings`.",
    ]
    for kind, settings in KINDS.items():
        lines += ["", f"# ---- {kind}{' (on its own machine, in its own file)' if kind == 'lane' else ''}"]
        for name, field in sorted(_fields(settings), key=lambda named: not named[1].is_required()):
            lines += ["", f"# {field.description}", f"{name}=" if field.is_required() else f"#{name}={_default(field)}"]
    return "\n".join(lines) + "\n"


def _table(settings: type[BaseSettings]) -> Iterable[str]:
    yield "| setting | default | what it does |"
    yield "|---|---|---|"
    for name, field in sorted(_fields(settings), key=lambda named: not named[1].is_required()):
        default = "**required**" if field.is_required() else f"`{_default(field)}`" if _default(field) else ""
        yield f"| `{name}` | {default} | {field.description} |"


def _fields(settings: type[BaseSettings]) -> list[tuple[str, FieldInfo]]:
    prefix = settings.model_config["env_prefix"]
    return [(f"{prefix}{name}".upper(), field) for name, field in settings.model_fields.items()]


def _default(field: FieldInfo) -> str:
    plain = field.default is None or field.default is PydanticUndefined
    return "" if plain else str(field.default)


if __name__ == "__main__":
    README.write_text(readme_with_settings(README.read_text()))
    ENV_EXAMPLE.write_text(env_example())
