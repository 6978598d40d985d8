"""Prints what README.md and deploy/env.example say of the settings, from the settings classes: `make settings`."""

import re
from collections.abc import Iterable
from pathlib import Path

from pydantic_settings import BaseSettings

from bot.settings import Settings as BotSettings
from bot.settings_file import default_of, fields_of, settings_lines
from bot.settings_kinds import kinds_of
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
        lines += settings_lines(settings)
    return "\n".join(lines) + "\n"


def _table(settings: type[BaseSettings]) -> Iterable[str]:
    kinds, prefix = kinds_of(settings), settings.model_config["env_prefix"]
    yield "| setting | type | default | what it does |"
    yield "|---|---|---|---|"
    for name, field in fields_of(settings):
        default = "**required**" if field.is_required() else f"`{default_of(field)}`" if default_of(field) else ""
        kind = kinds[name.removeprefix(prefix).lower()]
        yield f"| `{name}` | {kind} | {default} | {field.description} |"


if __name__ == "__main__":
    README.write_text(readme_with_settings(README.read_text()))
    ENV_EXAMPLE.write_text(env_example())
