"""Holds calls back that the server said it will not take before a certain moment."""

import threading
from datetime import datetime
from enum import StrEnum

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.translate import Clock

UPLOAD = "com.atproto.repo.uploadBlob"


class Bucket(StrEnum):
    """What the server counts: writes and uploads each have limits of their own below that of all calls."""

    CALLS = "calls"
    WRITES = "writes"
    UPLOADS = "uploads"


def bucket_of(nsid: str, *, writes: bool) -> Bucket:
    """The narrowest limit that a call comes under."""
    if nsid == UPLOAD:
        return Bucket.UPLOADS
    return Bucket.WRITES if writes else Bucket.CALLS


class Gate:
    """Closed after a 429 until the moment that it named, for every thread that calls as this account.

    A limit met by a read is that of all calls; one met by a write or an upload may be its own, so reads go on.
    """

    def __init__(self, now: Clock) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._closed: dict[Bucket, CallFailed] = {}

    def check(self, bucket: Bucket) -> None:
        """Raises RATE_LIMITED, with the time that the server named, for a call that it would only refuse."""
        closed = self._standing(bucket)
        if closed:
            raise _again(closed)

    def closed_until(self, bucket: Bucket) -> datetime | None:
        """When such a call is taken again, None when it is taken now."""
        closed = self._standing(bucket)
        return closed.retry_at if closed else None

    def note(self, bucket: Bucket, failed: CallFailed) -> None:
        """Close for whatever comes under the limit that a call has met."""
        if failed.failure is Failure.RATE_LIMITED:
            with self._lock:
                self._closed[bucket] = _again(failed)

    def _standing(self, bucket: Bucket) -> CallFailed | None:
        with self._lock:
            for closed in (self._closed.get(Bucket.CALLS), self._closed.get(bucket)):
                if closed and closed.retry_at and self._now() < closed.retry_at:
                    return closed
        return None


def _again(failed: CallFailed) -> CallFailed:
    """A new exception each time: one that is raised again and again grows by its past."""
    return CallFailed(
        failed.failure, failed.message, status=failed.status, error=failed.error, retry_at=failed.retry_at
    )
