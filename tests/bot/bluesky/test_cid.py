"""CIDs against records and names that the reference servers gave out."""

import random
from typing import Any

import pytest

from bot.bluesky.cid import blob_cid, cid_of

PLAIN = {
    "text": "Built!",
    "$type": "app.bsky.feed.post",
    "createdAt": "2026-11-29T11:38:50.211Z",
}
MENTION = {
    "text": "@buildbot.test make me a pomodoro timer with 25/5 cycles",
    "$type": "app.bsky.feed.post",
    "facets": [
        {
            "index": {"byteEnd": 14, "byteStart": 0},
            "features": [
                {
                    "did": "did:plc:fnhe2gondzbs7ntzjmfm7m3d",
                    "$type": "app.bsky.richtext.facet#mention",
                }
            ],
        }
    ],
    "createdAt": "2026-11-29T11:40:18.926Z",
}
LIKE = {
    "$type": "app.bsky.feed.like",
    "subject": {
        "cid": "bafyreibeln4bry7rmgbc7qwbykqmqcuqem77n4ras3q7flnmkf653fnqui",
        "uri": "at://did:plc:fnhe2gondzbs7ntzjmfm7m3d/app.bsky.feed.post/3n3h52zqt7s2a",
    },
    "createdAt": "2026-11-29T11:40:19.835Z",
}
WITH_BLOB = {
    "text": "built",
    "$type": "app.bsky.feed.post",
    "embed": {
        "$type": "app.bsky.embed.external",
        "external": {
            "uri": "https://example.com/app",
            "thumb": {
                "ref": {"$link": "bafkreifclnk4e3y4e6g3qycm3r6ejyfiplnsw4forq4kdpgl4w55pd7424"},
                "size": 73,
                "$type": "blob",
                "mimeType": "image/png",
            },
            "title": "Pomodoro",
            "description": "A timer",
        },
    },
    "createdAt": "2026-11-29T11:42:27.439Z",
}


@pytest.mark.parametrize(
    ("record", "cid"),
    [
        pytest.param(
            PLAIN,
            "bafyreibrze2yyss2hftmgjs6yg362ir6w2ma4qhfpy2y3at73ls66eyu5m",
            id="plain",
        ),
        pytest.param(
            MENTION,
            "bafyreicrycyncw326k3gfyd7ory2gwlafsfqyus3dclknuezdrt425ps5u",
            id="facets",
        ),
        pytest.param(
            LIKE,
            "bafyreigy7d7ar57gdmjpxewmosr4mnole4algvogwx25tzgtjr4rm5nxru",
            id="strong ref",
        ),
        pytest.param(
            WITH_BLOB,
            "bafyreihao7eml4jrzayf6l23mskblq6v6o4yum3owfwvco2dssoi6o52ga",
            id="blob",
        ),
    ],
)
def test_a_record_gets_the_name_that_the_network_gave_it(record: dict[str, Any], cid: str) -> None:
    """The CID is the one that the reference PDS answered for the same record."""
    assert cid == cid_of(record)


def test_the_order_of_keys_does_not_matter() -> None:
    """A record read back with its keys in another order has the same CID."""
    keys = list(MENTION)
    random.Random(7).shuffle(keys)

    assert cid_of(MENTION) == cid_of({key: MENTION[key] for key in keys})


def test_one_other_character_is_another_name() -> None:
    """Any change of the text changes the CID."""
    assert cid_of(PLAIN) != cid_of({**PLAIN, "text": "Built?"})


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(1.5, id="float"),
        pytest.param("\ud800", id="lone surrogate"),
        pytest.param({"$link": "not-a-cid"}, id="broken link"),
        pytest.param({1, 2}, id="set"),
    ],
)
def test_what_a_record_cannot_hold_is_refused(value: object) -> None:
    """A value that DAG-CBOR has no form for is a ValueError, wherever it sits."""
    with pytest.raises(ValueError, match=r"."):
        cid_of({"deep": [{"inner": value}]})


def test_bytes_are_told_from_an_object() -> None:
    """`$bytes` stands for the bytes, padded or not."""
    assert cid_of({"sig": {"$bytes": "aGVsbG8="}}) == cid_of({"sig": {"$bytes": "aGVsbG8"}})


def test_a_blob_is_named_by_its_bytes() -> None:
    """The CID of a blob is a raw one."""
    assert "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq" == blob_cid(b"hello")
