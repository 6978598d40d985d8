"""Pictures on our PDS: named by their bytes before they are sent, so that a record can be frozen first."""

from dataclasses import dataclass, field
from typing import Any

from bot.bluesky.cid import blob_cid
from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.session import Account

BLOB_NOT_FOUND = "BlobNotFound"


@dataclass(frozen=True)
class BlobRef:
    """A blob that the PDS holds; `record` is what a record says of it."""

    cid: str
    size: int
    record: dict[str, Any] = field(repr=False)


def blob_ref(data: bytes, mime: str) -> dict[str, Any]:
    """What a record says of these bytes; true once they are uploaded, and until the last record that names them goes.

    `mime` must be what the bytes are: a PDS looks at images itself, and refuses a record that says otherwise.
    """
    return {"$type": "blob", "ref": {"$link": blob_cid(data)}, "mimeType": mime, "size": len(data)}


def upload(account: Account, data: bytes, mime: str) -> BlobRef:
    """Upload, as often as wanted; raises CallFailed, never UNKNOWN, and REFUSED when the PDS names another blob."""
    expected = blob_ref(data, mime)
    answer = account.upload("com.atproto.repo.uploadBlob", data, mime)
    match answer.get("blob"):
        case {"ref": {"$link": str()}, "mimeType": str(), "size": int()} as named:
            if named != expected:
                raise CallFailed(Failure.REFUSED, f"the PDS names another blob than the one that was sent: {named}")
            return BlobRef(expected["ref"]["$link"], len(data), expected)
    raise CallFailed(Failure.NOT_SENT, "the answer to the upload cannot be read")
