"""Checks of JSON values, which complain in the words of the real servers."""

import json
import re
from collections.abc import Callable, Mapping

from bot.sandbox.times import is_record_time
from guardrails.text import graphemes, utf8_len

Check = Callable[[object, str], None]

_CID = re.compile(r"[a-zA-Z0-9+=]{8,256}")
_DID = re.compile(r"did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]")
_HANDLE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_NSID = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*(\.[a-zA-Z0-9-]+)+\.[a-zA-Z][a-zA-Z0-9]*")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_URI = re.compile(r"[a-z][a-z0-9.+-]*:\S+", re.IGNORECASE)
_AT_URI = re.compile(r"at://[A-Za-z0-9._:%-]+(/[A-Za-z0-9.-]+(/[A-Za-z0-9._:~-]+)?)?")
_KEY = re.compile(r"(?!\.\.?$)[A-Za-z0-9._:~-]+")
_PREVIEW = 256
_TYPED = 'an object which includes the "$type" property'
_STORABLE = "one of null, boolean, integer, string, cid, bytes, array or object"


class BadValue(ValueError):
    """A value that its schema does not allow: what is wrong with it, and the path to it."""

    def __init__(self, problem: str, path: str) -> None:
        super().__init__(f"{problem} at {path}")
        self.problem = problem


def string(*, max_bytes: int | None = None, max_graphemes: int | None = None) -> Check:
    """A text, with the most bytes and grapheme clusters that it may have."""

    def check(value: object, path: str) -> None:
        if not isinstance(value, str):
            raise _expected("string", value, path)
        if max_bytes is not None and utf8_len(value) > max_bytes:
            raise BadValue(f"string too big (maximum {max_bytes}, got {utf8_len(value)})", path)
        if max_graphemes is not None and graphemes(value) > max_graphemes:
            raise BadValue(f"grapheme too big (maximum {max_graphemes}, got {graphemes(value)})", path)

    return check


def named(name: str, fits: Callable[[str], object], *, max_bytes: int | None = None) -> Check:
    """A text of a certain form."""
    is_text = string(max_bytes=max_bytes)

    def check(value: object, path: str) -> None:
        is_text(value, path)
        if not fits(str(value)):
            raise BadValue(f"Invalid {name} (got {_shown(value)})", path)

    return check


def nullable(inner: Check) -> Check:
    """The same, or null."""

    def check(value: object, path: str) -> None:
        if value is not None:
            inner(value, path)

    return check


def boolean(value: object, path: str) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise _expected("boolean", value, path)


def integer(minimum: int) -> Check:
    """A whole number, not below the minimum."""

    def check(value: object, path: str) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _expected("integer", value, path)
        if value < minimum:
            raise BadValue(f"integer too small (minimum {minimum}, got {value})", path)

    return check


def array(item: Check, most: int | None = None) -> Check:
    """A list of such values."""

    def check(value: object, path: str) -> None:
        if not isinstance(value, list):
            raise _expected("array", value, path)
        if most is not None and len(value) > most:
            raise BadValue(f"array too big (maximum {most}, got {len(value)})", path)
        for index, inner in enumerate(value):
            item(inner, f"{path}[{index}]")

    return check


def record(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with these keys; unknown ones are let through, as the real servers do."""

    def check(value: object, path: str) -> None:
        if not isinstance(value, Mapping):
            raise _expected("object", value, path)
        for key, inner in required.items():
            if key not in value:
                raise BadValue(f'Missing required key "{key}"', path)
            inner(value[key], f"{path}.{key}")
        for key, inner in (optional or {}).items():
            if key in value:
                inner(value[key], f"{path}.{key}")

    return check


def open_union(members: Mapping[str, Check]) -> Check:
    """An object with a type; those that are known are checked, others pass."""

    def check(value: object, path: str) -> None:
        match value:
            case {"$type": str(name)}:
                members.get(name, record({}))(value, path)
            case _:
                raise _expected(_TYPED, value, path)

    return check


def image(largest: int) -> Check:
    """A blob that is an image, of so many bytes at most."""
    is_blob = record({"ref": record({"$link": cid}), "mimeType": string(), "size": integer(0)})

    def check(value: object, path: str) -> None:
        try:
            is_blob(value, path)
        except BadValue:
            raise _expected("blob", value, path) from None
        match value:
            case {"$type": str(name)} if name != "blob":
                raise _expected("blob", value, path)
            case {"size": int(size)} if size > largest:
                raise BadValue(f"blob too big (maximum {largest}, got {size})", path)
            case {"mimeType": str(mime)} if not mime.startswith("image/"):
                raise BadValue(f'Expected "image/*" (got {_shown(mime)})', f"{path}.mimeType")

    return check


def storable(value: object, path: str) -> None:
    """An object that a repository can hold: no number with a fraction anywhere in it."""
    record({})(value, path)
    _check_storable(value, path)


def _check_storable(value: object, path: str) -> None:
    match value:
        case float():
            raise _expected(_STORABLE, value, path)
        case Mapping():
            for key, inner in value.items():
                _check_storable(inner, f"{path}.{key}")
        case list():
            for index, inner in enumerate(value):
                _check_storable(inner, f"{path}[{index}]")


def _expected(kind: str, value: object, path: str) -> BadValue:
    return BadValue(f"Expected {kind} value type (got {_shown(value)})", path)


def _shown(value: object) -> str:
    match value:
        case str():
            cut = value if len(value) < _PREVIEW else value[: _PREVIEW - 1] + "…"
            return json.dumps(cut, ensure_ascii=False)
        case list():
            return f"[{_listed([_shown(inner) for inner in value])}]"
        case Mapping():
            return f"{{{_listed([f'{json.dumps(key)}: ...' for key in value])}}}"
    return json.dumps(value)


def _listed(shown: list[str]) -> str:
    return ", ".join(shown[:2]) + (", ..." if len(shown) > 2 else "")


did = named("DID", _DID.fullmatch)
handle = named("handle", _HANDLE.fullmatch)
at_identifier = named("AT identifier", lambda text: _DID.fullmatch(text) or _HANDLE.fullmatch(text))
nsid = named("NSID", _NSID.fullmatch)
cid = named("CID string", _CID.fullmatch)
uri = named("uri", _URI.fullmatch)
at_uri = named("at-uri", _AT_URI.fullmatch)
record_key = named("record key", _KEY.fullmatch, max_bytes=512)
moment = named("datetime", is_record_time)
language = named("language", _LANGUAGE.fullmatch)
