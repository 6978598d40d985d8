"""Uploaded images: their names, their limits, and how long they stay."""

from typing import Any

import httpx

from bot.sandbox.network import SandboxNetwork
from bot.sandbox.state import POST, SandboxAccount
from guardrails.documents import StrongRef
from tests.bot.sandbox.api import KEY, Api, error

RECORD = {"$type": POST, "text": "Built!", "createdAt": "2026-11-29T11:38:50.211Z"}
INVALID = f"Invalid {POST} record: "


def test_a_blob_is_named_sniffed_and_needed(as_bot: Api, bot: SandboxAccount, http: httpx.Client) -> None:
    """A PNG is one whatever it is called; a record may only name what was uploaded, and not be too big for a thumb."""
    content = b"\x89PNG\r\n\x1a\n" + b"\0" * 1_000_000
    headers = {"authorization": f"Bearer {as_bot.token}", "content-type": "image/jpeg"}

    def embed(blob: dict[str, Any]) -> dict[str, Any]:
        external = {"uri": "https://x.example", "title": "", "description": "", "thumb": blob}
        return {"embed": {"$type": "app.bsky.embed.external", "external": external}}

    blob = http.post("/xrpc/com.atproto.repo.uploadBlob", content=content[:73], headers=headers).json()["blob"]
    big = http.post("/xrpc/com.atproto.repo.uploadBlob", content=content, headers=headers).json()["blob"]
    unknown = {**blob, "ref": {"$link": "bafkreides7slhv562fuxti2du7nu56tnk5zfkkpvvq6oyrob6ch2xs627q"}}

    assert ("image/png", 73) == (blob["mimeType"], blob["size"])
    assert 200 == as_bot.create(bot.did, RECORD | embed(blob), rkey=KEY).status_code
    assert (400, "BlobNotFound", f"Could not find blob: {unknown['ref']['$link']}") == error(
        as_bot.create(bot.did, RECORD | embed(unknown))
    )
    too_big = "blob too big (maximum 1000000, got 1000008) at $.record.embed.external.thumb"
    assert (400, "InvalidRequest", INVALID + too_big) == error(as_bot.create(bot.did, RECORD | embed(big)))


def test_a_blob_goes_with_the_last_record_that_used_it(
    network: SandboxNetwork, as_bot: Api, bot: SandboxAccount, http: httpx.Client
) -> None:
    """Two posts share an image; after the second deletion the old reference is not found any more."""
    headers = {"authorization": f"Bearer {as_bot.token}", "content-type": "image/png"}
    blob = http.post("/xrpc/com.atproto.repo.uploadBlob", content=b"pixels", headers=headers).json()["blob"]
    images = {"embed": {"$type": "app.bsky.embed.images", "images": [{"image": blob, "alt": ""}]}}
    refs: list[StrongRef] = [network.post(bot.did, text, extra=images) for text in ("one", "two")]
    asked = {"did": bot.did, "cid": blob["ref"]["$link"]}

    network.delete_record(refs[0].uri)
    assert b"pixels" == as_bot.query("com.atproto.sync.getBlob", **asked).content

    network.delete_record(refs[1].uri)
    assert 400 == as_bot.query("com.atproto.sync.getBlob", **asked).status_code
    assert (400, "BlobNotFound") == error(as_bot.create(bot.did, RECORD | images))[:2]
