"""What a setting takes, in plain words, by the JSON schema of its class."""

from collections.abc import Mapping
from typing import Any

from pydantic_settings import BaseSettings

_OF_TEXT = {
    "uri": "address",
    "host-port": "HOST:PORT",
    "password": "secret",
    "path": "file",
    "directory-path": "folder",
}


def kinds_of(settings: type[BaseSettings]) -> dict[str, str]:
    """The kind of each setting by its field: text, number, yes/no, address, file, secret, one of a few; its range."""
    schema = settings.model_json_schema()
    return {name: _kind(shape, schema.get("$defs", {})) for name, shape in schema["properties"].items()}


def _kind(shape: Mapping[str, Any], shapes: Mapping[str, Any]) -> str:
    # What may be left out is this or nothing.
    for either in shape.get("anyOf", ()):
        if either.get("type") != "null":
            return _kind({**shape, **either, "anyOf": ()}, shapes)
    if "$ref" in shape:
        return _kind(shapes[shape["$ref"].rpartition("/")[2]], shapes)
    if "enum" in shape:
        return f"one of {', '.join(shape['enum'])}"
    match shape["type"]:
        case "boolean":
            return "yes/no"
        case "integer":
            return f"whole number{_range(shape)}"
        case "number":
            return f"number{_range(shape)}"
    kind = _OF_TEXT.get(shape.get("format", ""), "text")
    longest = shape.get("maxLength")
    return f"{kind}, up to {longest} characters" if kind == "text" and longest else kind


def _range(shape: Mapping[str, Any]) -> str:
    least, above, most = (shape.get(name) for name in ("minimum", "exclusiveMinimum", "maximum"))
    if above is not None:
        return f" above {above}" + (f", up to {most}" if most is not None else "")
    if least is not None:
        return f", {least} to {most}" if most is not None else f", {least} or more"
    return ""
