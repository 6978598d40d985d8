"""The doctor's look at the settings: which are wrong, where each came from, and what looks like one and is none."""

import os
from collections.abc import Iterator
from typing import get_args
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.errors import BadSettings
from bot.settings import Settings, load_settings
from bot.terminal.environment import FromFile
from bot.terminal.misspelt import misspelt, setting_names
from guardrails.findings import Finding, fail, ok, warn

_LONGEST = 120
# It may hold a password; what it names is told with the database.
_TOLD_ELSEWHERE = {"database_url"}


def settings_findings(from_file: FromFile | None) -> Iterator[Finding]:
    """Each wrong or missing setting, else that all is there; where each came from; names that are none."""
    settings, problems = None, []
    try:
        settings = load_settings(Settings)
    except BadSettings as problem:
        problems = problem.problems
    for told in problems:
        yield fail("settings", told, "set it in the environment or in the file of --env-file")
    if settings is not None:
        yield ok("settings", "complete")
    yield from _origins(settings, from_file)
    for wrong in misspelt(os.environ):
        yield warn("settings", wrong.told, wrong.mend)


def _origins(settings: Settings | None, from_file: FromFile | None) -> Iterator[Finding]:
    """A line for each setting that somebody gave, and one for all that stand by default."""
    # An empty one counts as not set.
    given = {name.upper(): name for name, value in os.environ.items() if value}
    by_default = []
    for name, field in setting_names().items():
        if name not in given:
            by_default.append(name)
            continue
        filed = from_file is not None and given[name] in from_file.names
        origin = str(from_file.file) if from_file is not None and filed else "the environment"
        yield ok("setting", f"{name} {_value(settings, field)}, from {origin}")
    yield ok("setting", f"by default: {', '.join(by_default)}")


def _value(settings: Settings | None, field: str) -> str:
    """What a setting is, as people may see it: of a secret, and of what may hold one, only that it is set."""
    annotation = Settings.model_fields[field].annotation
    secret = SecretStr in (annotation, *get_args(annotation))
    if settings is None or secret or field in _TOLD_ELSEWHERE:
        return "is set"
    value = str(getattr(settings, field))
    return f"is {value}" if len(value) <= _LONGEST and not _may_hold_a_secret(value) else "is set"


def _may_hold_a_secret(value: str) -> bool:
    try:
        parts = urlsplit(value)
    except ValueError:
        return True
    return bool(parts.scheme and ("@" in parts.netloc or parts.query or parts.fragment))
