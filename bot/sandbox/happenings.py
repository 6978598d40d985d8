"""What has happened on the sandbox network, in the order of a stream: kept for a while, for whoever comes late."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Condition
from typing import Any

from bot.sandbox.times import iso

MOST_KEPT = 20_000


@dataclass(frozen=True)
class Happening:
    """One event, as a Jetstream tells it."""

    time_us: int
    collection: str | None
    told: Mapping[str, Any]


class Happenings:
    """The events of a network; each has a later time than the one before. Safe to use from several threads."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._kept: list[Happening] = []
        self._first = 0
        self._changed = Condition()

    def commit(self, did: str, rev: str, operation: str, collection: str, rkey: str, **more: Any) -> None:
        """Somebody has written a record, which comes with its CID, or deleted one."""
        commit = {"rev": rev, "operation": operation, "collection": collection, "rkey": rkey, **more}
        self._add(did, "commit", commit, collection)

    def identity(self, did: str, handle: str) -> None:
        """Somebody has another handle."""
        self._add(did, "identity", {"did": did, "handle": handle, **self._stamp()})

    def account(self, did: str, *, active: bool, status: str | None = None) -> None:
        """Somebody's account is open, or not any more."""
        said = {"active": active, "did": did, **self._stamp()}
        self._add(did, "account", said if status is None else said | {"status": status})

    @property
    def last(self) -> int:
        """The number of the next event."""
        return self._first + len(self._kept)

    def now(self) -> int:
        """The present moment, in microseconds."""
        return int(self._clock().timestamp() * 1_000_000)

    def from_time(self, time_us: int) -> int:
        """The number of the first event that is kept from a moment on."""
        with self._changed:
            later = (number for number, each in enumerate(self._kept) if each.time_us >= time_us)
            return self._first + next(later, len(self._kept))

    def after(self, number: int, seconds: float) -> tuple[int, list[Happening]]:
        """The events from a number on that are kept, waited for, and the number after them; none may come in time."""
        with self._changed:
            self._changed.wait_for(lambda: self.last > number, seconds)
            return self.last, self._kept[max(number - self._first, 0) :]

    def forget(self) -> None:
        """What has happened is kept no more."""
        with self._changed:
            self._first, self._kept = self.last, []

    def _stamp(self) -> dict[str, Any]:
        return {"seq": self.last + 1, "time": iso(self._clock())}

    def _add(self, did: str, kind: str, said: Mapping[str, Any], collection: str | None = None) -> None:
        with self._changed:
            time_us = max(self.now(), self._kept[-1].time_us + 1) if self._kept else self.now()
            told = {"did": did, "time_us": time_us, "kind": kind, kind: dict(said)}
            self._kept.append(Happening(time_us, collection, told))
            if len(self._kept) > MOST_KEPT:
                self._first, self._kept = self._first + MOST_KEPT // 2, self._kept[MOST_KEPT // 2 :]
            self._changed.notify_all()
