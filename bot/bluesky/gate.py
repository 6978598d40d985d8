"""Holds calls back that the server said it will not take before a certain moment."""

import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.translate import Clock, Limit, date_from, limit_from

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

    A limit met by a read is that of all calls; one met by a write or an upload may be its own, so reads go on. What
    answers tell of limits that are nearly used up closes nothing, but whoever asks before a write hears of it.
    `ahead`: by how much this machine's clock was ahead of the server's when that last told the time.
    """

    ahead: timedelta | None = None

    def __init__(self, now: Clock) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._closed: dict[Bucket, CallFailed] = {}
        self._limits: dict[tuple[Bucket, str], Limit] = {}

    def check(self, bucket: Bucket) -> None:
        """Raises RATE_LIMITED, with the time that the server named, for a call that it would only refuse."""
        closed = self._standing(bucket)
        if closed:
            raise _again(closed)

    def closed_until(self, bucket: Bucket, points: int) -> datetime | None:
        """When such a call of so many points is taken, None when, as far as is known, it is taken now."""
        closed, now = self._standing(bucket), self._now()
        if closed:
            return closed.retry_at
        with self._lock:
            # Of all calls each counts one; the other limits count points.
            short = [
                limit.resets_at
                for (which, _), limit in self._limits.items()
                if limit.remaining < {bucket: points, Bucket.CALLS: 1}.get(which, 0) and now < limit.resets_at
            ]
        return max(short, default=None)

    def told(self, bucket: Bucket, headers: Mapping[str, Any]) -> None:
        """Keep what an answer tells: the time, and of limits one only, under whichever name it is the tightest."""
        now = self._now()
        server = date_from(next((str(value) for name, value in headers.items() if str(name).lower() == "date"), ""))
        self.ahead = now - server if server is not None else self.ahead
        limit = limit_from(headers, now)
        if limit is not None:
            with self._lock:
                self._limits[bucket, limit.policy] = limit

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
