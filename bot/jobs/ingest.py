"""Reads notifications into the ledger: every mention becomes a document once, whatever order the pages come in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog
from pydantic import ValidationError

from bot.bluesky.errors import CallFailed
from bot.bluesky.notifications import Notification, Page, Unreadable, later_cursor, list_page, update_seen
from bot.bluesky.session import Account
from bot.jobs.hearing import as_mention, for_us
from bot.ledger.ledger import Ledger
from guardrails.access import Caller
from guardrails.documents import Mention
from guardrails.switches import Switch

WATERMARK = "notifications"
# Items share a place in the list with their createdAt, which clients set: a slow clock lands below what is known.
OVERLAP = timedelta(minutes=10)
log = structlog.get_logger()


@dataclass(frozen=True)
class Left:
    """Where a reading was broken off since its time was over, and the newest that it had seen."""

    cursor: str
    newest: datetime | None


@dataclass(frozen=True)
class Reach:
    """How far back a reading goes and how many pages it may take; reaching the cap is a gap that is reported.

    What the first reading of a ledger finds from before `stale_before` is kept as stale, and not answered. `left`:
    where the last one was broken off, to be gone on with.
    """

    back_to: datetime | None
    max_pages: int
    stale_before: datetime
    left: Left | None = None


@dataclass(frozen=True)
class Ingested:
    """What a reading did. `gap` means that older notifications may not have been seen."""

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


@dataclass
class _Reading:
    """One reading under way: what was seen, so that overlapping pages count once."""

    done: Ingested
    seen: set[str]
    stale_before: datetime | None
    newest: datetime | None = None


def ingest_once(
    ledger: Ledger, account: Account, caller: Caller, reach: Reach, over: Callable[[], bool] = lambda: False
) -> Ingested:
    """Read new notifications into documents; raises CallFailed with everything read so far kept.

    Goes back to `reach.back_to`, or to ten minutes before where the last reading came, or through all there is. One
    that is `over` before that says where it was left; the next is to go on there, and until then nothing counts as
    read.
    """
    if ledger.desk.is_on(Switch.PAUSE_INGEST):
        return Ingested(paused=True)
    mark = ledger.desk.watermark(WATERMARK)
    floor = reach.back_to or (mark - OVERLAP if mark is not None else None)
    reading = _Reading(Ingested(), set(), reach.stale_before if mark is None else None)
    cursor: str | None = None
    if reach.left is not None:
        cursor, reading.newest = reach.left.cursor, reach.left.newest
    for _ in range(reach.max_pages):
        if cursor is not None and reading.done.pages and over():
            return _left(reading, Left(cursor, reading.newest))
        page = list_page(account, cursor)
        _take(ledger, account, caller, page, reading)
        following = _next_cursor(page, cursor, floor)
        if following is None:
            break
        if following == cursor:
            # A whole page within one millisecond: the list can be paged no further than past it.
            reading.done = replace(reading.done, gap=True)
            following = page.cursor
        cursor = following
    else:
        reading.done = replace(reading.done, gap=True)
    newest = reading.newest or reach.stale_before
    if newest != mark:
        ledger.desk.advance(WATERMARK, newest)
    if reading.done.gap:
        log.warning("ingest_gap", pages=reading.done.pages, floor=str(floor))
    if reading.done.new and reading.newest is not None:
        _mark_seen(account, reading.newest)
    return reading.done


def _left(reading: _Reading, left: Left) -> Ingested:
    log.warning("ingest_left", pages=reading.done.pages, cursor=left.cursor)
    return replace(reading.done, gap=True, left=left)


def _take(ledger: Ledger, account: Account, caller: Caller, page: Page, reading: _Reading) -> None:
    mentions: list[Mention] = []
    done = replace(reading.done, pages=reading.done.pages + 1)
    for item in page.items:
        if isinstance(item, Unreadable):
            done = replace(done, parked=done.parked + _park(ledger, item.raw, item.problem))
            continue
        reading.newest = max(reading.newest or item.indexed_at, item.indexed_at)
        if item.uri in reading.seen:
            continue
        reading.seen.add(item.uri)
        try:
            mention = as_mention(item, account.did)
        except ValidationError as problem:
            done = replace(done, parked=done.parked + _park(ledger, item.raw, str(problem.errors()[0]["msg"])))
            continue
        if mention is None:
            done = replace(done, ignored=done.ignored + 1)
        else:
            stale = reading.stale_before is not None and item.indexed_at < reading.stale_before
            mentions.append(mention.model_copy(update={"stale": stale}))
    ours = for_us(ledger, account.did, mentions)
    new = len(ledger.documents.receive(caller, ours))
    reading.done = replace(
        done,
        new=done.new + new,
        known=done.known + len(ours) - new,
        ignored=done.ignored + len(mentions) - len(ours),
    )


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
