"""Records that a PDS refuses, and the words in which it does: one table for the sandbox and the real network."""

from typing import Any

from tests.contract.target import POST

REF = {
    "uri": f"at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/{POST}/3kaaaaaaaaaa2",
    "cid": "bafyreicrycyncw326k3gfyd7ory2gwlafsfqyus3dclknuezdrt425ps5u",
}
THUMB = {
    "$type": "blob",
    "ref": {"$link": "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"},
    "mimeType": "image/png",
    "size": 10,
}
TYPED = 'Expected an object which includes the "$type" property value type'
NO_FLOAT = "Expected one of null, boolean, integer, string, cid, bytes, array or object value type"
LEFT_OUT = object()


def facet(feature: dict[str, Any] | None = None, start: object = 0) -> dict[str, Any]:
    features = [] if feature is None else [feature]
    return {"facets": [{"index": {"byteStart": start, "byteEnd": 1}, "features": features}]}


def card(uri: str = "https://apps.example/x", **more: Any) -> dict[str, Any]:
    external = {"uri": uri, "title": "", "description": "", **more}
    whole = {name: value for name, value in external.items() if value is not LEFT_OUT}
    return {"embed": {"$type": "app.bsky.embed.external", "external": whole}}


# What is changed in a good post, and the end of the message; before it comes "Invalid app.bsky.feed.post record: ".
BAD_POSTS: dict[str, tuple[dict[str, Any], str]] = {
    "301 graphemes": ({"text": "a" * 301}, "grapheme too big (maximum 300, got 301) at $.record.text"),
    "3025 bytes": (
        {"text": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" * 121},
        "string too big (maximum 3000, got 3025) at $.record.text",
    ),
    "no text": ({"text": LEFT_OUT}, 'Missing required key "text" at $.record'),
    "null text": ({"text": None}, "Expected string value type (got null) at $.record.text"),
    "a number for text": ({"text": 7}, "Expected string value type (got 7) at $.record.text"),
    "null embed": ({"embed": None}, f"{TYPED} (got null) at $.record.embed"),
    "an embed without type": ({"embed": {"x": 1}}, f'{TYPED} (got {{"x": ...}}) at $.record.embed'),
    "null reply": ({"reply": None}, "Expected object value type (got null) at $.record.reply"),
    "null facets": ({"facets": None}, "Expected array value type (got null) at $.record.facets"),
    "no createdAt": ({"createdAt": LEFT_OUT}, 'Missing required key "createdAt" at $.record'),
    "createdAt without zone": (
        {"createdAt": "2026-03-02T12:00:00"},
        'Invalid datetime (got "2026-03-02T12:00:00") at $.record.createdAt',
    ),
    "a date only": ({"createdAt": "2026-03-02"}, 'Invalid datetime (got "2026-03-02") at $.record.createdAt'),
    "an unknown zone": (
        {"createdAt": "2026-03-02T12:00:00-00:00"},
        'Invalid datetime (got "2026-03-02T12:00:00-00:00") at $.record.createdAt',
    ),
    "no root": ({"reply": {"parent": REF}}, 'Missing required key "root" at $.record.reply'),
    "no parent": ({"reply": {"root": REF}}, 'Missing required key "parent" at $.record.reply'),
    "a bad parent cid": (
        {"reply": {"root": REF, "parent": {**REF, "cid": "abc"}}},
        'Invalid CID string (got "abc") at $.record.reply.parent.cid',
    ),
    "a bad parent uri": (
        {"reply": {"root": REF, "parent": {**REF, "uri": "nope"}}},
        'Invalid at-uri (got "nope") at $.record.reply.parent.uri',
    ),
    "a bad language": ({"langs": ["english"]}, 'Invalid language (got "english") at $.record.langs[0]'),
    "four languages": ({"langs": ["en", "de", "fr", "es"]}, "array too big (maximum 3, got 4) at $.record.langs"),
    "nine tags": ({"tags": ["a"] * 9}, "array too big (maximum 8, got 9) at $.record.tags"),
    "labels without type": (
        {"labels": {"values": [{"val": "x"}]}},
        f'{TYPED} (got {{"values": ...}}) at $.record.labels',
    ),
    "a facet before the text": (
        facet(start=-1),
        "integer too small (minimum 0, got -1) at $.record.facets[0].index.byteStart",
    ),
    "a facet without index": ({"facets": [{"features": []}]}, 'Missing required key "index" at $.record.facets[0]'),
    "a feature without type": (
        facet({"uri": "https://x.example", "a": 1, "b": 2}),
        f'{TYPED} (got {{"uri": ..., "a": ..., ...}}) at $.record.facets[0].features[0]',
    ),
    "a list for a reply": (
        {"reply": [1, "a", None]},
        'Expected object value type (got [1, "a", ...]) at $.record.reply',
    ),
    "a link without scheme": (
        facet({"$type": "app.bsky.richtext.facet#link", "uri": "example.com"}),
        'Invalid uri (got "example.com") at $.record.facets[0].features[0].uri',
    ),
    "a mention of a name": (
        facet({"$type": "app.bsky.richtext.facet#mention", "did": "alice"}),
        'Invalid DID (got "alice") at $.record.facets[0].features[0].did',
    ),
    "a card without title": (card(title=LEFT_OUT), 'Missing required key "title" at $.record.embed.external'),
    "a card without scheme": (card("a.test"), 'Invalid uri (got "a.test") at $.record.embed.external.uri'),
    "a thumb too large": (
        card(thumb={**THUMB, "size": 1_000_001}),
        "blob too big (maximum 1000000, got 1000001) at $.record.embed.external.thumb",
    ),
    "a thumb that is no image": (
        card(thumb={**THUMB, "mimeType": "text/plain"}),
        'Expected "image/*" (got "text/plain") at $.record.embed.external.thumb.mimeType',
    ),
}

# The same, with the whole answer: error and message.
ODD_POSTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "a thumb that nobody uploaded": (
        card(thumb=THUMB),
        "BlobNotFound",
        "Could not find blob: bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
    ),
    "another type": (
        {"$type": "app.bsky.feed.like"},
        "InvalidRequest",
        "Invalid $type: expected app.bsky.feed.post, got app.bsky.feed.like",
    ),
    "a float": ({"n": 1.5}, "InvalidRequest", f"{NO_FLOAT} (got 1.5) at $.record.n"),
    "a facet at a float": (
        facet(start=0.5),
        "InvalidRequest",
        f"{NO_FLOAT} (got 0.5) at $.record.facets[0].index.byteStart",
    ),
}

BAD_KEYS: dict[str, str] = {
    **{
        key: f'Invalid record key for {POST}: Invalid TID string (got "{key}") at $'
        for key in ("my-reply-1", "self", "3kaaaaaaaaaa", "3KAAAAAAAAAA2", "zzzzzzzzzzzzz")
    },
    **{key: f'Invalid record key (got "{key}") at $.rkey' for key in ("a b", "a/b", ".", "")},
    "a" * 513: "string too big (maximum 512, got 513) at $.rkey",
}


def changed(change: dict[str, Any]) -> dict[str, Any]:
    """A good post with the change made to it."""
    good = {"$type": POST, "text": "hello", "createdAt": "2026-03-02T12:00:00.000Z"}
    return {name: value for name, value in {**good, **change}.items() if value is not LEFT_OUT}
