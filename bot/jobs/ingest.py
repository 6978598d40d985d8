"""Reads notifications into the ledger: every mention becomes a document once, whatever order the pages come in."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import structlog
from pydantic import ValidationError

from bot.bluesky.errors import CallFailed, Failure
from bot.bluesky.notifications import Notification, Page, Unreadable, later_cursor, list_page, update_seen
from bot.bluesky.session import Account
from bot.jobs.hearing import as_mention, for_us, is_stale
from bot.ledger.ledger import Ledger
from bot.ledger.sources import Found, Source
from guardrails.access import Caller
from guardrails.documents import AtUri, Mention
from guardrails.switches import Switch

WATERMARK = "notifications"
# Items share a place in the list with their createdAt, which clients set: a slow clock lands below what is known.
OVERLAP = timedelta(minutes=10)
# A condition that stands while a reading that was broken off is not done.
UNREAD = "unread"
# Another that stands where a millisecond had more notifications than a page holds, until a day is read without any.
CROWDED = "crowded"
log = structlog.get_logger()


@dataclass(frozen=True)
class Left:
    """Where a reading was broken off: how far down it goes on, the newest that it had seen, whether it was crowded."""

    cursor: str
    floor: datetime | None
    newest: datetime | None
    crowded: bool = False


@dataclass
class Trail:
    """Where the last reading of a job was broken off, None when it came to its end; each reading writes it."""

    left: Left | None = None


@dataclass(frozen=True)
class Reach:
    """How far back a reading goes and how many pages it may take in a round.

    What was there before `stale_before` is kept as stale, and not answered. Readings over the same trail go on where
    the last was broken off. `compared`: it is noted what was found, since another source is read as well.
    """

    back_to: datetime | None
    max_pages: int
    stale_before: datetime
    trail: Trail = field(default_factory=Trail)
    compared: bool = False


@dataclass(frozen=True)
class Ingested:
    """What a reading did. `gap` means that older notifications were not seen, or not yet: then it is `left`."""

    new: int = 0
    known: int = 0
    ignored: int = 0
    parked: int = 0
    pages: int = 0
    gap: bool = False
    paused: bool = False
    left: Left | None = None

    @property
    def whole(self) -> bool:
        """Whether it came to its end."""
        return not self.paused and self.left is None


def ingest_once(
    ledger: Ledger, account: Account, caller: Caller, reach: Reach, over: Callable[[], bool] = lambda: False
) -> Ingested:
    """Read new notifications into documents; raises CallFailed with everything read so far, and its place, kept.

    Goes back to `reach.back_to`, or to ten minutes before where the last reading came, or through all there is. One
    that is `over`, fails or has taken its pages before that leaves a trail, on which the next goes on; only one that
    came from the newest down to where the last had come counts as read. Meanwhile what is newer is read beside it.
    """
    if ledger.desk.is_on(Switch.PAUSE_INGEST):
        return Ingested(paused=True)
    reader, left = _Reader(ledger, account, caller, reach, over), reach.trail.left
    if left is None:
        reader.read(None, reader.floor(), None)
        return reader.done
    try:
        reader.read(left.cursor, left.floor, left.newest)
    finally:
        if reach.trail.left is not None and not over():
            reader.read_beside(left)
    return reader.done


class _Reader:
    """One round of reading under way; what was seen is kept, so that overlapping pages count once."""

    def __init__(
        self, ledger: Ledger, account: Account, caller: Caller, reach: Reach, over: Callable[[], bool]
    ) -> None:
        self.done = Ingested()
        self._ledger = ledger
        self._account = account
        self._caller = caller
        self._reach = reach
        self._over = over
        self._mark = ledger.desk.watermark(WATERMARK)
        self._seen: set[AtUri] = set()
        self._crowded = reach.trail.left is not None and reach.trail.left.crowded

    def floor(self) -> datetime | None:
        """How far down a reading goes that begins at the newest."""
        return self._reach.back_to or (self._mark - OVERLAP if self._mark is not None else None)

    def read(self, cursor: str | None, floor: datetime | None, newest: datetime | None) -> None:
        """Read from a cursor down to a floor, and note what came of it on the trail."""
        for following, seen in self._pages(cursor, floor):
            newest = max(filter(None, (newest, seen)), default=None)
            if following is None:
                self._ended(newest)
            else:
                # Page by page, so that a call that fails loses no place.
                self._reach.trail.left = Left(following, floor, newest, self._crowded)
        left = self._reach.trail.left
        if left is not None:
            self.done = replace(self.done, gap=True, left=left)
            log.warning("ingest_left", pages=self.done.pages, cursor=left.cursor)
            self._tell(left)

    def read_beside(self, left: Left) -> None:
        """Read what is newer than a reading that is not done; it counts as read once that one is, and the next."""
        for _ in self._pages(None, left.newest - OVERLAP if left.newest is not None else left.floor):
            pass

    def _pages(self, cursor: str | None, floor: datetime | None) -> Iterator[tuple[str | None, datetime | None]]:
        """Take page after page; after each where to go on, None at the end, and the newest that was on it."""
        for number in range(self._reach.max_pages):
            if number and self._over():
                return
            page = self._page(cursor)
            seen = self._take(page)
            following = _next_cursor(page, cursor, floor)
            if following is not None and following == cursor:
                # A whole page within one millisecond: the list can be paged no further than past it.
                log.warning("ingest_gap", pages=self.done.pages, cursor=cursor)
                self.done, self._crowded = replace(self.done, gap=True), True
                self._ledger.conditions.set(
                    CROWDED, f"of {page.cursor} there are more notifications than can be listed"
                )
                following = page.cursor
            cursor = following
            yield cursor, seen
            if cursor is None:
                return

    def _page(self, cursor: str | None) -> Page:
        try:
            return list_page(self._account, cursor)
        except CallFailed as failed:
            left = self._reach.trail.left
            if left is not None and left.cursor == cursor:
                # A place that the server does not take is none: the next reading begins anew.
                self._reach.trail.left = None if failed.failure is Failure.REFUSED else left
                self._tell(left)
            raise

    def _ended(self, newest: datetime | None) -> None:
        self._reach.trail.left = None
        if self._reach.back_to is not None:
            if not self._crowded:
                self._ledger.conditions.clear(CROWDED)
            return
        if newest is not None or self._mark is None:
            self._ledger.desk.advance(WATERMARK, newest or self._reach.stale_before)
        if self._ledger.conditions.stands(UNREAD):
            self._ledger.conditions.clear(UNREAD)
            log.info("ingest_filled")
        if self.done.new and newest is not None:
            _mark_seen(self._account, newest)

    def _tell(self, left: Left) -> None:
        """Operators see it until it is read; what a sweep has not come to was read before."""
        if self._reach.back_to is None:
            back = f"{left.floor:%Y-%m-%d %H:%M} UTC" if left.floor is not None else "the first"
            self._ledger.conditions.set(UNREAD, f"mentions before {left.cursor}, back to {back}, are not read yet")

    def _take(self, page: Page) -> datetime | None:
        """Make documents of a page; the newest time on it."""
        mentions: list[Mention] = []
        done = replace(self.done, pages=self.done.pages + 1)
        newest: datetime | None = None
        for item in page.items:
            if isinstance(item, Unreadable):
                done = replace(done, parked=done.parked + _park(self._ledger, item.raw, item.problem))
                continue
            newest = max(newest or item.indexed_at, item.indexed_at)
            if item.uri in self._seen:
                continue
            self._seen.add(item.uri)
            try:
                mention = as_mention(item, self._account.did)
            except ValidationError as problem:
                told = str(problem.errors()[0]["msg"])
                done = replace(done, parked=done.parked + _park(self._ledger, item.raw, told))
                continue
            if mention is None:
                done = replace(done, ignored=done.ignored + 1)
            else:
                # Until all that was there is read, nothing comes late.
                stale = is_stale(item, self._reach.stale_before, late=self._mark is not None)
                mentions.append(mention.model_copy(update={"stale": stale}))
        ours = for_us(self._ledger, self._account.did, mentions)
        found = Found(Source.NOTIFICATIONS) if self._reach.compared else None
        new = len(self._ledger.documents.receive(self._caller, ours, by=found))
        self.done = replace(
            done,
            new=done.new + new,
            known=done.known + len(ours) - new,
            ignored=done.ignored + len(mentions) - len(ours),
        )
        return newest


def _next_cursor(page: Page, cursor: str | None, floor: datetime | None) -> str | None:
    """Where to read on, None when the floor or the end is reached; a page's length says nothing."""
    if page.cursor is None:
        return None
    times = [item.indexed_at for item in page.items if isinstance(item, Notification)]
    if floor is not None and times and min(times) < floor:
        return None
    return later_cursor(page.cursor)


def _park(ledger: Ledger, raw: object, problem: str) -> int:
    kept = raw if isinstance(raw, Mapping) else {"item": raw}
    first_time = ledger.desk.park("notifications", kept, problem)
    if first_time:
        log.warning("item_parked", problem=problem)
    return int(first_time)


def _mark_seen(account: Account, at: datetime) -> None:
    """Cosmetic, for whoever opens the app: our work never depends on it, so a failure is only told."""
    try:
        update_seen(account, at)
    except CallFailed as failed:
        log.info("seen_not_marked", failure=str(failed))
