"""One connection to the live stream, frame by frame: which are looked at, and how far all of them are done."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.bluesky.errors import CallFailed
from bot.bluesky.jetstream import Event, Operation, StreamFailed, is_worth_a_look, read_frame, wanted
from bot.bluesky.session import Account
from bot.jobs.rumours import Rumours
from bot.jobs.watch import FOLLOWED_DAYS
from bot.ledger.conditions import STREAM, STREAM_GAP
from bot.ledger.ledger import Ledger
from bot.ledger.sources import Position, microseconds
from guardrails.access import Caller

# A first event that is so much later than the place that was asked for tells of events that are kept no more.
GAP_US = 60_000_000
# Of so many posts the deletion is heeded at once; the rest are looked at in their turn.
MOST_FOLLOWED = 20_000
FLOODED = "it tells of more posts than can be found: what is said of them is read from the notifications"
log = structlog.get_logger()


@dataclass(frozen=True)
class Pace:
    """How often things are done, in seconds: see to what waits, note the place, read anew which posts matter."""

    tick: float = 1.0
    save: float = 5.0
    refresh: float = 30.0
    tidy: float = 3600.0
    silence: float = 30.0
    first_wait: float = 1.0


class Sitting:
    """What is known while one connection lasts. One thread's."""

    def __init__(
        self,
        name: str,
        ledger: Ledger,
        account: Account,
        caller: Caller,
        stale_before: datetime,
        heard: Callable[[], object],
        pace: Pace,
        counts: Counter[str],
        place: int | None,
    ) -> None:
        self.last_event: float | None = None
        self._name = name
        self._ledger = ledger
        self._heard = heard
        self._pace = pace
        self._counts = counts
        self._place = place
        self._needle = account.did.encode()
        self._rumours = Rumours(ledger, account, caller, stale_before, counts)
        self._latest: bytes | None = None
        self._followed: frozenset[str] = frozenset()
        self._keys: frozenset[bytes] = frozenset()
        self._deleted: set[str] = set()
        self._is_news = True
        self._is_flooded = False

    def begin(self, now: float) -> None:
        """The connection is open."""
        self._silent_since = self._settle_at = self._save_at = self._tidy_at = now
        self._refresh(now)

    def wait(self, now: float) -> float:
        """How long to wait for a frame."""
        due = self._rumours.next_due()
        return max((self._settle_at if due is None else min(self._settle_at, due)) - now, 0)

    def is_due(self, now: float, *, waiting: bool) -> bool:
        """Whether there is something to settle; while more frames may be `waiting`, only what has its time.

        Or what has to be asked about before more can be taken.
        """
        return now >= self._settle_at if waiting and not self._rumours.is_full else self.wait(now) <= 0

    def take(self, frame: bytes | None, now: float) -> None:
        """Look at a frame, if it is worth it; StreamFailed when none came for too long, or too much cannot be asked."""
        if frame is None:
            if now - self._silent_since > self._pace.silence:
                raise StreamFailed(f"no event for {self._pace.silence:g} seconds")
            return
        self.last_event = self._silent_since = now
        self._counts["read"] += 1
        if self._latest is None:
            self._look_for_gap(frame)
        self._latest = frame
        if is_worth_a_look(frame, self._needle, self._keys):
            self._look(frame, now)

    def settle(self, steady: Callable[[], float]) -> None:
        """Ask about what was told of, store what is proven, note the place, heed deletions."""
        began = steady()
        self._settle_at = began + self._pace.tick
        if self._refresh_at <= began:
            self._refresh(began)
        deleted, self._deleted = self._deleted, set()
        self._ledger.sightings.look_now(deleted)
        self._prove(began)
        if self._save_at <= began and self._latest is not None:
            self._save_at = began + self._pace.save
            self._save()
        if self._tidy_at <= began:
            self._tidy_at = began + self._pace.tidy
            self._ledger.sources.forget_old()
        # While this took its time nobody listened.
        self._silent_since += steady() - began

    def _save(self) -> None:
        """Note the place; StreamFailed when the latest frame tells none."""
        position = self._position()
        if position is None:
            raise StreamFailed("it sends what no Jetstream sends")
        self._ledger.sources.move_on(position)
        if self._is_flooded:
            self._is_flooded, self._is_news = False, True
            self._ledger.conditions.set(STREAM, FLOODED)
        elif self._is_news:
            self._is_news = False
            if self._ledger.conditions.clear(STREAM):
                log.info("stream_back")

    def _refresh(self, now: float) -> None:
        self._refresh_at = now + self._pace.refresh
        self._follow(self._ledger.sightings.followed(FOLLOWED_DAYS, MOST_FOLLOWED))

    def _follow(self, uris: frozenset[str]) -> None:
        """From now on heed the deletion of these posts."""
        self._followed = uris
        self._keys = frozenset(uri.rpartition("/")[2].encode() for uri in uris)

    def _prove(self, now: float) -> None:
        try:
            new = self._rumours.settle(now, self._position)
        except CallFailed as failed:
            # They stay, and the place in the stream before them.
            log.info("rumours_not_asked", failure=str(failed))
            return
        if new:
            log.info("heard_live", posts=len(new))
            self._follow(self._followed | set(new))
            self._tell()

    def _tell(self) -> None:
        try:
            self._heard()
        except Exception as problem:
            # They are stored; the jobs come to them in their turn.
            log.warning("heard_and_not_judged", error=f"{type(problem).__name__}: {problem}")

    def _look(self, frame: bytes, now: float) -> None:
        event = self._read(frame)
        told = event.told if event is not None else None
        if event is None or told is None:
            return
        if told.operation is Operation.DELETE:
            if told.uri in self._followed:
                self._counts["deletions"] += 1
                self._deleted.add(told.uri)
            return
        if wanted(frame, self._needle):
            if self._rumours.is_full:
                self._make_room()
            self._counts["looked_at"] += 1
            self._rumours.add(told, event.time_us, now)

    def _make_room(self) -> None:
        if not self._rumours.make_room():
            raise StreamFailed("it tells of more posts than can be asked about")
        self._is_flooded = True

    def _read(self, frame: bytes) -> Event | None:
        try:
            return read_frame(frame)
        except ValueError as problem:
            self._counts["unreadable"] += 1
            log.debug("frame_unreadable", problem=str(problem))
            return None

    def _look_for_gap(self, frame: bytes) -> None:
        event = self._read(frame)
        if event is None or self._place is None or event.time_us - self._place <= GAP_US:
            return
        missed = timedelta(microseconds=event.time_us - self._place)
        log.warning("stream_gap", missed=str(missed))
        detail = f"the stream has not kept {missed}: what was said then is read from the notifications"
        self._ledger.conditions.set(STREAM_GAP, detail)

    def _position(self) -> Position | None:
        """How far all is done: the server's own count, and no later than now, whatever it says."""
        event = self._read(self._latest) if self._latest is not None else None
        if event is None:
            return None
        now = microseconds(self._ledger.db.time())
        return Position(self._name, min(self._rumours.before(event.time_us), now))
