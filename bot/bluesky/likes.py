"""The like that acknowledges a mention."""

from datetime import UTC, datetime
from typing import Any

from guardrails.documents import StrongRef

LIKE_COLLECTION = "app.bsky.feed.like"


def like_record(subject: StrongRef, created_at: datetime) -> dict[str, Any]:
    """The record of a like, to be put under a TID; the PDS takes it also when the post is deleted or its author away.

    A second one about the same post, under another key, is kept by the PDS and shown to nobody.
    """
    if created_at.tzinfo is None:
        raise ValueError("a like needs an aware time")
    at = created_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"$type": LIKE_COLLECTION, "subject": subject.model_dump(), "createdAt": at}
