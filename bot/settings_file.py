"""Settings as a file: written from their classes with what each does, and changed without losing what stands there."""

import io
import re
from collections.abc import Iterator, Mapping

from dotenv.parser import Binding, parse_stream
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from pydantic_settings import BaseSettings

from bot.settings_kinds import kinds_of

_PLAIN = re.compile(r"[\w@%+=:,./-]*", re.ASCII)
_COMMENTED = re.compile(r"#(SKYWRIGHT_\w+)=.*", re.ASCII)


def settings_lines(settings: type[BaseSettings], values: Mapping[str, str] | None = None) -> Iterator[str]:
    """What has to be set first, then the rest; what is not in `values` stands with its default, commented out."""
    given, kinds = values or {}, kinds_of(settings)
    for name, field in fields_of(settings):
        if name in given:
            line = assignment(name, given[name])
        else:
            line = f"{name}=" if field.is_required() else f"#{name}={default_of(field)}"
        kind = kinds[name.removeprefix(settings.model_config["env_prefix"]).lower()]
        yield from ("", f"# {field.description} ({kind})", line)


def fields_of(settings: type[BaseSettings]) -> list[tuple[str, FieldInfo]]:
    """Each setting by its name in the environment, the required ones first."""
    prefix = settings.model_config["env_prefix"]
    named = [(f"{prefix}{name}".upper(), field) for name, field in settings.model_fields.items()]
    return sorted(named, key=lambda each: not each[1].is_required())


def default_of(field: FieldInfo) -> str:
    """What a setting is if nobody sets it; empty for nothing."""
    if field.default is None or field.default is PydanticUndefined:
        return ""
    if isinstance(field.default, bool):
        return "yes" if field.default else "no"
    return str(field.default)


def assignment(name: str, value: str) -> str:
    """A line that this program and systemd take for this value; a shell does, unless it has both ' and $.

    ValueError for a value of several lines.
    """
    if any(not sign.isprintable() for sign in value):
        raise ValueError(f"{name} would not be one line of text")
    if _PLAIN.fullmatch(value):
        return f"{name}={value}"
    if "'" not in value and "\\" not in value:
        return f"{name}='{value}'"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}="{escaped}"'


def changed(text: str, values: Mapping[str, str]) -> str:
    """The text of a settings file with these values in it; every other line stays as it is.

    A value goes where its name stands, set or commented out, else to the end.
    """
    bindings = list(parse_stream(io.StringIO(text)))
    lines = "".join(_piece(binding, values) for binding in bindings).splitlines(keepends=True)
    missing = {name: value for name, value in values.items() if all(name != binding.key for binding in bindings)}
    for number, line in enumerate(lines):
        commented = _COMMENTED.fullmatch(line.strip())
        if commented and commented[1] in missing:
            lines[number] = f"{assignment(commented[1], missing.pop(commented[1]))}\n"
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return "".join([*lines, *(f"{assignment(name, value)}\n" for name, value in missing.items())])


def _piece(binding: Binding, values: Mapping[str, str]) -> str:
    """A name's piece of the file; one that stands there twice counts as it stands last, so each is changed."""
    whole = binding.original.string
    if binding.key is None or binding.key not in values or binding.value == values[binding.key]:
        return whole
    before = whole[: len(whole) - len(whole.lstrip())]
    export = "export " if whole.lstrip().startswith("export ") else ""
    return f"{before}{export}{assignment(binding.key, values[binding.key])}\n"
