"""The rules of the record types that a bot meets, with the complaints of the real servers."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.sandbox.state import BLOCK, FOLLOW, LIKE, POST, PROFILE, REPOST, THREADGATE
from bot.sandbox.times import is_record_time
from guardrails.text import graphemes, utf8_len
from guardrails.tid import parse_tid

Check = Callable[[object, str], None]

_KEY = re.compile(r"[A-Za-z0-9._:~-]+")
_CID = re.compile(r"[a-zA-Z0-9+=]{8,256}")
_DID = re.compile(r"did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-]")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_URI = re.compile(r"[a-z][a-z0-9.+-]*:\S+", re.IGNORECASE)
_AT_URI = re.compile(r"at://[A-Za-z0-9._:%-]+(/[A-Za-z0-9.-]+(/[A-Za-z0-9._:~-]+)?)?")


class BadRecord(ValueError):
    """A record, a record key or an input that its lexicon does not allow; the message is the server's."""


def check_record(collection: str, value: Mapping[str, Any]) -> bool:
    """Whether the record's type is known here; BadRecord when it is and the record is not right."""
    rules = _RECORDS.get(collection)
    if rules is None:
        return False
    try:
        rules(value, "$.record")
    except BadRecord as problem:
        raise BadRecord(f"Invalid {collection} record: {problem}") from None
    return True


def check_key(collection: str, rkey: str) -> None:
    """BadRecord when the record key is not of the kind that the collection takes."""
    if collection == PROFILE and rkey != "self":
        raise BadRecord(f'Invalid record key for {collection}: Expected "self" (got "{rkey}") at $')
    if collection in _RECORDS and collection != PROFILE:
        try:
            parse_tid(rkey)
        except ValueError:
            message = f'Invalid record key for {collection}: Invalid TID string (got "{rkey}") at $'
            raise BadRecord(message) from None


def check_key_shape(rkey: str) -> None:
    """BadRecord when the text cannot be a record key in any collection."""
    if len(rkey) > 512:
        raise BadRecord(f"string too big (maximum 512, got {len(rkey)}) at $.rkey")
    if not _KEY.fullmatch(rkey) or rkey in {".", ".."}:
        raise BadRecord(f'Invalid record key (got "{rkey}") at $.rkey')


def string(
    *, max_bytes: int | None = None, max_graphemes: int | None = None, shape: Callable[[str, str], None] | None = None
) -> Check:
    """A text, with the most bytes and grapheme clusters that it may have."""

    def check(value: object, path: str) -> None:
        if not isinstance(value, str):
            raise _expected("string", value, path)
        if max_bytes is not None and utf8_len(value) > max_bytes:
            raise BadRecord(f"string too big (maximum {max_bytes}, got {utf8_len(value)}) at {path}")
        if max_graphemes is not None and graphemes(value) > max_graphemes:
            raise BadRecord(f"grapheme too big (maximum {max_graphemes}, got {graphemes(value)}) at {path}")
        if shape is not None:
            shape(value, path)

    return check


def boolean(value: object, path: str) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise _expected("boolean", value, path)


def _named(name: str, fits: Callable[[str], object]) -> Check:
    def shape(value: str, path: str) -> None:
        if not fits(value):
            raise BadRecord(f'Invalid {name} (got "{value}") at {path}')

    return string(shape=shape)


def _integer(minimum: int) -> Check:
    def check(value: object, path: str) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _expected("integer", value, path)
        if value < minimum:
            raise BadRecord(f"integer too small (minimum {minimum}, got {value}) at {path}")

    return check


def _array(item: Check, most: int | None = None) -> Check:
    def check(value: object, path: str) -> None:
        if not isinstance(value, list):
            raise _expected("array", value, path)
        if most is not None and len(value) > most:
            raise BadRecord(f"array too big (maximum {most}, got {len(value)}) at {path}")
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
                raise BadRecord(f'Missing required key "{key}" at {path}')
            inner(value[key], f"{path}.{key}")
        for key, inner in (optional or {}).items():
            if key in value:
                inner(value[key], f"{path}.{key}")

    return check


def _open_union(members: Mapping[str, Check]) -> Check:
    def check(value: object, path: str) -> None:
        record({"$type": string()})(value, path)
        match value:
            case {"$type": str(name)} if name in members:
                members[name](value, path)

    return check


def _blob(largest: int) -> Check:
    def check(value: object, path: str) -> None:
        record({"ref": record({"$link": string()}), "mimeType": string(), "size": _integer(0)})(value, path)
        match value:
            case {"size": int(size)} if size > largest:
                raise BadRecord(f"blob too big (maximum {largest}, got {size}) at {path}")
            case {"mimeType": str(mime)} if not mime.startswith("image/"):
                raise BadRecord(f'Expected "image/*" (got "{mime}") at {path}.mimeType')

    return check


def _expected(kind: str, value: object, path: str) -> BadRecord:
    match value:
        case None:
            got = "null"
        case bool():
            got = str(value).lower()
        case str():
            got = f'"{value}"'
        case int() | float():
            got = str(value)
        case list():
            got = "array"
        case _:
            got = "object"
    return BadRecord(f"Expected {kind} value type (got {got}) at {path}")


_did = _named("DID", _DID.fullmatch)
_uri = _named("uri", _URI.fullmatch)
_at_uri = _named("AT-URI", _AT_URI.fullmatch)
_datetime = _named("datetime", is_record_time)
_language = _named("language", _LANGUAGE.fullmatch)
_strong_ref = record({"uri": _at_uri, "cid": _named("CID string", _CID.fullmatch)})

_facet = record(
    {
        "index": record({"byteStart": _integer(0), "byteEnd": _integer(0)}),
        "features": _array(
            _open_union(
                {
                    "app.bsky.richtext.facet#mention": record({"did": _did}),
                    "app.bsky.richtext.facet#link": record({"uri": _uri}),
                    "app.bsky.richtext.facet#tag": record({"tag": string(max_bytes=640, max_graphemes=64)}),
                }
            )
        ),
    }
)
_external = record(
    {"external": record({"uri": _uri, "title": string(), "description": string()}, {"thumb": _blob(1_000_000)})}
)
_images = record({"images": _array(record({"image": _blob(2_000_000), "alt": string()}), 4)})
_quote = record({"record": _strong_ref})
_media = _open_union({"app.bsky.embed.external": _external, "app.bsky.embed.images": _images})
_embed = _open_union(
    {
        "app.bsky.embed.external": _external,
        "app.bsky.embed.images": _images,
        "app.bsky.embed.record": _quote,
        "app.bsky.embed.recordWithMedia": record({"record": _quote, "media": _media}),
    }
)
_self_labels = _open_union(
    {"com.atproto.label.defs#selfLabels": record({"values": _array(record({"val": string(max_bytes=128)}), 10)})}
)
_about_record = record({"subject": _strong_ref, "createdAt": _datetime})
_about_account = record({"subject": _did, "createdAt": _datetime})

_RECORDS: dict[str, Check] = {
    POST: record(
        {"text": string(max_bytes=3000, max_graphemes=300), "createdAt": _datetime},
        {
            "reply": record({"root": _strong_ref, "parent": _strong_ref}),
            "facets": _array(_facet),
            "embed": _embed,
            "langs": _array(_language, 3),
            "labels": _self_labels,
            "tags": _array(string(max_bytes=640, max_graphemes=64), 8),
        },
    ),
    LIKE: _about_record,
    REPOST: _about_record,
    FOLLOW: _about_account,
    BLOCK: _about_account,
    THREADGATE: record({"post": _at_uri, "createdAt": _datetime}, {"allow": _array(_open_union({}), 5)}),
    PROFILE: record(
        {},
        {
            "displayName": string(max_bytes=640, max_graphemes=64),
            "description": string(max_bytes=2560, max_graphemes=256),
            "labels": _self_labels,
            "avatar": _blob(1_000_000),
            "createdAt": _datetime,
        },
    ),
}
