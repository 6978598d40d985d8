"""The record types that a bot meets, and what may be in them."""

from collections.abc import Mapping
from typing import Any

from bot.sandbox.schema import (
    BadValue,
    Check,
    array,
    at_uri,
    cid,
    did,
    image,
    integer,
    language,
    moment,
    open_union,
    record,
    string,
    uri,
)
from bot.sandbox.state import BLOCK, FOLLOW, LIKE, LIST, LIST_ITEM, POST, PROFILE, REPOST, THREADGATE
from guardrails.tid import parse_tid


class BadRecord(ValueError):
    """A record or a record key that its lexicon does not allow; the message is the server's."""


def check_record(collection: str, value: Mapping[str, Any]) -> bool:
    """Whether the record's type is known here; BadRecord when it is and the record is not right."""
    rules = _RECORDS.get(collection)
    if rules is None:
        return False
    try:
        rules(value, "$.record")
    except BadValue as problem:
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


_strong_ref = record({"uri": at_uri, "cid": cid})
_facet = record(
    {
        "index": record({"byteStart": integer(0), "byteEnd": integer(0)}),
        "features": array(
            open_union(
                {
                    "app.bsky.richtext.facet#mention": record({"did": did}),
                    "app.bsky.richtext.facet#link": record({"uri": uri}),
                    "app.bsky.richtext.facet#tag": record({"tag": string(max_bytes=640, max_graphemes=64)}),
                }
            )
        ),
    }
)
_external = record(
    {"external": record({"uri": uri, "title": string(), "description": string()}, {"thumb": image(1_000_000)})}
)
_images = record({"images": array(record({"image": image(2_000_000), "alt": string()}), 4)})
_quote = record({"record": _strong_ref})
_media = open_union({"app.bsky.embed.external": _external, "app.bsky.embed.images": _images})
_embed = open_union(
    {
        "app.bsky.embed.external": _external,
        "app.bsky.embed.images": _images,
        "app.bsky.embed.record": _quote,
        "app.bsky.embed.recordWithMedia": record({"record": _quote, "media": _media}),
    }
)
_self_labels = open_union(
    {"com.atproto.label.defs#selfLabels": record({"values": array(record({"val": string(max_bytes=128)}), 10)})}
)
_about_record = record({"subject": _strong_ref, "createdAt": moment})
_about_account = record({"subject": did, "createdAt": moment})

_RECORDS: dict[str, Check] = {
    POST: record(
        {"text": string(max_bytes=3000, max_graphemes=300), "createdAt": moment},
        {
            "reply": record({"root": _strong_ref, "parent": _strong_ref}),
            "facets": array(_facet),
            "embed": _embed,
            "langs": array(language, 3),
            "labels": _self_labels,
            "tags": array(string(max_bytes=640, max_graphemes=64), 8),
        },
    ),
    LIKE: _about_record,
    REPOST: _about_record,
    FOLLOW: _about_account,
    BLOCK: _about_account,
    LIST: record(
        {"name": string(max_bytes=64), "purpose": string(), "createdAt": moment},
        {"description": string(max_bytes=3000, max_graphemes=300), "labels": _self_labels},
    ),
    LIST_ITEM: record({"subject": did, "list": at_uri, "createdAt": moment}),
    THREADGATE: record({"post": at_uri, "createdAt": moment}, {"allow": array(open_union({}), 5)}),
    PROFILE: record(
        {},
        {
            "displayName": string(max_bytes=640, max_graphemes=64),
            "description": string(max_bytes=2560, max_graphemes=256),
            "labels": _self_labels,
            "avatar": image(1_000_000),
            "banner": image(1_000_000),
            "pinnedPost": _strong_ref,
            "createdAt": moment,
        },
    ),
}
